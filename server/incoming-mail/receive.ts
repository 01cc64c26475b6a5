import { AppError } from '../../contract/errors.ts';
import { viewerOfUser } from '../access/viewer.ts';
import { digestOf } from '../base/secrets.ts';
import { isRemembered, markOnce, remember } from '../db/marks.ts';
import { inTransaction, unguarded } from '../db/transaction.ts';
import type { Deps, UnguardedInvocation } from '../deps.ts';
import { isTooMany, returnAttempt, takeAttempt } from '../limits/attempts.ts';
import { accountOfBounce, noteBounce } from '../mail/bounces.ts';
import { mailboxOf } from '../mail/mailbox.ts';
import { findPostAddress, type PostAddress } from '../mail/post-address.ts';
import { findReply, keysIn, type ReplyTo } from '../mail/reply-address.ts';
import { queueMail } from '../mail/write.ts';
import { refuseTooLong } from '../markdown/bounds.ts';
import { internalInvocation, invoke } from '../operations.ts';
import { unreadable } from './own-words.ts';
import { headersOf, type MailHead, readHead } from './read-head.ts';
import { type IncomingMail, readMail, type WordsAsked } from './read-mail.ts';
import { isRefusal, takePost } from './take-post.ts';

/** How long a repeated bounce is recognised. */
const keptSeconds = 7 * 24 * 60 * 60;
/** How long a mail that became a comment or a post is recognised: as long as it can be answered. */
const takenSeconds = 365 * 24 * 60 * 60;
/** The largest mail that is read, in bytes: what most providers accept. A longer one becomes no post. */
export const maxMailBytes = 25 * 1024 * 1024;
/**
 * How much of a bounce is read, in bytes: its report comes before the mail that came back. The worst of 1 MiB
 * takes the worker ten seconds, of 64 KiB up to one.
 */
const maxBounceBytes = 64 * 1024;
/** The most bounces of one account that are read in an hour: three pause its mails. */
const bouncesPerHour = 10;
const maxKeys = 20;
/** The most mails of one account that are read in an hour: each may take seconds, for which others wait. */
const readPerHour = 60;
const refusalsPerHour = 5;

/** The result of a mail: a comment, a post, a mailed refusal, a recorded bounce, or nothing. */
type Received = 'comment' | 'post' | 'refused' | 'bounce' | 'ignored';

/**
 * Receives a mail to one of our addresses; `to` are addresses that the server names besides those in its
 * headers. The same mail again changes nothing, also if its comment or post was deleted. Automatic mails, and
 * those without an address of ours, are never answered. Throws only errors that a later attempt could avoid.
 */
export async function receiveMail(
  deps: Deps,
  source: Uint8Array,
  to: readonly string[] = [],
): Promise<Received> {
  const mail = await recognise(deps, source, to);
  if (mail === undefined) return 'ignored';
  if (mail.bounced !== undefined) return await takeBounce(deps, source, mail);
  const became = mail.post === undefined ? 'comment' : 'post';
  const taken = `taken mail ${mail.key}`;
  if (await isRemembered(deps, taken)) return became;
  const bucket = { name: `mails of ${mail.userId}`, points: readPerHour, seconds: 60 * 60 };
  try {
    await takeAttempt(deps, bucket);
    if (mail.post === undefined) await takeReply(deps, source, mail);
    else await takePostMail(deps, source, mail);
    // If the process ends before, the key of the comment or post still finds it.
    await remember(deps, taken, takenSeconds);
    return became;
  } catch (error) {
    if (!isRefusal(error)) {
      // It comes again.
      await returnAttempt(deps, bucket);
      throw error;
    }
    await tellWriter(deps, mail, error.message);
    return 'refused';
  }
}

/** Tells the writer of a mail that it cannot be received, however often it is tried. */
export async function giveUpMail(deps: Deps, source: Uint8Array): Promise<void> {
  const mail = await recognise(deps, source, []);
  if (mail !== undefined && mail.bounced === undefined)
    await tellWriter(deps, mail, 'Your email could not be read. Please write it on the site.');
}

