import { tagKey } from '../../../contract/tag-name.ts';
import type { Draft, KnownTag } from './draft.ts';

/**
 * The tags of a draft, with the ids that are known: by its name alone, one that is renamed elsewhere is
 * another tag.
 */
export function tagsOf(draft: Draft): { tags: string[]; tagIds: (string | null)[] } {
  return { tags: draft.tags, tagIds: draft.tags.map(name => idOf(draft, name) ?? null) };
}

/** The id of a tag, if it is known. A copy that an older editor has stored knows none. */
function idOf({ knownTags = [] }: Partial<Draft>, name: string): string | undefined {
  return knownTags.find(tag => tag.name === name)?.id;
}

/** The draft with other tags, of which those among `known` are the site's own. */
export function withTags(draft: Draft, tags: string[], known: readonly KnownTag[]): Draft {
  const knownTags = tags.flatMap(name => {
    const tag = [...(draft.knownTags ?? []), ...known].find(other => other.name === name);
    return tag === undefined ? [] : [{ id: tag.id, name }];
  });
  return { ...draft, tags, knownTags };
}

/**
 * The draft with its tags as the site lists them: under the names that they have by now, and with the ids of
 * those that were typed by name. The same draft if nothing of it changes.
 */
export function withListedTags(draft: Draft, listed: readonly KnownTag[]): Draft {
  const byId = new Map(listed.map(tag => [tag.id, tag]));
  const byKey = new Map(listed.map(tag => [tagKey(tag.name), tag]));
  const found = draft.tags.map(name => {
    const id = idOf(draft, name);
    return (id === undefined ? byKey.get(tagKey(name)) : byId.get(id)) ?? { id, name };
  });
  if (found.every(({ id, name }, index) => name === draft.tags[index] && id === idOf(draft, name)))
    return draft;
  // A tag may have got the name of a new one that was typed here.
  const tags = found.filter(
    ({ name }, index) => found.findIndex(other => tagKey(other.name) === tagKey(name)) === index,
  );
  return {
    ...draft,
    tags: tags.map(({ name }) => name),
    knownTags: tags.flatMap(({ id, name }) => (id === undefined ? [] : [{ id, name }])),
  };
}

/** Whether two drafts have the same tags: by their ids, or by their names where one of them knows no id. */
export function haveSameTags(a: Draft, b: Draft): boolean {
  const isSame = (one: string, other: string) => {
    const ids = [idOf(a, one), idOf(b, other)];
    return ids.includes(undefined) ? tagKey(one) === tagKey(other) : ids[0] === ids[1];
  };
  return a.tags.length === b.tags.length && a.tags.every(one => b.tags.some(other => isSame(one, other)));
}
