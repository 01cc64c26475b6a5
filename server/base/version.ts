import { digestOf } from './secrets.ts';

/** Says which state of something was seen: the same for the same content, and for no other. */
export const versionOf = (content: unknown) => digestOf(JSON.stringify(content)).slice(0, 22);

/** As {@link versionOf}, for tags in any order. */
export const versionOfTags = (tagIds: readonly string[]) => versionOf([...new Set(tagIds)].sort());

/** In any order. */
export const areSameTags = (one: readonly string[], other: readonly string[]) =>
  versionOfTags(one) === versionOfTags(other);