type Reply = { reply: ReplyTo; post?: undefined; bounced?: undefined };
type ForPost = { post: PostAddress; reply?: undefined; bounced?: undefined };
/** `bounced` is the account that our mail bounced from. */
type Bounce = { bounced: string };
/** A mail whose sender may use its address. The same mail again has the same key. */
type Written = { head: MailHead; userId: string; key: string; template: string };

/**
 * The meaning of a mail by its headers alone; undefined for one that is ignored. The body is read only if key
 * and sender match.
 */
async function recognise(
  deps: Deps,
  source: Uint8Array,
  to: readonly string[],
): Promise<(Bounce & { head: MailHead }) | (Written & (Reply | ForPost)) | undefined> {
  const { mailReplyAddress: template } = deps.config;
  if (template === undefined) return undefined;
  const headers = headersOf(source);
  const about = await findKey(deps, keysIn(template, [...to, headers.toString('latin1')].join('\n')));
  if (about === undefined) return undefined;
  const head = await readHead(headers);
  if (about.bounced !== undefined) return { ...about, head };
  if (head.isAutomatic) return undefined;
  const { userId } = about.post ?? about.reply;
  const account = deps.db.selectFrom('users').select('email').where('id', '=', userId);
  const email = (await account.executeTakeFirst())?.email ?? '';
  // An address leaks when a mail is forwarded. Neither the sender nor the account gets an answer.
  if (head.isForged || head.from === '' || mailboxOf(head.from) !== mailboxOf(email)) return undefined;
  const id = head.messageId || digestOf(source);
  const key = digestOf(`${id} ${userId} ${about.reply?.postId ?? 'post'}`);
  return { ...about, head, userId, key, template };
}

/** Whether one of the keys in the addresses of a mail is ours: others are made up, or have ended. */
export const isExpected = async (deps: Deps, keys: readonly string[]): Promise<boolean> =>
  (await findKey(deps, keys)) !== undefined;

/** The meaning of the first of these keys that is ours. */
async function findKey(deps: Deps, keys: readonly string[]): Promise<Reply | ForPost | Bounce | undefined> {
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

/** Makes a comment of an answer, with its writer's current rights, who hears of files that are left out. */
async function takeReply(deps: Deps, source: Uint8Array, mail: Written & Reply) {
  const { reply, key, template } = mail;
  const { text: content, files } = await read(deps, source.subarray(0, maxMailBytes), {
    words: 'own',
    ours: [[addressOf(await deps.mail.from())], template.toLowerCase().split('{}')],
  });
  refuseQuotedLinks(content, template);
  if (content === '') {
    const words = 'Your reply has no words of your own above the quoted text.';
    throw new AppError('invalid-argument', files.length === 0 ? words : `${words} ${wordsOnly}`);
  }
  const { postId, commentId } = reply;
  const answers = commentId === null ? {} : { parentId: commentId };
  await invoke('addComment', { postId, content, key, ...answers }, await callOf(deps, reply.userId));
  if (files.length > 0) await tellWriter(deps, mail, wordsOnly, true);
}

const wordsOnly = 'A comment holds words only: files of an email are left out.';

const addressOf = (from: string) => (/<([^<>]+)>\s*$/.exec(from)?.[1] ?? from).trim().toLowerCase();

/** Makes a post of a mail, with its author's current rights. */
async function takePostMail(
  deps: Deps,
  source: Uint8Array,
  { post, head, key, template }: Written & ForPost,
): Promise<void> {
  if (source.length > maxMailBytes)
    throw new AppError('out-of-range', `Your email is larger than ${maxMailBytes / 1024 ** 2} MB.`);
  const { text, files, holdsMail } = await read(deps, source, { words: 'whole' });
  // First: a mail of 25 MB has as many characters, which are read in this thread below.
  refuseTooLong(text);
  refuseQuotedLinks(text, template);
  // Somebody else's words are not published before the author has looked at them.
  const publishes = post.publishes && !holdsMail && !isCorrespondence(head, template);
  const mail = { subject: head.subject, text, files };
  await takePost(await callOf(deps, post.userId), mail, { address: post, publishes, key });
}

/** Whether a mail answers or forwards another one, or has recipients other than its writer and us. */
function isCorrespondence({ isAnswer, from, to }: MailHead, template: string): boolean {
  const others = to.filter(address => mailboxOf(address) !== mailboxOf(from));
  return isAnswer || others.some(address => keysIn(template, address).length === 0);
}

/** Reads a mail whose writer is known. Throws a sentence for them. */
async function read(deps: Deps, source: Uint8Array, asked: WordsAsked): Promise<IncomingMail> {
  return await readMail(source, asked).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'a mail could not be read');
    throw unreadable();
  });
}

