import { type BrowserCopy, type StoredCopy, withoutWaiting } from './browser-copy.ts';
import type { Post } from './draft.ts';
import { type EditorEvent, type EditorState, isUnsaved } from './editor-state.ts';
import { isSameDraft } from './post-fields.ts';
import { nextSaveKey } from './save-post.ts';

/** The store for the copies of a post, each under a key made from its `saveKey`. */
export type CopyStore = {
  keyOf(saveKey: string): string;
  /** Resolves with false if there is no room. */
  put(key: string, copy: BrowserCopy): Promise<boolean>;
  drop(key: string): Promise<void>;
  now(): number;
};

/**
 * Replaces the current text by a copy, and stores the current one as a copy. Running uploads go to the new
 * text. Undefined if the browser has no room for the old text: then nothing changes.
 */
export async function restoreCopy(
  state: EditorState,
  offered: StoredCopy,
  store: CopyStore,
): Promise<Extract<EditorEvent, { type: 'restored' }> | undefined> {
  const copy = withoutWaiting(offered);
  if (isUnsaved(state)) {
    // The text may be newer than the last copy of it.
    const mine = await storeCurrent(state, state.base?.version ?? null, [], store);
    if (mine === undefined) return undefined;
  } else void store.drop(store.keyOf(state.saveKey));
  if (copy.isOfDeletedPost) {
    const moved = await moveToNewPost(copy, store);
    return moved && { type: 'restored', copy: moved };
  }
  // It must not be sent while it is written.
  if (offered.waits !== undefined) await store.put(copy.key, { ...copy, savedAt: store.now() });
  // The copy was there only for uploads that cannot go on, so it is no longer needed.
  if (isSameDraft(copy.draft, state.saved) && !copy.files?.length) void store.drop(copy.key);
  return { type: 'restored', copy };
}

/** Moves the copy of a deleted post to those of new posts. Undefined if there is no room for it. */
async function moveToNewPost(copy: StoredCopy, store: CopyStore): Promise<StoredCopy | undefined> {
  const { key: oldKey, isOfDeletedPost: _, ...text } = copy;
  const moved = { ...text, version: null, saveKey: nextSaveKey(copy.saveKey) };
  const key = store.keyOf(moved.saveKey);
  if (!(await store.put(key, moved))) return undefined;
  void store.drop(oldKey);
  return { ...moved, key };
}

/**
 * Replaces the current text by what somebody else has saved, and stores the current one as a copy with the
 * names of unfinished `uploads`. Undefined as in `restoreCopy`.
 */
export async function takeTheirs(
  state: EditorState,
  theirs: Post,
  { uploads, saveKey }: { uploads: string[]; saveKey: string },
  store: CopyStore,
): Promise<EditorEvent | undefined> {
  const mine = await storeCurrent(state, theirs.version, uploads, store);
  return mine && { type: 'theirs taken', theirs, mine, saveKey };
}

/** Stores the current text as a copy, as if another editor had left it. */
async function storeCurrent(
  { draft, date, isQuiet, saveKey }: EditorState,
  version: number | null,
  uploads: string[],
  store: CopyStore,
): Promise<StoredCopy | undefined> {
  const key = store.keyOf(saveKey);
  const copy = { draft, date, isQuiet, savedAt: store.now(), version, saveKey, uploads };
  return (await store.put(key, copy)) ? { ...copy, key } : undefined;
}
