import type { Call } from '../../../contract/operations.ts';
import {
  copiesOf,
  copyAt,
  dropCopy,
  type StoredCopy,
  storeCopy,
  withoutWaiting,
} from '../unsaved/browser-copy.ts';
import { whileOpen } from '../unsaved/open-copies.ts';
import { savePost } from '../unsaved/save-post.ts';

/** The result of a waiting post: where it is, or why the server refused it. */
export type Sent = { isDraft: boolean } & ({ postId: string } | { refusal: string; saveKey: string });

type Sending = {
  call: Call;
  userId: string;
  /** Whether this account is still signed in; false without a connection. */
  isSignedIn(): Promise<boolean>;
  signal: AbortSignal;
  /** Called before the files of a post are uploaded. */
  onFiles?(count: number): void;
  onSent(sent: Sent): void;
};

/**
 * Sends the posts of an account that wait for a connection, the oldest first. Each is sent by one tab, and
 * the server makes one post of what is sent twice. Resolves with whether any is still waiting.
 */
export async function sendWaiting(sending: Sending): Promise<boolean> {
  const waiting = (await copiesOf(sending.userId, null)).filter(({ waits }) => waits !== undefined).reverse();
  if (waiting.length === 0 || !(await sending.isSignedIn())) return waiting.length > 0;
  let isLeft = false;
  for (const { key } of waiting) {
    let isDone = true;
    const isOurs = await whileOpen(key, async () => {
      // Another tab may have sent or changed it meanwhile.
      const copy = await copyAt(key);
      if (copy !== undefined && !sending.signal.aborted) isDone = await send(sending, copy);
    });
    isLeft ||= !isOurs || !isDone;
    if (!isDone) break;
    // The composer of this tab follows its copies by the events of other tabs.
    window.dispatchEvent(new StorageEvent('storage', { key }));
  }
  return isLeft;
}

/** Sends a copy, its files first. Resolves with false if it is to be tried again. */
async function send(sending: Sending, copy: StoredCopy): Promise<boolean> {
  const { saveKey, waits, key } = copy;
  if (waits === undefined) return true;
  const complete = await withFiles(sending, copy);
  if (complete === undefined) return false;
  if (typeof complete === 'string') return await refuse(sending, copy, complete);
  // Files may have taken minutes, in which somebody else has signed in.
  if (!(await sending.isSignedIn())) return false;
  const outcome = await savePost(
    { call: sending.call, askForNew: async () => false },
    { draft: complete.draft, saveKey, base: null, ...waits },
  );
  if (outcome.kind === 'failed' && !outcome.isFinal) return false;
  if (outcome.kind !== 'saved') return await refuse(sending, complete, refusalOf(outcome));
  await dropCopy(key);
  sending.onSent({ isDraft: waits.isDraft, postId: outcome.post.id });
  return true;
}

/** The copy once its files have arrived, which need a script of their own. As `sendFiles`. */
async function withFiles(
  { signal, onFiles }: Sending,
  copy: StoredCopy,
): Promise<StoredCopy | string | undefined> {
  const { files = [] } = copy;
  if (files.length === 0) return copy;
  const loaded = await import('./send-files.ts').catch(() => undefined);
  if (loaded === undefined) return undefined;
  onFiles?.(files.length);
  return await loaded.sendFiles(copy, signal);
}

/** Keeps a refused copy, with the reason. */
async function refuse(
  { onSent }: Sending,
  { key, saveKey, waits }: StoredCopy,
  refusal: string,
): Promise<true> {
  // As it is stored now: files may have arrived. It may have been deleted by a logout.
  const copy = await copyAt(key);
  if (copy !== undefined) {
    await storeCopy(key, { ...withoutWaiting(copy), refusal, savedAt: Date.now() });
    onSent({ isDraft: waits?.isDraft === true, refusal, saveKey });
  }
  return true;
}

type Refusal = Exclude<Awaited<ReturnType<typeof savePost>>, { kind: 'saved' }>;

function refusalOf(outcome: Refusal): string {
  // Its answer was lost, and then somebody else was faster.
  if (outcome.kind === 'declined') return 'It was saved before, and has been deleted since.';
  if (outcome.kind === 'conflict') return 'It was saved before, and has been changed since.';
  return Object.values(outcome.fields).join(' ');
}
