import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { faceAt } from '../../../contract/site-pictures.ts';
import type { ReadContext } from '../../access/context.ts';
import { lockAdmins } from '../../access/hold-rights.ts';
import { hasRecentSignIn } from '../../access/recent-sign-in.ts';
import { shownEmail } from '../../access/shown-email.ts';
import { accountOf, type Credential, isUnproven, type Viewer } from '../../access/viewer.ts';
import { dialectOf } from '../../db/dialect.ts';
import { pageUntil, readPage } from '../../db/page.ts';
import { type Tables, timeOf } from '../../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { historyAbout } from '../../history/read.ts';
import { recordHistory } from '../../history/write.ts';
import { pauseOf } from '../../mail/bounces.ts';
import { queueMail } from '../../mail/write.ts';
import { listTags } from '../../tags/read.ts';
import { rememberDenial } from '../members/denials.ts';
import { deleteComments } from './delete-comments.ts';

/** An account and its sessions, newest first; `credential` is that of the caller. */
export async function getAccount(
  { db, clock }: DbContext,
  userId: string,
  credential: Credential | null,
): Promise<Output<'getAccount'>> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  const ways = await db
    .selectFrom('sign_in_methods')
    .select(['provider', 'password'])
    .where('user_id', '=', userId)
    .execute();
  const sessions = await db.selectFrom('sessions').selectAll().where('user_id', '=', userId).execute();
  return {
    username: user.display_username,
    name: user.name,
    face: faceAt(user.id, user.image),
    email: shownEmail(user.email),
    isEmailConfirmed: Boolean(user.email_verified),
    mailPause: (await pauseOf(db, userId)) ?? null,
    createdAt: moment(timeOf(user.created_at)),
    hasPassword: ways.some(way => way.password !== null),
    hasRecentSignIn: await hasRecentSignIn({ db, clock }, credential),
    isConnected: ways.some(way => way.provider !== 'credential'),
    sessions: sessions
      .filter(session => timeOf(session.expires_at) > clock())
      .sort((a, b) => timeOf(b.updated_at) - timeOf(a.updated_at))
      .map(session => ({
        id: session.id,
        createdAt: moment(timeOf(session.created_at)),
        lastUsedAt: moment(timeOf(session.updated_at)),
        device: session.user_agent,
        isLong: Boolean(session.is_long),
        isCurrent: session.id === credential?.id,
      })),
  };
}

export async function changeName(context: WriteContext, userId: string, name: string): Promise<void> {
  await inTransaction(context, async trx => {
    await trx.updateTable('users').set({ name }).where('id', '=', userId).execute();
  });
}

