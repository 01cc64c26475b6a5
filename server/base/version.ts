import { shortDigest } from './secrets.ts';

/** Identifies a state: equal for the same content, different for any other. */
export const versionOf = (content: unknown) => shortDigest(JSON.stringify(content));

/** Like {@link versionOf}, for tags in any order. */
export const versionOfTags = (tagIds: readonly string[]) => versionOf([...new Set(tagIds)].sort());

/** Whether two lists have the same tags, in any order. */
export const areSameTags = (one: readonly string[], other: readonly string[]) =>
  versionOfTags(one) === versionOfTags(other);
