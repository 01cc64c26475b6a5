import { AppError, isFinal } from '../../../contract/errors.ts';
import { viewerOfUser } from '../../access/viewer.ts';
import { digestOf } from '../../base/secrets.ts';
import { type Deps, internalInvocation } from '../../deps.ts';
import { noteOnce } from '../../limits/attempts.ts';
import { accountOfBounce, noteBounce } from '../../mail/bounces.ts';
import { mailboxOf } from '../../mail/mailbox.ts';
import { findReply, keyIn, type ReplyTo } from '../../mail/reply-address.ts';
import { queueMail } from '../../mail/write.ts';
import { invoke } from '../../operations.ts';
import { type IncomingMail, readMail } from './read-mail.ts';

/** For how long a report that comes again is known. */
const keptSeconds = 7 * 24 * 60 * 60;
/** Larger mails are not read: nobody answers with so much. Bytes. */
export const maxMailBytes = 25 * 1024 * 1024;

/**
 * What became of a mail: a comment, an answer that says why it is none, a note that one came back, or
 * nothing.
 */
type Received = 'comment' | 'refused' | 'bounce' | 'ignored';

/**
 * Takes a mail that came to an address of ours; `to` are addresses that the server names beside those in its
 * headers. The same mail again is the same comment. What a program has sent, and what has no address of ours,
 * is answered never. Throws only what a later try could mend.
 */
export async function receiveMail(
  deps: Deps,
  source: Uint8Array,
  to: readonly string[] = [],
): Promise<Received> {
  const { mailReplyAddress: template } = deps.config;
  if (template === undefined || source.length > maxMailBytes) return 'ignored';
  const mail = await readMail(source).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'a mail could not be read');
  });
  if (mail === undefined) return 'ignored';
  const keys = new Set([...to, ...mail.to].flatMap(address => keyIn(template, address) ?? []));
  if (mail.bounce !== undefined) return await takeBounce(deps, mail, keys);
  if (mail.isAutomatic) return 'ignored';
  for (const key of keys) {
    const about = await findReply(deps, key);
    if (about !== undefined) return await takeReply(deps, mail, about);
  }
  return 'ignored';
}

/** Makes a comment of an answer, with the rights that its writer has at this moment. */
async function takeReply(deps: Deps, mail: IncomingMail, about: ReplyTo): Promise<Received> {
  const { userId, postId, commentId } = about;
  const key = digestOf(`${mail.messageId} ${mail.messageId === '' ? mail.words : ''} ${userId} ${postId}`);
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  try {
    requireOwn(mail, viewer.user?.email ?? '');
    const input = { postId, content: mail.words, key, ...(commentId !== null && { parentId: commentId }) };
    await invoke('addComment', input, internalInvocation(deps, { viewer, credential: null }));
    return 'comment';
  } catch (error) {
    const isTooMuch = error instanceof AppError && error.code === 'resource-exhausted';
    if (!(error instanceof AppError) || !(isTooMuch || isFinal(error))) throw error;
    await queueMail(deps.db, deps.clock(), {
      kind: 'refused-reply',
      userId,
      // One answer to each mail, however often it comes.
      once: `refused-reply:${key}`,
      data: { error: error.message, inReplyTo: mail.messageId },
    });
    return 'refused';
  }
}

/** Notes that a mail to an account came back, each report once. */
async function takeBounce(
  { db, clock, secret }: Deps,
  { bounce, messageId }: IncomingMail,
  keys: ReadonlySet<string>,
): Promise<Received> {
  for (const key of keys) {
    const userId = accountOfBounce(secret, key);
    if (userId === undefined || bounce === undefined) continue;
    const isNew = await noteOnce({ db, clock }, `bounce ${userId} ${messageId}`, keptSeconds);
    if (isNew) await noteBounce(db, clock(), { userId, ...bounce });
    return 'bounce';
  }
  return 'ignored';
}

/**
 * Throws for a mail that its account has not sent, as far as can be told: an address leaks when a mail is
 * forwarded.
 */
function requireOwn({ from, isForged, words }: IncomingMail, email: string): void {
  if (isForged || email === '' || mailboxOf(from) !== mailboxOf(email))
    throw new AppError('permission-denied', 'It did not come from the email address of your account.');
  if (words === '') throw new AppError('invalid-argument', 'It holds no words above what it quotes.');
}
