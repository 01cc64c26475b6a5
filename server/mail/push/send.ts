import { type Selectable, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { askServer, isPublic } from '../../base/outgoing.ts';
import type { MailRow, Tables, UserRow } from '../../db/tables.ts';
import type { MailContext } from '../context.ts';
import { mailSite } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { MailRefused } from '../transport.ts';
import { readablePost, readerOf, shownComment } from '../wishes/prepare.ts';
import { isUnwanted } from '../wishes/unwanted.ts';
import type { MailData } from '../write.ts';
import { pushKeys } from './keys.ts';

/** A push service keeps a notification for a browser that is away for so long. Seconds. */
const keptSeconds = 24 * 60 * 60;
const idleMs = 5_000;
const wholeMs = 10_000;

/** What a browser shows: on a lock screen anybody may read it. `tag`: the same again replaces it. */
type Notification = { title: string; body: string; url: string; tag: string };

/**
 * Notifies the browsers of an account of a post or an answer, as far as it may read that when each of them is
 * told. Subscriptions that have ended are removed. Throws {@link NotNeeded}, and {@link MailRefused} if one
 * is to be told later.
 */
export async function sendPush(deps: MailContext, row: MailRow): Promise<void> {
  const { db } = deps;
  const userId = row.user_id ?? '';
  const user = await db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();
  if (user === undefined) throw new NotNeeded('The account no longer exists.');
  const subscriptions = await db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('user_id', '=', userId)
    .execute();
  if (subscriptions.length === 0) throw new NotNeeded('No browser of the account is notified.');
  let failure: string | undefined;
  for (const subscription of subscriptions) {
    const notification = await prepare(deps, user, row);
    // Its session may have ended meanwhile, or have run out, which the sweep notices later.
    const open = db
      .selectFrom('push_subscriptions')
      .innerJoin('sessions', 'sessions.id', 'session_id')
      .select('session_id')
      .where('session_id', '=', subscription.session_id)
      .where('endpoint', '=', subscription.endpoint)
      .where('expires_at', '>', moment(deps.clock()));
    if ((await open.executeTakeFirst()) === undefined) continue;
    const status = await post(deps, subscription, notification);
    if (status === 404 || status === 410)
      await db.deleteFrom('push_subscriptions').where('endpoint', '=', subscription.endpoint).execute();
    else if (status < 200 || status > 299) failure = `The push service answered ${status || 'nothing'}.`;
  }
  if (failure !== undefined) throw new MailRefused('later', failure);
}

/** The notification, from what holds at this moment. Throws {@link NotNeeded}. */
async function prepare(deps: MailContext, user: UserRow, row: MailRow): Promise<Notification> {
  const { title } = await mailSite(deps);
  const { commentId } = JSON.parse(row.data) as MailData;
  const comment = commentId === undefined ? undefined : await shownComment(deps, commentId);
  const postId = comment?.postId ?? row.post_id ?? '';
  const unwanted = deps.db
    .selectFrom('posts')
    .select('id')
    .where('id', '=', postId)
    .where(eb => eb.or([eb('author_id', '=', user.id), isUnwanted(deps.db, user.id, sql.ref('posts.id'))]));
  if (comment === undefined && (await unwanted.executeTakeFirst()) !== undefined)
    throw new NotNeeded('They wrote the post, or do not want one of its tags.');
  const viewer = await readerOf(deps, user);
  if (viewer.role === 'visitor') throw new NotNeeded('The account is not approved.');
  await readablePost(deps, viewer, postId);
  return comment === undefined
    ? { title, body: 'There is a new post', url: `/post/${postId}`, tag: postId }
    : { title, body: 'There is an answer', url: `/post/${postId}#comments`, tag: commentId ?? '' };
}

/** The status with which a push service answers; 0 where it does not. */
async function post(
  { config, secret, log, isAllowed = isPublic }: MailContext,
  { endpoint, p256dh, auth }: Selectable<Tables['push_subscriptions']>,
  notification: Notification,
): Promise<number> {
  // Loaded here: most sites notify nobody.
  const { default: webPush } = await import('web-push');
  const subject = `mailto:noreply@${new URL(config.publicUrl).hostname}`;
  try {
    const { headers, body } = webPush.generateRequestDetails(
      { endpoint, keys: { p256dh, auth } },
      JSON.stringify(notification),
      { TTL: keptSeconds, vapidDetails: { subject, ...pushKeys(secret) } },
    );
    const asking = { accept: '*/*', agent: 'Coterie', idleMs, wholeMs, isAllowed };
    const answer = await askServer(new URL(endpoint), { ...asking, post: { headers, body } });
    answer.destroy();
    return answer.statusCode ?? 0;
  } catch (error) {
    log.warn({ err: error }, 'a push service could not be asked');
    return 0;
  }
}
