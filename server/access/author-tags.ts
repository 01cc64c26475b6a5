import type { Kysely } from 'kysely';
import { type AppError, fieldError } from '../../contract/errors.ts';
import { tagKey } from '../../contract/tag-name.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { TagRef } from './audience.ts';
import type { ReadContext } from './context.ts';
import type { Viewer } from './viewer.ts';

/**
 * Throws unless the writer may change the tags of a post in this way. An admin may make any change. An author
 * may add and remove only tags that they may read themselves, and may make no new tag. Removing is limited so
 * that no author opens a post that an admin has restricted. The author's tags are read in the transaction,
 * which locks their account; until it ends, nobody renames or deletes these tags.
 */
export async function refuseTagsOfOthers(
  trx: Kysely<Tables>,
  viewer: Viewer,
  { before, after }: { before: number | undefined; after: readonly { name: string; sent: string }[] },
): Promise<void> {
  if (viewer.role === 'admin') return;
  const own = await tagsOf(trx, viewer);
  const carried =
    before === undefined
      ? []
      : await dialectOf(trx)
          .shared(
            trx
              .selectFrom('tags')
              .select(['name', 'key'])
              .where('id', 'in', eb =>
                eb.selectFrom('tag_set_tags').select('tag_id').where('tag_set_id', '=', before),
              )
              .orderBy('id'),
          )
          .execute();
  const carriedKeys = new Set(carried.map(({ key }) => key));
  const keys = new Set(after.map(({ name }) => tagKey(name)));
  // A deleted tag may stay on the post, but may not be added: adding it would put it back on the list of
  // tags.
  const added = after.find(
    ({ name }) => !carriedKeys.has(tagKey(name)) && own.get(tagKey(name)) !== 'listed',
  );
  // As the author sent it: they may not know its current name.
  if (added !== undefined) throw notTheirs(added.sent);
  const taken = carried.find(({ key }) => !keys.has(key) && !own.has(key));
  if (taken === undefined) return;
  throw fieldError(
    'tags',
    `Only an admin may remove the tag “${taken.name}” from this post.`,
    'permission-denied',
  );
}

/**
 * Returns a function that replaces sent tags by their current names; those with an id may have been renamed.
 * It throws for tags that an author may not read and that none of their posts carries: the number of readers
 * of such a tag would tell the author about other members.
 */
export async function tagNamer({
  db,
  viewer,
  catalogue,
}: ReadContext & { viewer: Viewer }): Promise<(sent: readonly TagRef[]) => string[]> {
  const { tags } = await catalogue();
  const known = viewer.role === 'admin' ? undefined : await knownToAuthor(db, viewer);
  return sent => {
    const names = sent.map(({ name, seenId }) => tags.get(seenId ?? '')?.name ?? name);
    const unknown = names.findIndex(name => known?.has(tagKey(name)) === false);
    // As the author sent it: they may not know its name.
    if (unknown >= 0) throw notTheirs(sent[unknown]?.name ?? '');
    return names;
  };
}

/** The keys of the tags that an author may read, and of those that their posts carry. */
async function knownToAuthor(db: Kysely<Tables>, viewer: Viewer): Promise<ReadonlySet<string>> {
  const onOwnPosts = await db
    .selectFrom('posts')
    .innerJoin('tag_set_tags', 'tag_set_tags.tag_set_id', 'posts.tag_set_id')
    .innerJoin('tags', 'tags.id', 'tag_set_tags.tag_id')
    .select('tags.key')
    .distinct()
    .where('posts.author_id', '=', viewer.user?.id ?? '')
    .execute();
  return new Set([...(await tagsOf(db, viewer)).keys(), ...onOwnPosts.map(row => row.key)]);
}

/** The keys of the tags that somebody may read: their approved tags and the default tags. */
async function tagsOf(
  db: Kysely<Tables>,
  { user }: Viewer,
): Promise<ReadonlyMap<string, 'listed' | 'deleted'>> {
  const approved = db
    .selectFrom('approved_tags')
    .select('tag_id')
    .where('user_id', '=', user?.id ?? '');
  const query = db
    .selectFrom('tags')
    .select(['key', 'is_listed'])
    .where(eb =>
      eb.or([eb('id', 'in', approved), eb('id', 'in', eb.selectFrom('default_tags').select('tag_id'))]),
    )
    .orderBy('id');
  const rows = await (db.isTransaction ? dialectOf(db).shared(query) : query).execute();
  return new Map(rows.map(row => [row.key, row.is_listed ? 'listed' : 'deleted']));
}

/** The same error whether or not the tag exists, so that it reveals nothing. */
function notTheirs(name: string): AppError {
  return fieldError(
    'tags',
    `You may use only tags that you may read yourself, and “${name}” is none of them.`,
  );
}
