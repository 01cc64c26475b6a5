import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import PostalMime, { type Attachment } from 'postal-mime';
import type { MailBody } from './own-words.ts';

/** A mail that somebody or something has sent us, without its text. */
type MailParts = {
  /** What its writer has attached to it. */
  files: { name: string; type: string; bytes: Uint8Array }[];
  /** Whether a forwarded mail is attached. */
  holdsMail: boolean;
  /** The address to which a mail of ours could not be delivered for good, and why (RFC 3464). */
  bounce: { address: string; reason: string } | undefined;
};
export type IncomingMail = MailParts & { text: string };

/** Which words of a mail are its text: those of its writer alone, all of them, or none. */
type Words = 'own' | 'whole' | 'none';
export type MailRequest = { source: Uint8Array; words: Words };
/** `reason` says why it cannot be read. */
export type MailAnswer = IncomingMail | { reason: string };

/** Many times what the largest mail takes on a busy machine. Milliseconds. */
const limitMs = 60_000;
/** The largest mail takes a tenth of this, without its bytes. */
const maxMebibytes = 512;

/**
 * Reads a mail. A thread of its own does so: a mail can be made to take seconds, for which nobody else must
 * wait. Throws for one that cannot be read.
 */
export async function readMail(source: Uint8Array, words: Words, withinMs = limitMs): Promise<IncomingMail> {
  const { promise, resolve, reject } = Promise.withResolvers<MailAnswer>();
  // A copy: a part of a longer buffer would take all of it along.
  const own = new Uint8Array(source);
  const worker = new Worker(program, {
    workerData: { source: own, words } satisfies MailRequest,
    transferList: [own.buffer],
    resourceLimits: { maxOldGenerationSizeMb: maxMebibytes },
  });
  worker.once('message', resolve);
  worker.once('error', reject);
  const timer = setTimeout(() => reject(new Error('It takes too long to read.')), withinMs);
  try {
    const answer = await promise;
    if ('reason' in answer) throw new Error(answer.reason);
    return answer;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** This file's neighbour, both in the sources and in the bundle (scripts/build.ts). */
const program = new URL(`./mail-worker${extname(import.meta.url)}`, import.meta.url);

/** Parts within parts that are read: nobody who writes has more. A mail within a mail is one of its files. */
const parsing = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true };
/** The parser holds an object for each line. In base64 the largest mail has a third of a million. */
const maxLines = 500_000;

/** Reads a mail within this thread. Throws for one that cannot be read. */
export async function parseMail(source: Uint8Array): Promise<MailParts & { body: MailBody }> {
  if (countLines(source) > maxLines) throw new Error(`It has more than ${maxLines} lines.`);
  const { text = '', html = '', attachments } = await PostalMime.parse(source, parsing);
  // Looked for once: a mail can have thousands of parts.
  const signatureAt = html.search(/\b(id|class)\s*=\s*["']?[\w -]{0,100}signature/i);
  return {
    // Some programs send an empty text beside the HTML.
    body: { text: text.trim() === '' ? '' : text, html },
    files: attachments.filter(part => isFile(part, { html, signatureAt })).map(fileOf),
    holdsMail: attachments.some(({ mimeType }) => mimeType === 'message/rfc822'),
    bounce: bounceIn(attachments),
  };
}

/** What programs add to mails: signatures of the whole mail, and its keys. */
const ofPrograms = /^application\/(pgp-(signature|encrypted|keys)|(x-)?pkcs7-signature)$/i;

/** Whether a part is a file, and none that a program adds, as the logo of a signature. */
function isFile(
  { mimeType, filename, related, contentId }: Attachment,
  { html, signatureAt }: { html: string; signatureAt: number },
): boolean {
  if (ofPrograms.test(mimeType)) return false;
  // Without a name it is the same text in another form.
  if (!filename && /^text\//i.test(mimeType)) return false;
  if (signatureAt < 0 || related !== true || !contentId) return true;
  const shownAt = html.indexOf(`cid:${contentId.replace(/^<|>$/g, '')}`);
  return shownAt < signatureAt;
}

function fileOf({ filename, mimeType, content }: Attachment): MailParts['files'][number] {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  const name = filename || (mimeType === 'message/rfc822' ? 'email.eml' : mimeType.replace('/', '.'));
  return { name, type: mimeType.toLowerCase(), bytes };
}

function countLines(source: Uint8Array): number {
  let count = 0;
  for (let at = source.indexOf(0x0a); at >= 0; at = source.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** What a report says of the one whom a mail did not reach; undefined where it may still, or another may. */
function bounceIn(attachments: readonly Attachment[]): MailParts['bounce'] {
  const report = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status');
  if (report === undefined) return undefined;
  const { content } = report;
  const text = typeof content === 'string' ? content : new TextDecoder().decode(content);
  const field = (name: string) =>
    new RegExp(`^${name}:(.*(?:\r?\n[ \t].*)*)`, 'im').exec(text)?.[1]?.trim() ?? '';
  const address = field('Original-Recipient') || field('Final-Recipient');
  // A full mailbox may be emptied, and what a server does not take from this sender says nothing of the
  // address.
  const isForGood = /^5\.(?!7\.|2\.2)/.test(field('Status')) && /^failed\b/i.test(field('Action'));
  const sentTo = address.replace(/^[\w-]+;\s*/, '').toLowerCase();
  if (!isForGood || !/^[\x21-\x7e]+$/.test(sentTo)) return undefined;
  return {
    address: sentTo,
    reason:
      field('Diagnostic-Code')
        .replace(/^[\w-]+;\s*/, '')
        .replaceAll(/\s+/g, ' ') || `Status ${field('Status')}`,
  };
}
