import { sql } from 'kysely';
import { formatDateTime } from '../../contract/date.ts';
import { AppError } from '../../contract/errors.ts';
import { isUnproven, roleOfUser, type Viewer, viewerOfUser } from '../access/viewer.ts';
import { dayMs, hourMs } from '../base/clock.ts';
import { signInCode } from '../base/secrets.ts';
import type { MailRow, UserRow } from '../db/tables.ts';
import { takeAttempt } from '../limits/attempts.ts';
import { getPost, textOfPost } from '../posts/read.ts';
import { bounceAddress, pauseOf } from './bounces.ts';
import {
  approvedMail,
  backupFailedMail,
  confirmMail,
  invitationMail,
  type Mail,
  postMail,
  refusedReplyMail,
  resetMail,
  signInMail,
  type WaitingPerson,
  waitingMail,
} from './compose.ts';
import type { MailContext } from './context.ts';
import { waitingUsers } from './digest.ts';
import { audienceOf, type MailSite, mailSite } from './letter.ts';
import { listHeaders, unsubscribeLink } from './links.ts';
import { mailboxOf } from './mailbox.ts';
import { NotNeeded } from './not-needed.ts';
import { noticeMail } from './notices.ts';
import { replyAddressFor } from './reply-address.ts';
import { picturesOf, wholePost } from './whole-post.ts';
import { digestMail } from './wishes/compose.ts';
import { postsOfDigest } from './wishes/digests.ts';
import { prepareCommentMail, prepareReportedMail, requireAdmin, withStop } from './wishes/prepare.ts';
import { prepareAskedMail, prepareLetInMail } from './wishes/prepare-requests.ts';
import { isNewsFor } from './wishes/unwanted.ts';
import type { MailData } from './write.ts';

/**
 * So many mails an hour are sent to a mailbox of an account that waits for approval and has not confirmed its
 * address.
 */
const mailsToStranger = 10;

/** A mail that waits until `dueAt`, in milliseconds since 1970. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly dueAt: number;

  constructor(dueAt: number) {
    super('Its mailbox has been sent enough for now.');
    this.dueAt = dueAt;
  }
}

/**
 * Writes a queued mail from what holds at this moment: who may read, who is subscribed, who waits. Throws
 * {@link NotNeeded} when it must not be sent (decisions.md 28), {@link NotYet} when it has to wait.
 */
