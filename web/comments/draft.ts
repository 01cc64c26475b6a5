import { readStorage, writeStorage } from '../ui/browser-storage.ts';
import { unsavedKey } from '../ui/unsaved-key.ts';

/**
 * What somebody began to write under a post: the text, and the key that makes sending it safe to repeat. Once it was
 * sent, another text needs another key.
 */
export type Draft = { text: string; key: string; isSent: boolean };

const nameOf = (userId: string, postId: string) => unsavedKey('comment-draft', userId, postId);

/** A key of 128 random bits. Not `randomUUID`, which a browser has on https alone. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map(byte => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * What an account began under a post and this browser keeps, through reloads and lost sessions; an empty draft when there
 * is none. Whoever logs in next on the same browser has their own.
 */
export function readDraft(userId: string, postId: string): Draft {
  const empty = { text: '', key: newKey(), isSent: false };
  try {
    const draft: unknown = JSON.parse(readStorage('localStorage', nameOf(userId, postId)) ?? 'null');
    const isDraft = typeof draft === 'object' && draft !== null && 'text' in draft && 'key' in draft;
    if (!isDraft) return empty;
    return {
      text: String(draft.text),
      key: String(draft.key),
      isSent: 'isSent' in draft && draft.isSent === true,
    };
  } catch {
    // Not ours: as if nothing had been written.
    return empty;
  }
}

export function keepDraft(userId: string, postId: string, draft: Draft): void {
  writeStorage('localStorage', nameOf(userId, postId), draft.text === '' ? null : JSON.stringify(draft));
}
