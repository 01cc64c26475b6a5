import { sql } from 'kysely';
import type { generateRequestDetails } from 'web-push';
import { moment } from '../../../contract/date.ts';
import { askServer, isPublic } from '../../base/outgoing.ts';
import { countRows } from '../../db/count-rows.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { MailRow, UserRow } from '../../db/tables.ts';
import { isTooMany, takeAttempt } from '../../limits/attempts.ts';
import { contentOf } from '../contents.ts';
import type { MailContext } from '../context.ts';
import { mailSite } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { MailRefused } from '../transport.ts';
import { readablePost, readerOf, shownComment } from '../wishes/prepare.ts';
import { isUnwanted } from '../wishes/unwanted.ts';
import { pushKeys } from './keys.ts';

/** How long a push service keeps a notification for a browser that is offline. Seconds. */
const keptSeconds = 24 * 60 * 60;
const idleMs = 5_000;
const wholeMs = 5_000;
/**
 * The most notifications of one browser that are retried at a time: other people's notifications wait for
 * each.
 */
const mostTriedAgain = 5;
/** The most notifications of one browser in an hour: its service may take seconds for each, on purpose. */
const perHour = 60;
/** After these answers a push service may accept a notification later; other refusals are permanent. */
const laterStatuses: ReadonlySet<number> = new Set([408, 429]);

/**
 * The content of a notification: anybody may read it on a lock screen. A new one with the same `tag` replaces
 * it.
 */
type Notification = { title: string; body: string; url: string; tag: string };

/**
 * Notifies a browser of a post or an answer, if its reader may currently read it. A subscription that its
 * service refuses permanently is removed. Throws {@link NotNeeded}, and {@link MailRefused}.
 */
export async function sendPush(deps: MailContext, row: MailRow): Promise<void> {
  const { db } = deps;
  // Loaded here, because most sites notify nobody, and before the rights are checked, because it takes a
  // moment.
  const { default: webPush } = await import('web-push');
  const { sessionId, commentId } = contentOf(row, 'push');
  const userId = row.user_id ?? '';
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  if (user === undefined) throw new NotNeeded('The account no longer exists.');
  if ((await othersTriedAgain(deps, row, sessionId)) >= mostTriedAgain)
    throw new NotNeeded('The push service of the browser does not answer.');
  const bucket = { name: `notifications of ${sessionId}`, points: perHour, seconds: 60 * 60 };
  await takeAttempt(deps, bucket).catch((error: unknown) => {
    throw isTooMany(error) ? new NotNeeded('The browser was notified often enough.') : error;
  });
  // After all that waits: these are the rights with which it is sent.
  const notification = await prepare(deps, user, { postId: row.post_id ?? '', commentId });
  const subscription = await db
    .selectFrom('push_subscriptions')
    .innerJoin('sessions', 'sessions.id', 'session_id')
    .select(['endpoint', 'p256dh', 'auth'])
    .where('session_id', '=', sessionId)
    .where('push_subscriptions.user_id', '=', userId)
    // The sweep removes expired sessions only later.
    .where('expires_at', '>', moment(deps.clock()))
    .executeTakeFirst();
  if (subscription === undefined) throw new NotNeeded('The browser is no longer notified.');
  const status = await post(deps, webPush.generateRequestDetails, subscription, notification);
  if (status >= 200 && status < 300) return;
  const reason = `The push service answered ${status || 'nothing'}.`;
  if (status < 400 || status > 499 || laterStatuses.has(status)) throw new MailRefused('later', reason);
  await db.deleteFrom('push_subscriptions').where('endpoint', '=', subscription.endpoint).execute();
  if (status === 404 || status === 410) throw new NotNeeded('The browser has ended its subscription.');
  throw new MailRefused('recipient', reason);
}

/** How many other notifications of a browser its service has not accepted so far. */
async function othersTriedAgain(
  { db }: MailContext,
  { id, user_id: userId }: MailRow,
  sessionId: string,
): Promise<number> {
  const waiting = db
    .selectFrom('mails')
    .where('user_id', '=', userId)
    .where('kind', '=', 'push')
    .where('state', '=', 'queued')
    .where('error', 'is not', null)
    .where('id', '<>', id)
    .where(dialectOf(db).positionIn(sql.ref('data'), sessionId), '>', 0);
  return await countRows(waiting);
}

/** The notification, from the current state. Throws {@link NotNeeded}. */
async function prepare(
  deps: MailContext,
  user: UserRow,
  about: { postId: string; commentId?: string | undefined },
): Promise<Notification> {
  const { title } = await mailSite(deps);
  const { commentId } = about;
  const comment = commentId === undefined ? undefined : await shownComment(deps, commentId);
  const postId = comment?.postId ?? about.postId;
  const unwanted = deps.db
    .selectFrom('posts')
    .select('id')
    .where('id', '=', postId)
    .where(isUnwanted(deps.db, user.id, sql.ref('posts.id')));
  if (comment === undefined && (await unwanted.executeTakeFirst()) !== undefined)
    throw new NotNeeded('They do not want one of its tags.');
  const viewer = await readerOf(deps, user);
  if (viewer.role === 'visitor') throw new NotNeeded('The account is not approved.');
  await readablePost(deps, viewer, postId);
  return comment === undefined
    ? { title, body: 'There is a new post', url: `/post/${postId}`, tag: postId }
    : { title, body: 'There is an answer', url: `/post/${postId}#comments`, tag: commentId ?? '' };
}

/**
 * The status of a push service's answer; 0 for no answer. Throws {@link MailRefused} if nothing can be
 * encrypted for the subscription.
 */
async function post(
  { config, secret, log, isAllowed = isPublic }: MailContext,
  details: typeof generateRequestDetails,
  { endpoint, p256dh, auth }: { endpoint: string; p256dh: string; auth: string },
  notification: Notification,
): Promise<number> {
  const subject = `mailto:noreply@${new URL(config.publicUrl).hostname}`;
  const write = () => {
    try {
      const vapidDetails = { subject, ...pushKeys(secret) };
      const options = { TTL: keptSeconds, vapidDetails };
      return details({ endpoint, keys: { p256dh, auth } }, JSON.stringify(notification), options);
    } catch (error) {
      throw new MailRefused('recipient', error instanceof Error ? error.message : String(error));
    }
  };
  const { headers, body } = write();
  try {
    const asking = { accept: '*/*', agent: 'Coterie', idleMs, wholeMs, isAllowed, isOfMembers: true };
    const answer = await askServer(new URL(endpoint), { ...asking, post: { headers, body } });
    answer.destroy();
    return answer.statusCode ?? 0;
  } catch (error) {
    log.warn({ err: error }, 'a push service could not be asked');
    return 0;
  }
}