export async function prepareMail(deps: MailContext, row: MailRow): Promise<Mail> {
  const data = JSON.parse(row.data) as MailData;
  // First, so that nothing is awaited after the rights have been asked.
  const site = await mailSite(deps);
  if (row.kind === 'invitation') return { id: row.id, ...(await invitation(deps, site, data)) };
  if (row.kind === 'sign-in') return { id: row.id, ...(await signInLink(deps, site, row, data)) };
  const user = await deps.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', row.user_id ?? '')
    .executeTakeFirst();
  if (user === undefined) throw new NotNeeded('The account no longer exists.');
  const address = data.to ?? user.email;
  // Anybody may have signed up with an address that nobody has proved: what they call themselves goes there
  // in no mail.
  const isOwn = address === user.email;
  const isProven = isOwn && !isUnproven(user);
  const to = { name: isProven ? user.name : '', address };
  // Somebody who signs in again and again would flood a stranger's mailbox.
  if (data.notice === 'new-sign-in' && !isProven)
    throw new NotNeeded('Nobody has shown that they read this mailbox.');
  // Mails about posts are not sent to such an address at all.
  if (row.kind !== 'post' && row.kind !== 'digest') await limitMailToStranger(deps, row, user, to.address);
  // What somebody asks for, and what an owner must hear of, is tried all the same.
  const isAwaited = row.kind === 'confirm' || row.kind === 'reset' || row.kind === 'notice';
  if (!isAwaited && isOwn && (await pauseOf(deps.db, user.id)) !== undefined)
    throw new NotNeeded('Mails to this address came back: sending to it is paused.');
  const returnPath = isOwn ? bounceAddress(deps, user.id) : undefined;
  const plain = { id: row.id, to, ...(returnPath !== undefined && { returnPath }) };
  switch (row.kind) {
    case 'post': {
      const unsubscribe = unsubscribeLink(deps, user.id);
      const headers = { ...listHeaders(deps, 'posts', unsubscribe), Precedence: 'bulk' };
      const postId = row.post_id ?? '';
      const written = await newPost(deps, site, user, { postId, unsubscribe });
      return { ...plain, headers, ...written, postIds: [postId] };
    }
    case 'reset':
      return { ...plain, ...resetMail(site, data.token ?? '') };
    case 'confirm':
      return {
        ...plain,
        ...confirmMail(site, {
          token: data.token ?? '',
          username: user.display_username,
          isChange: to.address !== user.email,
        }),
      };
    case 'notice': {
      if (data.notice === undefined) throw new NotNeeded('It tells of nothing.');
      const username = user.display_username;
      return { ...plain, ...noticeMail(site, data.notice, { username, isProven, ...data }) };
    }
    case 'approved':
      if (user.status !== 'approved') throw new NotNeeded('The account is no longer approved.');
      return { ...plain, ...approvedMail(site, user.display_username) };
    case 'waiting': {
      await requireAdmin(deps, user, 'waiting');
      const { people, count } = await waiting(deps);
      if (count === 0) throw new NotNeeded('Nobody is waiting any more.');
      const write = (stop: string) => waitingMail(site, { people, count, stop });
      return { ...plain, ...withStop(deps, user, 'waiting', write) };
    }
    case 'digest': {
      const unsubscribe = unsubscribeLink(deps, user.id);
      const headers = listHeaders(deps, 'posts', unsubscribe);
      return { ...plain, headers, ...(await digest(deps, site, user, { ...data, unsubscribe })) };
    }
    case 'comment':
      return { ...plain, ...(await prepareCommentMail(deps, site, user, data)) };
    case 'refused-reply': {
      if (user.status === 'denied') throw new NotNeeded('The account is denied.');
      const { error = '', inReplyTo = '' } = data;
      const headers = {
        'Auto-Submitted': 'auto-replied',
        ...(inReplyTo !== '' && { 'In-Reply-To': inReplyTo, References: inReplyTo }),
      };
      return { ...plain, headers, ...refusedReplyMail(site, error) };
    }
    case 'asked':
      return { ...plain, ...(await prepareAskedMail(deps, site, user)) };
    case 'let-in':
      return { ...plain, ...(await prepareLetInMail(deps, site, user, row.post_id ?? '')) };
    case 'reported':
      return { ...plain, ...(await prepareReportedMail(deps, site, user)) };
    case 'backup-failed': {
      if ((await roleOfUser(deps.db, user.id)) !== 'admin')
        throw new NotNeeded('The account has no rights of an admin.');
      const { error = '', last } = data;
      const day = last && formatDateTime(last, { ...site, dateLanguage: 'en-US' });
      return { ...plain, ...backupFailedMail(site, { error, last: day }) };
    }
  }
}

/**
 * Lets a mail wait whose address may be a stranger's if its mailbox has been sent enough within the hour:
 * nobody has approved the account, and nobody has shown that they read the mailbox. Somebody could sign up
 * with the address, delete the account, and begin again. Links that open the account are counted apart: who
 * reads the mailbox asks for them, and what else happens to the account must not use them up.
 */
async function limitMailToStranger(
  deps: MailContext,
  { error, kind }: MailRow,
  { status, email_verified }: Pick<UserRow, 'status' | 'email_verified'>,
  address: string,
): Promise<void> {
  // One that is tried again was counted the first time.
  if (status !== 'pending' || email_verified || error !== null) return;
  const what = kind === 'reset' || kind === 'sign-in' ? 'links' : 'mails';
  const bucket = {
    name: `${what} to ${mailboxOf(address)}`,
    points: mailsToStranger,
    seconds: hourMs / 1_000,
  };
  try {
    await takeAttempt(deps, bucket);
  } catch (refusal) {
    if (!(refusal instanceof AppError)) throw refusal;
    throw new NotYet(deps.clock() + Number(refusal.details?.retryAfterSeconds ?? 0) * 1_000);
  }
}

