import type { BrowserCopy, StoredCopy } from './browser-copy.ts';
import { type Desk, type DeskEvent, isUnsaved } from './desk.ts';
import { isSameDraft, type Post } from './draft.ts';

/** Where a browser keeps the copies of a post, each under the key that its `saveKey` makes. */
export type CopyStore = {
  keyOf(saveKey: string): string;
  /** Resolves with false where there is no room. */
  keep(key: string, copy: BrowserCopy): Promise<boolean>;
  drop(key: string): Promise<void>;
  now(): number;
};

/**
 * Puts a kept text in the place of the one that lies here, which the browser keeps. Files on their way arrive in the new
 * one. Undefined when the browser cannot keep the old one: then everything stays.
 */
export async function restoreCopy(
  desk: Desk,
  copy: StoredCopy,
  store: CopyStore,
): Promise<DeskEvent | undefined> {
  if (isUnsaved(desk)) {
    // The last words may be younger than the copy that the browser has of them.
    const mine = await putAside(desk, desk.base?.version ?? null, [], store);
    if (mine === undefined) return undefined;
  } else void store.drop(store.keyOf(desk.saveKey));
  // Nothing but files was missing: there is no text to keep any more.
  if (isSameDraft(copy.draft, desk.saved)) void store.drop(copy.key);
  return { type: 'restored', copy };
}

/**
 * Puts what somebody else has saved in the place of mine, which the browser keeps and offers with the names of the `uploads`
 * on their way. Undefined as above.
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

/** Keeps what lies here as the copy of an editor that is no more. */
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
