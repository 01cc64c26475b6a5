import { sql } from 'kysely';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { isReadable, readablePosts, readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { holdSetting } from '../db/setting.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { readingSettings } from './settings.ts';

/** A moment younger than this is not updated, in milliseconds. */
const freshMs = 60_000;
/** What was first opened within this time belongs to the reader's visit of now, in milliseconds. */
const visitMs = 60 * 60_000;

/** Whether opened posts are remembered for an account: the site and the person must both want it. */
async function keepsOpened({ db, settings }: ReadContext, userId: string): Promise<boolean> {
  const { keepsOpened } = await settings();
  return keepsOpened === 'true' && (await readingSettings(db, userId)).keepsOpened;
}

/**
 * Records that the viewer has opened those of these posts that they may read. Nobody else ever learns of it
 * (decision 42). Nothing is written if all moments are fresh.
 */
export async function noteOpened(
  context: ReadContext & WriteContext,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<void> {
  const { db, clock } = context;
  const userId = accountOf(viewer).id;
  if (!(await keepsOpened(context, userId))) return;
  const fresh = await db
    .selectFrom('opened_posts')
    .select('post_id')
    .where('user_id', '=', userId)
    .where(dialectOf(db).inList(sql.ref('post_id'), postIds))
    .where('opened_at', '>', clock() - freshMs)
    .execute();
  const stale = postIds.filter(id => fresh.every(row => row.post_id !== id));
  if (stale.length === 0) return;
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    // The account is locked, and here the settings of the site: turning the marks off locks one of them.
    await holdSetting(trx, 'site');
    const reads = within(trx);
    if (!(await keepsOpened(reads, userId))) return;
    const { inList, shared } = dialectOf(trx);
    const readable = readablePosts(trx, await reads.catalogue(), viewer)
      .select('posts.id')
      .where('posts.published_at', 'is not', null)
      .where(inList(sql.ref('posts.id'), stale))
      .orderBy('posts.id');
    // Locked, so that none of them is deleted before its moment is written.
    const posts = await shared(readable).execute();
    if (posts.length === 0) return;
    const opened_at = clock();
    await trx
      .insertInto('opened_posts')
      .values(
        posts.map(({ id }) => ({ user_id: userId, post_id: id, opened_at, first_opened_at: opened_at })),
      )
      .onConflict(conflict => conflict.columns(['user_id', 'post_id']).doUpdateSet({ opened_at }))
      .execute();
  });
}

/**
 * The posts of this list that the viewer has opened, those of them that are new to them in this visit, and
 * those with comments of others since, as far as the viewer may read them.
 */
export async function getReadingMarks(
  deps: ReadContext & Pick<WriteContext, 'clock'>,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<Output<'getReadingMarks'>> {
  const { db, clock } = deps;
  const userId = accountOf(viewer).id;
  if (!(await keepsOpened(deps, userId)))
    return { isKept: false, opened: [], openedNow: [], withNewComments: [] };
  const rows = await db
    .selectFrom('opened_posts')
    .select(['post_id', 'first_opened_at'])
    .select(eb => {
      const since = eb
        .selectFrom('comments')
        .select('comments.id')
        .whereRef('comments.post_id', '=', 'opened_posts.post_id')
        .whereRef('comments.created_at', '>', 'opened_posts.opened_at')
        .where('comments.is_deleted', '=', false)
        .where('comments.hidden_at', 'is', null)
        .where(sql<boolean>`comments.user_id is distinct from ${userId}`);
      return eb.case().when(eb.exists(since)).then(1).else(0).end().as('has_new');
    })
    .where('user_id', '=', userId)
    .where(dialectOf(db).inList(sql.ref('post_id'), postIds))
    .where(await isReadable(deps, viewer, sql.ref('opened_posts.post_id')))
    .orderBy('post_id')
    .execute();
  // Only approved readers may read comments (decision 13).
  const mayReadComments = viewer.role !== 'visitor';
  const visitFrom = clock() - visitMs;
  const idsOf = (some: typeof rows) => some.map(row => row.post_id);
  return {
    isKept: true,
    opened: idsOf(rows),
    openedNow: idsOf(rows.filter(row => (row.first_opened_at ?? 0) > visitFrom)),
    withNewComments: idsOf(rows.filter(row => mayReadComments && row.has_new === 1)),
  };
}

export async function forgetOpened(context: WriteContext, userId: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx.deleteFrom('opened_posts').where('user_id', '=', userId).execute();
  });
}
