import { Readable } from 'node:stream';
import type { Kysely } from 'kysely';
import { attachmentsPerPost, pageExcerpt, shortPostMaxCharacters } from '../../contract/constants.ts';
import { AppError, isFinal } from '../../contract/errors.ts';
import { isPhoto } from '../../contract/files.ts';
import { cutAtWord, oneLine } from '../../contract/text.ts';
import { countShortPost, visibleText } from '../../contract/visible-text.ts';
import { guardsOf } from '../access/hold-rights.ts';
import { createId } from '../base/id.ts';
import type { Tables } from '../db/tables.ts';
import type { UnguardedInvocation } from '../deps.ts';
import { fileAddress } from '../files/address.ts';
import { uploadAtOnce } from '../files/uploads/uploads.ts';
import { returnAttempt, takeAttempt } from '../limits/attempts.ts';
import { holdPostAddress, type PostAddress } from '../mail/post-address.ts';
import { invoke } from '../operations.ts';
import { newPostTags } from '../settings/new-post-tags.ts';
import type { IncomingMail } from './read-mail.ts';

/** The most posts of one author by mail in an hour. */
const postsPerHour = 20;

/**
 * Makes a post of a mail, with its writer's current rights, if its address has not ended. The same key again
 * gives the same post. Throws AppError if the mail makes none.
 */
export async function takePost(
  call: UnguardedInvocation,
  mail: Pick<IncomingMail, 'files'> & Text,
  { address, publishes, key }: { address: PostAddress; publishes: boolean; key: string },
): Promise<void> {
  const made = call.db.selectFrom('posts').select('id').where('save_key', '=', key);
  if ((await made.executeTakeFirst()) !== undefined) return;
  const words = wordsOf(mail);
  if (mail.files.length > attachmentsPerPost)
    throw new AppError('invalid-argument', `A post has at most ${attachmentsPerPost} attachments.`);
  const bucket = { name: `posts by mail ${address.userId}`, points: postsPerHour, seconds: 60 * 60 };
  await takeAttempt(call, bucket);
  try {
    const files = [];
    for (const file of mail.files) files.push(await store(call, file));
    // Of photos alone as the editor makes it: they are its text.
    const photos = words.content === '' ? files.filter(isPhoto) : [];
    const content = words.content || photos.map(({ url }) => `![](${url})`).join('\n');
    const attachments = files
      .filter(file => !photos.includes(file))
      .map(({ url }) => ({ url, description: null }));
    // The address may have ended while the files were stored.
    const byAddress = { ...call, alsoHolds: (trx: Kysely<Tables>) => holdPostAddress(trx, address) };
    // Without a tag that its author may not use, more people could read it than is wanted.
    const { tags, tagIds, areAll } = await newPostTags(call);
    const post = { ...words, content, attachments, tags, tagIds };
    await invoke('createPost', { ...post, isDraft: !publishes || !areAll, saveKey: key }, byAddress);
  } catch (error) {
    if (!isRefusal(error)) await returnAttempt(call, bucket);
    throw error;
  }
}

/** Whether a mail is answered with the sentence of an error. After any other error it is tried again. */
export function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError)) return false;
  return isFinal(error) || ['resource-exhausted', 'unauthenticated'].includes(error.code);
}

type Text = { subject: string; text: string };

type Words =
  | { type: 'short'; content: string }
  | { type: 'essay'; title: string; description: string; content: string };

/**
 * The subject is the title of an essay; a mail with only one of subject and text is a short post, and so is
 * one of photos alone.
 */
function wordsOf({ subject, text, files }: Text & Pick<IncomingMail, 'files'>): Words {
  const title = oneLine(subject);
  if (title !== '' && text !== '') {
    return { type: 'essay', title, ...describe(text, title) };
  }
  const content = text || title;
  if (content === '' && !files.some(isPhoto))
    throw new AppError('invalid-argument', 'Your email has neither a subject nor a text.');
  if (text !== '' && countShortPost(text, shortPostMaxCharacters) > shortPostMaxCharacters)
    throw new AppError(
      'invalid-argument',
      `Without a subject an email becomes a short post, which has at most ${shortPostMaxCharacters} characters. Please give it a subject.`,
    );
  return { type: 'short', content };
}

/** How many characters of a text are searched for its beginning. */
const beginningCharacters = 2_000;

/**
 * The description of an essay: a short first paragraph, if it is plain text and others follow, which is not
 * repeated below it; otherwise the first sentence.
 */
function describe(text: string, title: string): { description: string; content: string } {
  const [, first = '', rest = ''] = /^(.*?)\n\s*\n(.*)$/s.exec(text) ?? [];
  const plain = oneLine(first);
  const isShort = plain !== '' && plain.length <= pageExcerpt;
  // A description shows no links.
  const isPlain = isShort && visibleText(first) === plain && !/https?:|www\./i.test(plain);
  if (isPlain && rest.trim() !== '') return { description: plain, content: rest.trim() };
  const visible = visibleText(text.slice(0, beginningCharacters));
  const [sentence = visible] = /^.*?[.!?…。！？](?=\s|$)/u.exec(visible) ?? [];
  return { description: cutAtWord(sentence, pageExcerpt) || title, content: text };
}

async function store(
  call: UnguardedInvocation,
  { name, type, bytes }: IncomingMail['files'][number],
): Promise<{ url: string; type: string }> {
  const context = { ...call, ...guardsOf(call, call, 'author') };
  const path = `posts/mail/${createId()}`;
  const declared = { path, type, size: bytes.length, metadata: { metadata: { name } } };
  try {
    const file = await uploadAtOnce(context, call.viewer, declared, Readable.from([bytes]));
    return { url: fileAddress(file.id, file.name), type: file.type };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // Its author has to know which one.
    throw new AppError(error.code, `${name}: ${error.message}`);
  }
}
