import type { BrowserCopy, StoredCopy } from './browser-copy.ts';
import { type Desk, type DeskEvent, isUnsaved } from './desk.ts';
import { isSameDraft, type Post } from './draft.ts';

/** The store for the copies of a post, each under a key made from its `saveKey`. */
export type CopyStore = {
  keyOf(saveKey: string): string;
  /** Resolves with false if there is no room. */
  keep(key: string, copy: BrowserCopy): Promise<boolean>;
  drop(key: string): Promise<void>;
  now(): number;
};

/**
 * Replaces the current text by a copy, and stores the current one as a copy. Running uploads go to the new text.
 * Undefined if the browser has no room for the old text: then nothing changes.
 */
export async function restoreCopy(
  desk: Desk,
  copy: StoredCopy,
  store: CopyStore,
): Promise<DeskEvent | undefined> {
  if (isUnsaved(desk)) {
    // The text may be newer than the last copy of it.
    const mine = await putAside(desk, desk.base?.version ?? null, [], store);
    if (mine === undefined) return undefined;
  } else void store.drop(store.keyOf(desk.saveKey));
  // The copy was there only for its unfinished uploads, so it is no longer needed.
  if (isSameDraft(copy.draft, desk.saved)) void store.drop(copy.key);
  return { type: 'restored', copy };
}

/**
 * Replaces the current text by what somebody else has saved, and stores the current one as a copy with the names of
 * unfinished `uploads`. Undefined as in `restoreCopy`.
 */
export async function takeTheirs(
  desk: Desk,
  theirs: Post,
  { uploads, saveKey }: { uploads: string[]; saveKey: string },
  store: CopyStore,
): Promise<DeskEvent | undefined> {
  const mine = await putAside(desk, theirs.version, uploads, store);
  return mine && { type: 'theirs taken', theirs, mine, saveKey };
}

/** Stores the current text as a copy, as if another editor had left it. */
async function putAside(
  { draft, saveKey }: Desk,
  version: number | null,
  uploads: string[],
  store: CopyStore,
): Promise<StoredCopy | undefined> {
  const key = store.keyOf(saveKey);
  const copy = { draft, savedAt: store.now(), version, saveKey, uploads };
  return (await store.keep(key, copy)) ? { ...copy, key } : undefined;
}
