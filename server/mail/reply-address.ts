import type { ReadContext } from '../access/context.ts';
import type { Viewer } from '../access/viewer.ts';
import { dayMs } from '../base/clock.ts';
import { digestOf, sign } from '../base/secrets.ts';
import type { Config } from '../config.ts';
import type { DbContext } from '../db/transaction.ts';
import { statesOf } from '../posts/comments-state.ts';

/** What an answer by mail refers to. */
export type ReplyTo = { userId: string; postId: string; commentId: string | null };

type Signing = { config: Pick<Config, 'mailReplyAddress'>; secret: string };

/**
 * The length of the secret in an address, at 4 bits per character: the part before the `@` has at most 64
 * characters, and servers ignore their case.
 */
const keyCharacters = 32;

/** How long a mail can be answered. */
const keptMs = 365 * dayMs;
/** Few enough to delay nobody. */
const sweptAtOnce = 1_000;

/**
 * The address at which a person answers a post or a comment: it contains a secret, which is stored only as a
 * digest. Undefined if the site receives no mail, and for somebody who cannot comment at present.
 */
export async function replyAddressFor(
  deps: Signing & Pick<DbContext, 'clock'> & Pick<ReadContext, 'db' | 'settings'>,
  { role, user }: Viewer,
  { postId, commentId }: { postId: string; commentId: string | null },
): Promise<string | undefined> {
  const { db, clock, config, secret } = deps;
  if (config.mailReplyAddress === undefined || user === null || role === 'visitor' || user.isMuted)
    return undefined;
  const mailed_at = clock();
  const comments = (await statesOf(deps, [postId])).get(postId);
  if (comments === undefined || (comments.closedAt ?? Number.POSITIVE_INFINITY) <= mailed_at)
    return undefined;
  const userId = user.id;
  const key = hexOf(sign(secret, 'reply', `${userId} ${postId} ${commentId ?? ''}`), keyCharacters);
  await db
    .insertInto('reply_addresses')
    .values({ digest: digestOf(key), user_id: userId, post_id: postId, comment_id: commentId, mailed_at })
    .onConflict(conflict => conflict.column('digest').doUpdateSet({ mailed_at }))
    .execute();
  return withKey(config.mailReplyAddress, key);
}

/** Deletes addresses of old mails: there is one for each reader and post. */
export async function sweepReplyAddresses({
  db,
  clock,
  stopping,
}: Pick<DbContext, 'db' | 'clock'> & { stopping: AbortSignal }): Promise<void> {
  const before = clock() - keptMs;
  for (let deleted = sweptAtOnce; deleted === sweptAtOnce && !stopping.aborted; ) {
    const old = db.selectFrom('reply_addresses').select('digest').where('mailed_at', '<', before);
    const { numDeletedRows } = await db
      .deleteFrom('reply_addresses')
      .where('digest', 'in', old.orderBy('mailed_at').limit(sweptAtOnce))
      .executeTakeFirst();
    deleted = Number(numDeletedRows);
  }
}

/** What an address of {@link replyAddressFor} refers to; undefined for any other. */
export async function findReply({ db }: Pick<DbContext, 'db'>, key: string): Promise<ReplyTo | undefined> {
  const row = await db
    .selectFrom('reply_addresses')
    .selectAll()
    .where('digest', '=', digestOf(key))
    .executeTakeFirst();
  return row && { userId: row.user_id, postId: row.post_id, commentId: row.comment_id };
}

/**
 * The keys in all addresses of a form such as `reply+{}@host` in a text: those of answers, of posts and,
 * longer, of bounces.
 */
export function keysIn(template: string, text: string): string[] {
  const [start = '', end = ''] = template.split('{}').map(part => part.replaceAll(/\W/g, '\\$&'));
  const addresses = new RegExp(`(?<![\\w.+-])${start}([0-9a-f]{32,})${end}(?![\\w.-])`, 'gi');
  return [...text.matchAll(addresses)].map(match => (match[1] ?? '').toLowerCase());
}

/** An address of this form with a key. */
export const withKey = (template: string, key: string) => template.replace('{}', () => key);

/** The beginning of a signature as characters without case. */
export const hexOf = (signature: string, characters: number) =>
  Buffer.from(signature, 'base64url').toString('hex').slice(0, characters);