async function invitation(deps: MailContext, site: MailSite, { invitationId = '', token = '' }: MailData) {
  const { db, clock } = deps;
  const row = await db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.created_by')
    .select(['invitations.name', 'invitations.email', 'expires_at', 'display_username as inviter'])
    .where('invitations.id', '=', invitationId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', clock())
    .where('is_admin', '=', true)
    .executeTakeFirst();
  if (row === undefined) throw new NotNeeded('The invitation is not open any more.');
  const days = Math.ceil((row.expires_at - clock()) / dayMs);
  const to = { name: row.name ?? '', address: row.email ?? '' };
  return { to, ...invitationMail(site, { name: row.name, inviter: row.inviter, token, days }) };
}

async function signInLink(
  deps: MailContext,
  site: MailSite,
  mail: MailRow,
  { linkDigest = '', token = '', next }: MailData,
) {
  const { db, clock } = deps;
  const row = await db
    .selectFrom('email_links')
    .innerJoin('users', 'users.id', 'email_links.user_id')
    .select(['users.name', 'users.status', 'users.email_verified', 'users.is_admin', 'email_links.email'])
    .where('digest', '=', linkDigest)
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  if (row === undefined) throw new NotNeeded('Nobody has this address, or the link has ended.');
  await limitMailToStranger(deps, mail, row, row.email);
  const to = { name: isUnproven(row) ? '' : row.name, address: row.email };
  const code = isUnproven(row) ? null : signInCode(deps.secret, linkDigest);
  return { to, ...signInMail(site, { token, next, code }) };
}

/** The viewer that a subscriber is at this moment. Throws {@link NotNeeded} for nobody who is to be told. */
async function subscriber(deps: MailContext, user: UserRow): Promise<{ viewer: Viewer; isWhole: boolean }> {
  const subscription = await deps.db
    .selectFrom('subscriptions')
    .leftJoin('invitation_uses', 'invitation_uses.user_id', 'subscriptions.user_id')
    .select(['invitation_id', 'is_whole'])
    .where('subscriptions.user_id', '=', user.id)
    .executeTakeFirst();
  if (subscription === undefined) throw new NotNeeded('Unsubscribed.');
  if (user.status === 'denied') throw new NotNeeded('The account is denied.');
  // Anybody can sign up with somebody else's address: it gets no mail about posts until an admin has approved
  // the account, which nobody has who came by an invitation, or its owner has confirmed the address.
  const isDecided = user.status === 'approved' && subscription.invitation_id === null;
  if (!isDecided && !user.email_verified) throw new NotNeeded('The address is not confirmed.');
  // Who may read it is decided now.
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
  return { viewer, isWhole: Boolean(subscription.is_whole) };
}

/** New posts since the digest before, as far as its reader may read them when it is sent. */
async function digest(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  { since = 0, until = 0, unsubscribe }: MailData & { unsubscribe: string },
) {
  const { viewer } = await subscriber(deps, user);
  const { posts, hasMore } = await postsOfDigest(deps, viewer, { since, until });
  if (posts.length === 0) throw new NotNeeded('There is no new post for this account.');
  const told = [];
  for (const post of posts) told.push({ post, audience: await audienceOf(deps, post) });
  const postIds = posts.map(({ id }) => id);
  return { ...digestMail(site, { posts: told, hasMore, unsubscribe }), postIds };
}

async function newPost(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  { postId, unsubscribe }: { postId: string; unsubscribe: string },
) {
  try {
    const first = await subscriber(deps, user);
    // First, because reading them takes time: what is sent is decided afterwards.
    const pictures = first.isWhole
      ? await picturesOf(deps, first.viewer, await getPost(deps, first.viewer, postId))
      : undefined;
    const { viewer, isWhole } = pictures === undefined ? first : await subscriber(deps, user);
    const news = deps.db.selectFrom('posts').select('id').where('id', '=', postId);
    const isNews = news.where(isNewsFor(deps.db, user.id, sql.ref('posts.id')));
    if ((await isNews.executeTakeFirst()) === undefined)
      throw new NotNeeded('They were told of the post before, or want none of its tags.');
    const { text, isBeginning } = await textOfPost(deps, viewer, postId);
    const replyTo = await replyAddressFor(deps, viewer, { postId, commentId: null });
    const post = await getPost(deps, viewer, postId);
    const audience = await audienceOf(deps, post);
    const held = isWhole && !isBeginning ? pictures : undefined;
    const whole = held && wholePost(post, held, site.publicUrl);
    return {
      ...postMail(site, post, { text, whole, unsubscribe, audience, canReply: replyTo !== undefined }),
      ...(replyTo !== undefined && { replyTo }),
      pictures: [...(held?.values() ?? [])].filter(({ cid }) => whole?.includes(cid)),
    };
  } catch (error) {
    const isRefused = error instanceof AppError && ['permission-denied', 'not-found'].includes(error.code);
    if (isRefused) throw new NotNeeded('The post is not shared with this account.');
    throw error;
  }
}

/** Usernames that a digest names. */
const namedInDigest = 10;

async function waiting(deps: MailContext): Promise<{ people: WaitingPerson[]; count: number }> {
  const pending = waitingUsers(deps);
  const { count } = await pending
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const people = await pending
    .select(['display_username as username', 'introduction'])
    .orderBy('created_at', 'desc')
    .limit(namedInDigest)
    .execute();
  return { people, count };
}
