import { forgetFiles } from '../../storage/file-database.ts';
import { readStorage, storedKeys, writeStorage } from '../../ui/browser-storage.ts';
import { putText, removeText, textsWith } from '../../ui/text-database.ts';
import { unsavedKey } from '../../ui/unsaved-key.ts';
import type { Draft } from './draft.ts';
import { emptyDraft } from './post-fields.ts';

/** How a new post is saved once there is a connection. */
export type WaitingSave = { isDraft: boolean; date?: string; isQuiet?: boolean };

/**
 * Unsaved text, stored in this browser in case of a crash. Each open editor has an entry of its own, so that
 * two tabs, or a copy that is still offered, never overwrite each other. An entry belongs to the account that
 * wrote it.
 */
export type BrowserCopy = {
  draft: Draft;
  /** The date chosen for its publication: `2026-10-12`, with a time that of a photo; empty for none. */
  date?: string;
  /** Whether nobody is told of its publication. */
  isQuiet?: boolean;
  /** Milliseconds since 1970. */
  savedAt: number;
  /** The version of the post that it is based on; null for a new post. */
  version: number | null;
  /** Names of files whose upload had not finished: they must be chosen again. */
  uploads?: string[];
  /** Files on their way that this browser keeps: they go on when the text is restored. */
  files?: { id: string; name: string }[];
  /** The key that keeps a repeated save from making a second post. */
  saveKey: string;
  /** Its author has pressed Publish or Save as Draft: it is sent as soon as there is a connection. */
  waits?: WaitingSave;
  /** Why the server has refused it when it was sent. */
  refusal?: string;
};

export type StoredCopy = BrowserCopy & {
  key: string;
  /** Its post has been deleted, so that it can only become a new one. */
  isOfDeletedPost?: boolean;
};

/** The copy as one that is not sent by itself. */
export function withoutWaiting<Copy extends BrowserCopy>(copy: Copy): Copy {
  const { waits: _, refusal: __, ...rest } = copy;
  return rest as Copy;
}

/** How long a copy is kept, in milliseconds. */
const keptMs = 90 * 24 * 60 * 60 * 1_000;

function prefixOf(userId: string, postId: string | null): string {
  return unsavedKey('coterie-draft', userId, postId ?? 'new', '');
}

export function copyKey(userId: string, postId: string | null, saveKey: string): string {
  return prefixOf(userId, postId) + saveKey;
}

/**
 * Stores a copy in two places: in `localStorage`, to which a closing page can still write, and in a database,
 * which a killed browser has on its disk. Resolves with false if neither has room for it.
 */
export async function storeCopy(key: string, copy: BrowserCopy): Promise<boolean> {
  const text = JSON.stringify(copy);
  let isKept = true;
  try {
    window.localStorage.setItem(key, text);
  } catch {
    // An older copy must not stay there and be offered as the newest.
    isKept = false;
    writeStorage('localStorage', key, null);
  }
  const isOnDisk = await putText(key, text).then(
    () => true,
    () => false,
  );
  return isKept || isOnDisk;
}

export async function dropCopy(key: string): Promise<void> {
  writeStorage('localStorage', key, null);
  await forgetFiles(`${key}:`);
  // A browser that stores nothing has nothing to delete.
  await removeText(key).catch(() => {});
}

/** The copies of a post in this browser, newest first. */
export async function copiesOf(userId: string, postId: string | null): Promise<StoredCopy[]> {
  return await copiesUnder(prefixOf(userId, postId));
}

/** A copy as it is stored now; undefined if it is not there any more. */
export async function copyAt(key: string): Promise<StoredCopy | undefined> {
  return (await copiesUnder(key)).find(copy => copy.key === key);
}

/** The ids of the posts of which this browser has copies; those of new posts are not counted. */
export async function postsWithCopies(userId: string): Promise<string[]> {
  const start = unsavedKey('coterie-draft', userId, '');
  const postIds = (await textsUnder(start)).map(([key]) => key.slice(start.length).split(':')[0] ?? '');
  return [...new Set(postIds)].filter(postId => postId !== 'new');
}

async function copiesUnder(prefix: string): Promise<StoredCopy[]> {
  const copies = new Map<string, StoredCopy>();
  for (const [key, text] of await textsUnder(prefix)) {
    const copy = parse(text);
    if (copy === undefined || Date.now() - copy.savedAt > keptMs) await dropCopy(key);
    else if (copy.savedAt > (copies.get(key)?.savedAt ?? 0)) copies.set(key, { ...copy, key });
  }
  return [...copies.values()].sort((a, b) => b.savedAt - a.savedAt);
}

/** The texts in both places whose keys have this prefix. */
async function textsUnder(prefix: string): Promise<[key: string, text: string][]> {
  const local = storedKeys('localStorage').flatMap((key): [string, string][] => {
    const text = key.startsWith(prefix) ? readStorage('localStorage', key) : null;
    return text === null ? [] : [[key, text]];
  });
  return [...local, ...(await textsWith(prefix).catch(() => []))];
}

/** Parses a copy; undefined for an older or unknown format. */
function parse(json: string): BrowserCopy | undefined {
  try {
    const copy = JSON.parse(json) as Partial<BrowserCopy> | null;
    const { content, tags, attachments } = copy?.draft ?? {};
    const isCopy =
      typeof copy?.savedAt === 'number' &&
      typeof copy.saveKey === 'string' &&
      typeof content === 'string' &&
      Array.isArray(tags) &&
      Array.isArray(attachments);
    if (!isCopy) return undefined;
    // The site takes no field that it does not know.
    const known = Object.entries(copy.draft ?? {}).filter(([name]) => name in emptyDraft);
    return { ...copy, draft: Object.fromEntries(known) } as BrowserCopy;
  } catch {
    return undefined;
  }
}
