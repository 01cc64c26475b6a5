import type { Draft } from './draft.ts';

/**
 * Unsaved text, kept in this browser against a crash: one entry for each editor that is open, so that two tabs, or an
 * offer not yet answered, never overwrite each other. An entry belongs to the account that wrote it.
 */
export type BrowserCopy = {
  draft: Draft;
  /** Milliseconds since 1970. */
  savedAt: number;
  /** The version of the post that it was written over; null for a new post. */
  version: number | null;
  /** What keeps a repeated save from making a second post. */
  saveKey: string;
};

export type StoredCopy = BrowserCopy & { key: string };

/** Copies that nobody came back for. */
const keptMs = 90 * 24 * 60 * 60 * 1_000;

function prefixOf(userId: string, postId: string | null): string {
  return `coterie-draft:${userId}:${postId ?? 'new'}:`;
}

export function copyKey(userId: string, postId: string | null, saveKey: string): string {
  return prefixOf(userId, postId) + saveKey;
}

/** Keeps a copy. False when the browser has no room for it or keeps nothing. */
export function keepCopy(key: string, copy: BrowserCopy): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(copy));
    return true;
  } catch {
    return false;
  }
}

export function dropCopy(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

/** The copies of a post that other editors left behind, newest first. */
export function copiesOf(userId: string, postId: string | null, now: number): StoredCopy[] {
  try {
    const prefix = prefixOf(userId, postId);
    const copies: StoredCopy[] = [];
    for (const key of Object.keys(localStorage)) {
      if (!key.startsWith(prefix)) continue;
      const copy = parse(localStorage.getItem(key));
      if (copy === undefined || now - copy.savedAt > keptMs) localStorage.removeItem(key);
      else copies.push({ ...copy, key });
    }
    return copies.sort((a, b) => b.savedAt - a.savedAt);
  } catch {
    return [];
  }
}

/** Only what this program has written counts; an older or foreign shape is no copy. */
function parse(json: string | null): BrowserCopy | undefined {
  try {
    const copy = JSON.parse(json ?? '') as Partial<BrowserCopy> | null;
    const { content, tags, attachments } = copy?.draft ?? {};
    const isCopy =
      typeof copy?.savedAt === 'number' &&
      typeof copy.saveKey === 'string' &&
      typeof content === 'string' &&
      Array.isArray(tags) &&
      Array.isArray(attachments);
    return isCopy ? (copy as BrowserCopy) : undefined;
  } catch {
    return undefined;
  }
}
