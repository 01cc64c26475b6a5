import { AppError, isFinal } from '../../../contract/errors.ts';
import { viewerOfUser } from '../../access/viewer.ts';
import { digestOf } from '../../base/secrets.ts';
import { inTransaction, unguarded } from '../../db/transaction.ts';
import { type Deps, internalInvocation } from '../../deps.ts';
import { noteOnce, takeAttempt } from '../../limits/attempts.ts';
import { accountOfBounce, noteBounce } from '../../mail/bounces.ts';
import { mailboxOf } from '../../mail/mailbox.ts';
import { findPostAddress, type PostAddress } from '../../mail/post-address.ts';
import { findReply, keysIn, type ReplyTo } from '../../mail/reply-address.ts';
import { queueMail } from '../../mail/write.ts';
import { invoke } from '../../operations.ts';
import { type IncomingMail, readMail } from './read-mail.ts';
import { takePost } from './take-post.ts';

/** For how long a report that comes again is known. */
const keptSeconds = 7 * 24 * 60 * 60;
/** So much of a mail is read, in bytes: as much as most providers take, and no longer one becomes a post. */
export const maxMailBytes = 25 * 1024 * 1024;
export const maxHeaderBytes = 64 * 1024;
const maxKeys = 20;
/** So many answers an hour are answered with why they became no comment. */
const refusalsPerHour = 5;

/**
 * What became of a mail: a comment, a post, an answer that says why it is none, a note that one came back, or
 * nothing.
 */
type Received = 'comment' | 'post' | 'refused' | 'bounce' | 'ignored';

/**
 * Takes a mail that came to an address of ours; `to` are addresses that the server names beside those in its
 * headers. The same mail again is the same comment or post. Automatic mails, and those without an address of
 * ours, are never answered. Throws only what a later try could mend.
 */
export async function receiveMail(
  deps: Deps,
  source: Uint8Array,
  to: readonly string[] = [],
): Promise<Received> {
  const { mailReplyAddress: template } = deps.config;
  if (template === undefined) return 'ignored';
  // Before anything of it is read: whoever knows no key of ours makes no work.
  const about = await findKey(deps, keysIn(template, [...to, headersOf(source)].join('\n')));
  if (about === undefined) return 'ignored';
  const mail = await readMail(source.subarray(0, maxMailBytes)).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'a mail could not be read');
  });
  if (mail === undefined) return 'ignored';
  if (about.bounced !== undefined) return await takeBounce(deps, mail, about.bounced);
  if (mail.isAutomatic) return 'ignored';
  return await takeWritten(deps, mail, { ...about, isWhole: source.length <= maxMailBytes }, template);
}

/** The headers of a mail, as far as they are read. */
function headersOf(source: Uint8Array): string {
  const start = Buffer.from(source.buffer, source.byteOffset, Math.min(source.length, maxHeaderBytes));
  return start.toString('latin1').split(/\r?\n\r?\n/, 1)[0] ?? '';
}

type Written = { reply: ReplyTo; post?: undefined } | { post: PostAddress };
type About = (Written & { bounced?: undefined }) | { bounced: string };

/** What the first of these keys that is ours is about; `bounced` is the account to which a mail came back. */
async function findKey(deps: Deps, keys: readonly string[]): Promise<About | undefined> {
  for (const key of new Set(keys.slice(0, maxKeys))) {
    const bounced = await accountOfBounce(deps, key);
    if (bounced !== undefined) return { bounced };
    const reply = await findReply(deps, key);
    if (reply !== undefined) return { reply };
    const post = await findPostAddress(deps, key);
    if (post !== undefined) return { post };
  }
  return undefined;
}

/** Makes a comment or a post of a mail, with the rights that its writer has at this moment. */
async function takeWritten(
  deps: Deps,
  mail: IncomingMail,
  to: Written & { isWhole: boolean },
  template: string,
): Promise<Received> {
  const { userId } = to.post ?? to.reply;
  const postId = to.post === undefined ? to.reply.postId : undefined;
  const key = digestOf(`${mail.messageId} ${mail.messageId === '' ? mail.words : ''} ${userId} ${postId}`);
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  // An address leaks when a mail is forwarded. Whoever has sent this hears nothing, nor does the account.
  if (mail.isForged || mail.from === '' || mailboxOf(mail.from) !== mailboxOf(viewer.user?.email ?? ''))
    return 'ignored';
  try {
    const call = internalInvocation(deps, { viewer, credential: null });
    refuseQuotedLinks(to.post === undefined ? mail.words : mail.text, template);
    if (to.post !== undefined) {
      if (!to.isWhole)
        throw new AppError('out-of-range', `Your email is larger than ${maxMailBytes / 1024 ** 2} MB.`);
      await takePost(call, mail, { ...to.post, key });
      return 'post';
    }
    const { commentId } = to.reply;
    if (mail.words === '')
      throw new AppError('invalid-argument', 'Your reply has no words of your own above the quoted text.');
    const answers = commentId === null ? {} : { parentId: commentId };
    await invoke('addComment', { postId: to.reply.postId, content: mail.words, key, ...answers }, call);
    return 'comment';
  } catch (error) {
    const isTooMuch = error instanceof AppError && error.code === 'resource-exhausted';
    if (!(error instanceof AppError) || !(isTooMuch || isFinal(error))) throw error;
    await tellRefusal(deps, { userId, postId, key, error: error.message, inReplyTo: mail.messageId });
    return 'refused';
  }
}

type Refusal = {
  userId: string;
  postId: string | undefined;
  key: string;
  error: string;
  inReplyTo: string;
};

/** Says once why a mail became no comment or post, and a few times an hour at most. */
async function tellRefusal(
  { db, clock }: Deps,
  { userId, postId, key, error, inReplyTo }: Refusal,
): Promise<void> {
  const hour = 60 * 60;
  const name = `refused replies ${userId}`;
  try {
    await takeAttempt({ db, clock }, { name, points: refusalsPerHour, seconds: hour });
  } catch (tooMany) {
    if (tooMany instanceof AppError) return;
    throw tooMany;
  }
  const data = { error, inReplyTo };
  const about = { userId, ...(postId !== undefined && { postId }) };
  await queueMail(db, clock(), { kind: 'refused-reply', ...about, once: `refused-reply:${key}`, data });
}

/** Throws for words that still quote a mail of ours: it holds links that are its reader's alone. */
function refuseQuotedLinks(words: string, template: string): void {
  if (words.includes('/unsubscribe?token=') || keysIn(template, words).length > 0)
    throw new AppError(
      'invalid-argument',
      'Your email still quotes one of ours. Please delete the quoted text and send it again.',
    );
}

/** Notes that a mail to an account came back, each report once. */
async function takeBounce(
  deps: Deps,
  { bounce, messageId }: IncomingMail,
  userId: string,
): Promise<Received> {
  if (bounce === undefined) return 'ignored';
  const { clock } = deps;
  await inTransaction({ db: deps.db, ...unguarded }, async db => {
    const isNew = await noteOnce({ db, clock }, `bounce ${userId} ${messageId}`, keptSeconds);
    if (isNew) await noteBounce(db, clock(), { userId, ...bounce });
  });
  return 'bounce';
}
