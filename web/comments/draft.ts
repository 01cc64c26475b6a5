import { readStoredJson, writeStorage } from '../ui/browser-storage.ts';
import { createKey } from '../ui/key.ts';
import { unsavedKey } from '../ui/unsaved-key.ts';

/**
 * An unfinished comment: the text, and the key that makes sending it safe to repeat. Once it was sent, a
 * changed text needs another key. `waits`: it is sent as soon as there is a connection. `before`: for an
 * edit, the words that it began with.
 */
export type Draft = { text: string; key: string; isSent: boolean; waits?: boolean; before?: string };

/** The keys under which a comment's edit and its report are stored. */
export const editKey = (commentId: string) => `edit:${commentId}`;
export const reportKey = (commentId: string) => `report:${commentId}`;

export const emptyDraft = (): Draft => ({ text: '', key: createKey(), isSent: false });

const nameOf = (userId: string, postId: string) => unsavedKey('comment-draft', userId, postId);

/**
 * The stored draft of an account's comment on a post, which survives reloads and lost sessions; an empty
 * draft if there is none. Other accounts in the same browser have their own.
 */
export function readDraft(userId: string, postId: string): Draft {
  const draft = readStoredJson('localStorage', nameOf(userId, postId));
  const isDraft = typeof draft === 'object' && draft !== null && 'text' in draft && 'key' in draft;
  if (!isDraft) return emptyDraft();
  return {
    text: String(draft.text),
    key: String(draft.key),
    isSent: 'isSent' in draft && draft.isSent === true,
    ...('waits' in draft && draft.waits === true && { waits: true }),
    ...('before' in draft && { before: String(draft.before) }),
  };
}

/**
 * Adds what was being written at a comment that is gone to the comment on its post. Returns whether it did.
 */
export function moveDrafts(userId: string, commentId: string, postId: string): boolean {
  const own = readDraft(userId, postId);
  const keys = [commentId, editKey(commentId)];
  const texts = [own.text, ...keys.map(key => readDraft(userId, key).text)].filter(text => text !== '');
  if (texts.join('') === own.text) return false;
  writeDraft(userId, postId, { ...emptyDraft(), text: texts.join('\n\n') });
  for (const key of keys) writeDraft(userId, key, emptyDraft());
  return true;
}

export function writeDraft(userId: string, postId: string, draft: Draft): void {
  writeStorage('localStorage', nameOf(userId, postId), draft.text === '' ? null : JSON.stringify(draft));
}
