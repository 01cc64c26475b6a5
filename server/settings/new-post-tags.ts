import type { Kysely } from 'kysely';
import { tagKey, tagName } from '../../contract/tag-name.ts';
import { tagRefs } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Tables } from '../db/tables.ts';
import { amendSettings, readStored } from './site-settings.ts';

type TagsContext = Pick<ReadContext, 'catalogue' | 'settings'>;

const namesIn = (text: unknown) => [
  ...new Set(
    String(text ?? '')
      .split(',')
      .map(tagName)
      .filter(Boolean),
  ),
];

/**
 * The tags with which the settings let a new post begin: for an author those that they may read, and whether
 * these are all.
 */
export async function newPostTags({ catalogue, settings, viewer }: TagsContext & { viewer: Viewer }) {
  const known = await catalogue();
  const names = namesIn((await settings()).newPostTags);
  const wanted = names.flatMap(name => known.tags.get(known.tagIdOf(name) ?? '') ?? []);
  const mayUse = ({ id, isListed }: (typeof wanted)[number]) =>
    viewer.role === 'admin' || (isListed && viewer.tagIds.has(id));
  const tags = wanted.filter(mayUse);
  return {
    tags: tags.map(({ name }) => name),
    tagIds: tags.map(({ id }) => id),
    areAll: tags.length === names.length,
  };
}

/** Throws invalid-argument for a tag that does not exist. */
export async function requireNewPostTags({ catalogue }: TagsContext, text: unknown): Promise<void> {
  (await catalogue()).tagIdsOf(tagRefs(namesIn(text), undefined));
}

/** New posts begin with a tag also when it is called otherwise, or merged. Within the transaction of that. */
export async function renameNewPostTag(trx: Kysely<Tables>, from: string, to: string): Promise<void> {
  const isIt = (name: string) => tagKey(name) === tagKey(from);
  const names = (text: unknown) => namesIn(namesIn(text).map(name => (isIt(name) ? to : name))).join(', ');
  const isNamedIn = (given?: Record<string, unknown>) => namesIn(given?.newPostTags).some(isIt);
  const { values, before } = await readStored(trx);
  if (!isNamedIn(values) && !isNamedIn(before?.values)) return;
  await amendSettings(trx, given => ({ ...given, newPostTags: names(given.newPostTags) }));
}