/** A call of an account, with its current rights. */
async function callOf(deps: Deps, userId: string): Promise<UnguardedInvocation> {
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, userId, (await deps.catalogue()).defaultTagIds);
  return internalInvocation(deps, { viewer, credential: null });
}

/**
 * Says why a mail became no comment or post, or why a comment has no files (`isAdded`), once per mail and a
 * few times an hour at most.
 */
async function tellWriter(
  { db, clock }: Deps,
  { userId, key, head, reply }: Written & (Reply | ForPost),
  error: string,
  isAdded = false,
): Promise<void> {
  const hour = 60 * 60;
  // What is refused must be told however many comments came with files.
  const name = `${isAdded ? 'left-out files' : 'refused replies'} ${userId}`;
  try {
    await takeAttempt({ db, clock }, { name, points: refusalsPerHour, seconds: hour });
  } catch (tooMany) {
    if (!isTooMany(tooMany)) throw tooMany;
    return;
  }
  const data = { error, isAdded, inReplyTo: head.messageId };
  const about = { userId, ...(reply !== undefined && { postId: reply.postId }) };
  await queueMail(db, clock(), { kind: 'refused-reply', ...about, once: `refused-reply:${key}`, data });
}

/** How links write the signs of our addresses: no function for each, of which a text can have 300,000. */
const codesInLinks = [
  [/%2b/gi, '+'],
  [/%2f/gi, '/'],
  [/%3a/gi, ':'],
  [/%3d/gi, '='],
  [/%3f/gi, '?'],
  [/%40/g, '@'],
] as const;

/** Throws for words that still quote a mail of ours: it contains links for its reader only. */
function refuseQuotedLinks(words: string, template: string): void {
  // Filters that check links wrap others' links in their own, even several times.
  let plain = words.replaceAll(/%(?:25)+/g, '%');
  for (const [code, sign] of codesInLinks) plain = plain.replaceAll(code, sign);
  if (plain.includes('/unsubscribe?token=') || keysIn(template, plain).length > 0)
    throw new AppError(
      'invalid-argument',
      'Your email still quotes one of ours. Please delete the quoted text and send it again.',
    );
}

/** Records that a mail to an account bounced, each bounce once. */
async function takeBounce(
  deps: Deps,
  source: Uint8Array,
  { bounced: userId, head }: Bounce & { head: MailHead },
): Promise<Received> {
  try {
    await takeAttempt(deps, { name: `bounces of ${userId}`, points: bouncesPerHour, seconds: 60 * 60 });
  } catch (error) {
    if (isTooMany(error)) return 'ignored';
    throw error;
  }
  const mail = await readMail(source.subarray(0, maxBounceBytes), { words: 'none' }).catch(
    (error: unknown) => {
      deps.log.warn({ err: error }, 'a report could not be read');
    },
  );
  const { bounce } = mail ?? {};
  if (bounce === undefined) return 'ignored';
  const { clock } = deps;
  await inTransaction({ db: deps.db, ...unguarded }, async db => {
    const isNew = await markOnce({ db, clock }, `bounce ${userId} ${head.messageId}`, keptSeconds);
    if (isNew) await noteBounce(db, clock(), { userId, ...bounce });
  });
  return 'bounce';
}
