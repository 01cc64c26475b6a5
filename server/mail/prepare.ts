import { formatDateTime } from '../../contract/date.ts';
import { isUnproven, roleOfUser } from '../access/viewer.ts';
import { waitingUsers } from '../access/waiting-users.ts';
import { dayMs, hourMs } from '../base/clock.ts';
import { digestOf, signInCode } from '../base/secrets.ts';
import { countRows } from '../db/count-rows.ts';
import type { MailRow, UserRow } from '../db/tables.ts';
import { isTooMany, takeAttempt } from '../limits/attempts.ts';
import { bounceAddress, pauseOf } from './bounces.ts';
import {
  approvedMail,
  authorMail,
  backupFailedMail,
  confirmMail,
  invitationMail,
  type Mail,
  refusedReplyMail,
  resetMail,
  signInMail,
  type WaitingPerson,
  waitingMail,
} from './compose.ts';
import { type Contents, contentOf } from './contents.ts';
import type { MailContext } from './context.ts';
import { type MailSite, mailSite } from './letter.ts';
import { mailboxOf } from './mailbox.ts';
import { NotNeeded, NotYet } from './not-needed.ts';
import { noticeMail } from './notices.ts';
import { type PostMail, prepareDigest, prepareNewPost } from './prepare-posts.ts';
import { prepareCommentMail, prepareReportedMail, requireAdmin, withStop } from './wishes/prepare.ts';
import { prepareAskedMail, prepareLetInMail } from './wishes/prepare-requests.ts';
import { prepareTagsGiven } from './wishes/tags-given.ts';

/** The most mails an hour to the mailbox of a pending account with an unconfirmed address. */
const mailsToStranger = 10;

/**
 * Writes a queued mail from the current state: who may read, who is subscribed, who waits. Throws
 * {@link NotNeeded} if it must not be sent (decision 28), {@link NotYet} if it must wait.
 */
export async function prepareMail(deps: MailContext, row: MailRow): Promise<Mail> {
  // First: a slow query of settings must not come between the check of rights and the mail.
  const site = await mailSite(deps);
  const { id, kind } = row;
  if (kind === 'invitation') return { id, ...(await invitation(deps, site, contentOf(row, 'invitation'))) };
  if (kind === 'sign-in') return { id, ...(await signInLink(deps, site, row)) };
  const notice = kind === 'notice' ? contentOf(row, 'notice') : undefined;
  if (notice?.notice === 'account-deleted') {
    const words = noticeMail(site, notice.notice, { ...notice, isProven: true });
    return { id, to: { name: '', address: notice.to }, ...words };
  }
  const user = await deps.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', row.user_id ?? '')
    .executeTakeFirst();
  if (user === undefined) throw new NotNeeded('The account no longer exists.');
  const address = notice?.to ?? (kind === 'confirm' ? contentOf(row, 'confirm').to : user.email);
  // Anybody may have signed up with an unproven address: their chosen names are not mailed there.
  const isOwn = address === user.email;
  const isProven = isOwn && !isUnproven(user);
  // Somebody who signs in repeatedly would flood a stranger's mailbox.
  if (notice?.notice === 'new-sign-in' && !isProven)
    throw new NotNeeded('Nobody has shown that they read this mailbox.');
  await refuseSending(deps, row, user, address);
  const returnPath = isOwn ? bounceAddress(deps, user) : undefined;
  return {
    id,
    to: { name: isProven ? user.name : '', address },
    ...(returnPath !== undefined && { returnPath }),
    ...(await wordsOf(deps, site, user, row, { isOwn, isProven })),
  };
}

/** Throws {@link NotNeeded} or {@link NotYet} if this address must get no mail, whatever its content. */
async function refuseSending(deps: MailContext, row: MailRow, user: UserRow, address: string): Promise<void> {
  // Mails about posts are never sent to such an address.
  if (row.kind !== 'post' && row.kind !== 'digest' && row.kind !== 'opened')
    await limitMailToStranger(deps, row, user, address);
  // Mails that somebody asks for, and notices that an owner must get, are tried all the same.
  const ignoresPause = row.kind === 'confirm' || row.kind === 'reset' || row.kind === 'notice';
  if (!ignoresPause && address === user.email && (await pauseOf(deps.db, user.id)) !== undefined)
    throw new NotNeeded('Mails to this address came back: sending to it is paused.');
}