/** Ends a session of an account. Throws not-found for one of another account. */
export async function endSession(context: WriteContext, userId: string, sessionId: string): Promise<void> {
  await inTransaction(context, async trx => {
    const { numDeletedRows } = await trx
      .deleteFrom('sessions')
      .where('id', '=', sessionId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new AppError('not-found', 'This session has already ended.');
    await recordHistory(trx, context, { kind: 'session-ended', user: userId });
  });
}

/**
 * The most comments in one part of an export, and their characters: all comments of a prolific writer at once
 * would hold up the site.
 */
const commentsAtOnce = 500;
const charactersAtOnce = 500_000;

/**
 * All stored data about an account. Of posts only their ids, as their texts belong to their authors. Of
 * comments one part: `after` is where the previous part ended, and asks only for comments.
 */
export async function exportAccount(
  { db, catalogue }: Pick<ReadContext, 'db' | 'catalogue'>,
  viewer: Viewer,
  after?: string | null,
): Promise<Output<'exportAccount'>> {
  const userId = accountOf(viewer).id;
  const placeOf = (row: { created_at: number; id: string }) => ({ sortedBy: row.created_at, id: row.id });
  const page = await readPage(
    db
      .selectFrom('comments')
      .select(['id', 'post_id', 'parent_id', 'content'])
      .select(['created_at', 'edited_at', 'hidden_at', 'hidden_reason'])
      .where('user_id', '=', userId),
    { columns: ['created_at', 'id'], direction: 'asc', after, limit: commentsAtOnce },
    placeOf,
  );
  let characters = 0;
  const isTooMuch = ({ content }: { content: string }) => {
    characters += content.length;
    return characters > charactersAtOnce;
  };
  const { rows, nextCursor } = pageUntil(page, isTooMuch, placeOf);
  const comments = rows.map(exportedRow);
  if (after) return { userId, data: { comments }, nextCursor };
  const account = db
    .selectFrom('users')
    .select(['id', 'display_username as username', 'name', 'email', 'email_verified as is_email_confirmed'])
    .select(['status', 'introduction', 'is_admin', 'is_author', 'is_muted'])
    .select(['created_at', 'approved_at', 'denied_at'])
    .where('id', '=', userId);
  const [shown] = (await account.execute()).map(exportedRow);
  if (shown === undefined) throw new AppError('not-found', 'User not found.');
  const given = await db.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId).execute();
  const approvedTagIds = given.map(tag => tag.tag_id).sort();
  const files = db.selectFrom('files').select(['id', 'name', 'type', 'size', 'created_at']);
  const sessions = db
    .selectFrom('sessions')
    .leftJoin('push_subscriptions', 'push_subscriptions.session_id', 'sessions.id')
    .select(['sessions.created_at', 'updated_at as last_used_at', 'ip_address as address'])
    .select(['user_agent as device', 'push_subscriptions.created_at as notified_since']);
  const ownTokens = db
    .selectFrom('access_tokens')
    .select(['name', 'scopes', 'created_at', 'expires_at', 'last_used_at', 'last_used_from']);
  const connections = db
    .selectFrom('sign_in_methods')
    .select(['provider', 'subject', 'created_at'])
    .where('provider', '<>', 'credential');
  /** The rows of a query that belong to the account. */
  const own = async <Table extends keyof Tables, Columns extends Row>(
    query: SelectQueryBuilder<Tables, Table, Columns>,
    owner = 'user_id',
  ) => (await query.where(sql.ref(owner), '=', userId).execute()).map(exportedRow);
  const data = {
    account: {
      ...shown,
      // By name those that they see: a tag may have got its name after they lost it.
      approvedTags: listTags(await catalogue(), viewer)
        .filter(({ id }) => approvedTagIds.includes(id))
        .map(({ name }) => name),
      approvedTagIds,
    },
    face: (await own(db.selectFrom('faces').select('picture as webp')))[0],
    subscription: (
      await own(
        db.selectFrom('subscriptions').select(['email', 'created_at', 'rhythm', 'digest_hour', 'is_whole']),
      )
    )[0],
    // By id: they may no longer see the tags.
    unwantedTags: await own(db.selectFrom('unwanted_tags').select('tag_id')),
    mailWishes: await own(db.selectFrom('mail_wishes').select(['kind', 'is_on'])),
    likes: await own(db.selectFrom('likes').select(['post_id', 'created_at']).orderBy('created_at')),
    comments,
    reports: await own(
      db.selectFrom('comment_reports').select(['comment_id', 'word', 'created_at']).orderBy('created_at'),
    ),
    accessRequests: await own(
      db.selectFrom('access_requests').select(['post_id', 'word', 'created_at']).orderBy('created_at'),
    ),
    proposals: await own(
      db.selectFrom('proposals').select(['email', 'name', 'word', 'created_at']).orderBy('created_at'),
    ),
    openedPosts: await own(
      db.selectFrom('opened_posts').select(['post_id', 'opened_at', 'first_opened_at']).orderBy('opened_at'),
    ),
    reading: (
      await own(
        db
          .selectFrom('reading_settings')
          .select(['shows_past as is_past_shown', 'keeps_opened as is_opened_kept']),
      )
    )[0],
    files: await own(files, 'uploader_id'),
    sessions: await own(sessions, 'sessions.user_id'),
    knownBrowsers: await own(db.selectFrom('known_browsers').select('used_at as signed_in_at')),
    secondFactor: (await own(db.selectFrom('second_factors').select('created_at')))[0],
    passkeys: await own(
      db.selectFrom('passkeys').select(['name', 'created_at', 'last_used_at']).orderBy('created_at'),
    ),
    accessTokens: await own(ownTokens.orderBy('created_at')),
    personalFeed: (await own(db.selectFrom('personal_feeds').select(['created_at', 'last_used_at'])))[0],
    postAddress: (
      await own(db.selectFrom('post_addresses').select(['created_at', 'publishes as is_publishing']))
    )[0],
    connections: await own(connections),
    history: await historyAbout(db, userId),
  };
  return { userId, data, nextCursor };
}

