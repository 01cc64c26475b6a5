import { setImmediate as letOthersGoOn } from 'node:timers/promises';
import { type Kysely, type Selectable, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import { whileLeased } from '../db/lease.ts';
import type { SearchEntry } from '../db/post-search.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { inTransaction, unguarded, type WriteContext } from '../db/transaction.ts';
import { tokensOfPost } from './tokens.ts';

type AttachmentRow = Selectable<Tables['attachments']>;

/** The columns that are indexed, or say how. */
export const indexedColumns = [
  'id',
  'type',
  'title',
  'description',
  'text',
  'html',
  'tag_set_id',
  'published_at',
  'created_at',
] as const;

type IndexedPost = Pick<PostRow, (typeof indexedColumns)[number]> & {
  attachments: readonly Pick<AttachmentRow, 'name' | 'description' | 'alt' | 'type'>[];
  tagIds: readonly string[];
};

/** Indexes a post as it is written, in the transaction that writes it. */
export async function indexPost(trx: Kysely<Tables>, post: IndexedPost): Promise<void> {
  await dialectOf(trx).postSearch.write(trx, [entryOf(post)]);
}

const postsAtOnce = 100;

/** Makes posts findable that are missing from the index. An open transaction does all of it. */
export async function indexMissing(db: Kysely<Tables>): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await dialectOf(db).postSearch.missing(db, after, postsAtOnce);
    const last = ids.at(-1);
    if (last === undefined) return;
    if (db.isTransaction) await indexPosts(db, ids);
    else {
      await inTransaction({ db, ...unguarded }, trx => indexPosts(trx, ids));
      await letOthersGoOn();
    }
    after = last;
  }
}

/** Has posts indexed again by {@link indexWaiting}, within the transaction that changes them. */
export async function indexLater(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  await trx
    .insertInto('posts_to_index')
    .columns(['post_id'])
    .expression(
      trx
        .selectFrom('posts')
        .select('id')
        .where(dialectOf(trx).inList(sql.ref('id'), ids)),
    )
    .onConflict(conflict => conflict.doNothing())
    .execute();
}

/** How many posts one transaction indexes: on SQLite whoever writes waits for it. */
const waitingAtOnce = 20;
/** How long their texts may be together. A longer one is indexed alone. */
const waitingBytes = 100_000;

/** Indexes the posts that wait for it; one process does it for all. */
export async function indexWaiting(deps: WriteContext & { readonly stopping: AbortSignal }): Promise<void> {
  const { db, clock, stopping } = deps;
  const waiting = async () => {
    const rows = await db
      .selectFrom('posts_to_index')
      .innerJoin('posts', 'posts.id', 'post_id')
      .select(['post_id', sql<number>`octet_length(posts.text)`.as('bytes')])
      .orderBy('post_id')
      .limit(waitingAtOnce)
      .execute();
    let total = 0;
    const some = rows.filter(({ bytes }, place) => {
      total += bytes;
      return total <= waitingBytes || place === 0;
    });
    return some.map(row => row.post_id);
  };
  if ((await waiting()).length === 0) return;
  await whileLeased(db, 'reindex', clock, async () => {
    while (!stopping.aborted) {
      const ids = await waiting();
      if (ids.length === 0) return;
      await inTransaction(deps, async trx => {
        for (const id of ids) {
          await indexPosts(trx, [id]);
          await letOthersGoOn();
        }
        const done = trx.deleteFrom('posts_to_index');
        await done.where(dialectOf(trx).inList(sql.ref('post_id'), ids)).execute();
        // What a search has found by the old words is cached.
        await trx.insertInto('changes').values({ kind: 'search', key: '' }).execute();
      });
      await letOthersGoOn();
    }
  });
}

/** Makes posts findable as they are now, and locks them. Call within a transaction. */
export async function indexPosts(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const { inList, postSearch, shared } = dialectOf(trx);
  const rows = trx
    .selectFrom('posts')
    .select(indexedColumns)
    .where(inList(sql.ref('id'), ids))
    .orderBy('id');
  const posts = await shared(rows).execute();
  const attachments = await trx
    .selectFrom('attachments')
    .select(['post_id', 'name', 'description', 'alt', 'type'])
    .where(inList(sql.ref('post_id'), ids))
    .execute();
  const tags = await trx
    .selectFrom('tag_set_tags')
    .selectAll()
    .where(inList(sql.ref('tag_set_id'), [...new Set(posts.map(post => post.tag_set_id))]))
    .execute();
  const attachmentsOf = Map.groupBy(attachments, attachment => attachment.post_id);
  const tagsOf = Map.groupBy(tags, tag => tag.tag_set_id);
  await postSearch.write(
    trx,
    posts.map(post => {
      const tagIds = (tagsOf.get(post.tag_set_id) ?? []).map(({ tag_id }) => tag_id);
      return entryOf({ ...post, tagIds, attachments: attachmentsOf.get(post.id) ?? [] });
    }),
  );
}

function entryOf({ id, attachments, ...post }: IndexedPost): SearchEntry {
  const { type, html, tag_set_id, published_at, created_at } = post;
  return {
    post_id: id,
    type,
    tag_set_id,
    published_at,
    sortedAt: published_at ?? created_at,
    has_pictures: html.includes('<img ') || attachments.some(file => file.type.startsWith('image/')),
    tokens: tokensOfPost({
      ...post,
      attachments: attachments.flatMap(({ name, description, alt }) => [name, description ?? '', alt ?? '']),
    }),
  };
}