async function wordsOf(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  row: MailRow,
  { isOwn, isProven }: { isOwn: boolean; isProven: boolean },
): Promise<PostMail> {
  const username = user.display_username;
  switch (row.kind) {
    case 'post':
      return await prepareNewPost(deps, site, user, row.post_id ?? '');
    case 'reset': {
      const { token, next } = contentOf(row, 'reset');
      const link = deps.db
        .selectFrom('email_links')
        .select('digest')
        .where('digest', '=', digestOf(token))
        .where('expires_at', '>', deps.clock());
      if ((await link.executeTakeFirst()) === undefined) throw new NotNeeded('The link has ended.');
      return resetMail(site, token, next);
    }
    case 'confirm':
      return confirmMail(site, { token: contentOf(row, 'confirm').token, username, isChange: !isOwn });
    case 'notice': {
      const content = contentOf(row, 'notice');
      return noticeMail(site, content.notice, { username, ...content, isProven });
    }
    case 'approved':
      if (contentOf(row, 'approved').isAuthor) {
        if (!user.is_author) throw new NotNeeded('The account is no longer an author.');
        return authorMail(site, username);
      }
      if (user.status !== 'approved') throw new NotNeeded('The account is no longer approved.');
      return approvedMail(site, username);
    case 'waiting': {
      const { people, count } = await waiting(deps);
      if (count === 0) throw new NotNeeded('Nobody is waiting any more.');
      await requireAdmin(deps, user, 'waiting');
      const write = (stop: string) => waitingMail(site, { people, count, stop });
      return withStop(deps, user, 'waiting', write);
    }
    case 'digest':
      return await prepareDigest(deps, site, user, contentOf(row, 'digest'));
    case 'comment':
      return await prepareCommentMail(deps, site, user, contentOf(row, 'comment'));
    case 'refused-reply': {
      if (user.status === 'denied') throw new NotNeeded('The account is denied.');
      const { error, isAdded, inReplyTo } = contentOf(row, 'refused-reply');
      const headers = {
        'Auto-Submitted': 'auto-replied',
        ...(inReplyTo !== '' && { 'In-Reply-To': inReplyTo, References: inReplyTo }),
      };
      return { headers, ...refusedReplyMail(site, { reason: error, postId: row.post_id, isAdded }) };
    }
    case 'asked':
      return await prepareAskedMail(deps, site, user);
    case 'let-in':
      return await prepareLetInMail(deps, site, user, row.post_id ?? '');
    case 'opened':
      return await prepareTagsGiven(deps, site, user, row);
    case 'invitation':
    case 'sign-in':
    case 'push':
      throw new Error(`A mail of kind ${row.kind} is prepared elsewhere.`);
    case 'reported':
      return await prepareReportedMail(deps, site, user);
    case 'backup-failed': {
      if ((await roleOfUser(deps.db, user.id)) !== 'admin')
        throw new NotNeeded('The account has no rights of an admin.');
      const { error, last } = contentOf(row, 'backup-failed');
      const day = last && formatDateTime(last, { ...site, dateLanguage: 'en-US' });
      return backupFailedMail(site, { error, last: day });
    }
  }
}

/**
 * Delays a mail to an address that may be a stranger's if its mailbox got enough within the hour: the account
 * is not approved, and nobody has proved to read the mailbox. Somebody could sign up with the address, delete
 * the account, and begin again. Links that open the account are counted apart: the mailbox's reader asks for
 * them, and other events of the account must not use them up.
 */
async function limitMailToStranger(
  deps: MailContext,
  { error, kind }: MailRow,
  { status, email_verified }: Pick<UserRow, 'status' | 'email_verified'>,
  address: string,
): Promise<void> {
  // A retried mail was counted the first time.
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
    if (!isTooMany(refusal)) throw refusal;
    throw new NotYet(deps.clock() + Number(refusal.details?.retryAfterSeconds ?? 0) * 1_000);
  }
}

async function invitation(
  deps: MailContext,
  site: MailSite,
  { invitationId, token }: Contents['invitation'],
) {
  const { db, clock } = deps;
  const row = await db
    .selectFrom('invitations')
    .innerJoin('users', 'users.id', 'invitations.created_by')
    .select(['invitations.name', 'invitations.email', 'expires_at'])
    .select(['users.name as inviterName', 'display_username as inviterUsername'])
    .where('invitations.id', '=', invitationId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', clock())
    .where('is_admin', '=', true)
    .executeTakeFirst();
  if (row === undefined) throw new NotNeeded('The invitation is not open any more.');
  const days = Math.ceil((row.expires_at - clock()) / dayMs);
  const to = { name: row.name ?? '', address: row.email ?? '' };
  const inviter = row.inviterName || row.inviterUsername;
  return { to, ...invitationMail(site, { name: row.name, inviter, token, days }) };
}

async function signInLink(deps: MailContext, site: MailSite, mail: MailRow) {
  const { db, clock } = deps;
  const { linkDigest, token, next } = contentOf(mail, 'sign-in');
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

/** The most usernames in a digest. */
const namedInDigest = 10;

async function waiting(deps: MailContext): Promise<{ people: WaitingPerson[]; count: number }> {
  const pending = waitingUsers(deps);
  const count = await countRows(pending);
  const people = await pending
    .select(['display_username as username', 'introduction'])
    .orderBy('created_at', 'desc')
    .limit(namedInDigest)
    .execute();
  return { people, count };
}