type Row = Record<string, string | number | boolean | Date | null>;

/**
 * A row with names in camel case. The name of a column decides: `is_...` is a boolean, which SQLite stores as
 * a number, `..._at` a time, written in ISO 8601. Queries rename other columns of these types.
 */
function exportedRow(row: Row): Record<string, unknown> {
  const nameOf = (column: string) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const written = (column: string, value: Row[string]) => {
    if (typeof value === 'boolean' || column.startsWith('is_')) return Boolean(value);
    if (value === null || !column.endsWith('_at')) return value;
    return moment(typeof value === 'number' ? value : timeOf(value));
  };
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [nameOf(column), written(column, value)]),
  );
}

/**
 * Deletes an account with its likes, sessions and subscription; comments lose their author, or are deleted
 * too. Counts are updated in the same transaction. Throws failed-precondition for the last admin.
 */
export async function deleteAccount(
  context: WriteContext,
  userId: string,
  comments: 'keep' | 'delete',
): Promise<void> {
  // A concurrent like of this account locks post and account in the other order. PostgreSQL may then end one
  // of the two as a deadlock, and inTransaction tries it again.
  await inTransaction(context, async trx => {
    await recordHistory(trx, context, { kind: 'account-deleted', user: userId });
    await confirmDeletion(trx, context, userId);
    await deleteIn(trx, userId, comments);
  });
}

/** Mails the owner that the account is deleted. A mailbox that nobody has proved to read gets nothing. */
async function confirmDeletion(trx: Kysely<Tables>, context: WriteContext, userId: string): Promise<void> {
  const user = await trx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();
  const to = shownEmail(user.email);
  if (isUnproven(user) || !to) return;
  const at = context.clock();
  const address = context.by?.address ?? null;
  const data = { notice: 'account-deleted' as const, to, username: user.display_username, at, address };
  // Mails to an account are deleted with it.
  await queueMail(trx, at, { kind: 'notice', userId: null, data });
}

/**
 * Like {@link deleteAccount}, within a transaction. The caller records it in the history of rights before:
 * afterwards the account has no name.
 */
export async function deleteIn(
  trx: Kysely<Tables>,
  userId: string,
  comments: 'keep' | 'delete',
): Promise<void> {
  const { forUpdate } = dialectOf(trx);
  const admins = await lockAdmins(trx);
  if (admins.length === 1 && admins[0] === userId) {
    throw new AppError(
      'failed-precondition',
      'The last admin cannot be deleted. Make somebody else an admin first.',
    );
  }
  const account = await forUpdate(
    trx.selectFrom('users').select(['id', 'email', 'status', 'denied_at']).where('id', '=', userId),
  ).executeTakeFirst();
  if (account?.status === 'denied') await rememberDenial(trx, account, account.denied_at ?? 0);
  const liked = trx.selectFrom('likes').select('post_id').where('user_id', '=', userId);
  await trx
    .updateTable('posts')
    .set(eb => ({ like_count: eb('like_count', '-', 1) }))
    .where('id', 'in', liked)
    .execute();
  if (comments === 'delete') await deleteComments(trx, userId);
  await trx.deleteFrom('likes').where('user_id', '=', userId).execute();
  // The invitation that was made for this address names the person, and nobody else can use it.
  const usedIds = trx.selectFrom('invitation_uses').select('invitation_id').where('user_id', '=', userId);
  await trx.deleteFrom('invitations').where('email', 'is not', null).where('id', 'in', usedIds).execute();
  await trx.deleteFrom('users').where('id', '=', userId).execute();
}
