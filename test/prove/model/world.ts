import type { ShownIn } from '../../../contract/post-input.ts';
import type { WishKind } from '../../../contract/wishes.ts';

/**
 * The site as the specification describes it, in plain values, without how it is stored or served.
 * The tester names everything (`u4` signed up in step 4, `p7` was written in step 7); `id` is
 * the server's id.
 */
export type World = {
  accounts: Record<string, Account>;
  sessions: Record<string, Session>;
  tokens: Record<string, AccessToken>;
  tags: Record<string, Tag>;
  /** Names of the tags that everybody may read. */
  defaults: string[];
  posts: Record<string, Post>;
  comments: Record<string, Comment>;
  files: Record<string, StoredFile>;
  downloads: Record<string, Download>;
  uploads: Record<string, Upload>;
  invitations: Record<string, Invitation>;
  passkeys: Record<string, Passkey>;
  transfers: Record<string, Transfer>;
  webhooks: Record<string, Webhook>;
  /** Whether the site requires a second factor of admins. */
  requiresFactor: boolean;
  /** The settings that somebody has decided, or has made so by publishing; `version` counts the changes. */
  settings: { version: number; values: SavedSettings };
  /** Names of the posts that subscribers have not been mailed about yet. */
  unannounced: string[];
  /** The digests that were not mailed yet: of posts announced after a moment, until another. */
  digests: { account: string; since: number; until: number }[];
  /** The tags of which an account is to be mailed what they open; not new once that mail may wait. */
  openings: { account: string; tags: string[]; isNew: boolean }[];
  /** Accounts that were let in to a post and not mailed so yet. */
  letIn: string[];
  /** The word of the About text. */
  about: string | null;
  /** The clock of the site, in milliseconds. */
  now: number;
};

export type SavedSettings = { namesAuthors?: 'true' | 'false'; commentsCloseAfter?: string };

export type Account = {
  name: string;
  id: string;
  username: string;
  fullName: string;
  password: string;
  /**
   * Whether it has a password. It loses it once the owner of an unconfirmed address logs in: somebody else
   * may have set it.
   */
  hasPassword: boolean;
  status: 'pending' | 'approved' | 'denied';
  isAdmin: boolean;
  isAuthor: boolean;
  /** When it was made, by the clock of the site. */
  since: number;
  /** Whether an admin has taken away that they comment; left out if none did. */
  isMuted?: boolean;
  /** Whether they hear of new posts by a digest; left out if they never said so. */
  hasDigest?: boolean | undefined;
  /** The hour of their digest, in UTC; left out if they never said so. */
  digestHour?: number;
  /** The moment after which posts are in their next digest. */
  digestSince?: number;
  /** The feed of their own that they made last. */
  feed?: { secret: string; isOpen: boolean };
  /** Whether mails to an address become published posts; undefined once it has ended. The last is kept. */
  postAddress?: { publishes: boolean; email: string } | undefined;
  postEmail?: string;
  /** The address of their last picture, and whether it stands beside their name. */
  face?: { address: string; isShown: boolean };
  /** Whom they have proposed; `isGone` once it is answered, withdrawn or said anew. */
  proposed?: { email: string; word: string; isGone: boolean }[];
  /** What they have chosen to hear of by mail, or not to. */
  wishes?: Partial<Record<WishKind, boolean>>;
  /** Whether they see posts of this day in earlier years; left out if they never said so. */
  showsPast?: boolean;
  /** Names of the approved tags. */
  tags: string[];
  /** Names of the tags that were taken away: no link gives them back. */
  withheld?: string[] | undefined;
  /** The state before the last decision about the account, which can be undone. */
  before?: Pick<Account, 'status' | 'tags' | 'withheld' | 'isAuthor'> | undefined;
  isSubscribed: boolean;
  isConfirmed: boolean;
  /** True for an account that joined by an invitation: no admin has decided about it. */
  isInvited: boolean;
  /** The addresses by which it answers posts of which it was mailed. */
  replyTo?: Record<string, string>;
  /** The link that confirms its address, from the last mail. */
  link?: { token: string; isOpen: boolean };
  /** The newest mailed sign-in link. */
  signInLink?: { token: string; madeAt: number; isOpen: boolean };
  /** The unused recovery codes of a second factor; null without a second factor. */
  codes: string[] | null;
  isGone: boolean;
};

export type Session = {
  name: string;
  account: string;
  cookie: string;
  bearer: string;
  /** The name of the browser. */
  device: string;
  isOpen: boolean;
  /** Whether it is notified of posts and answers; left out if it never was. */
  isNotified?: boolean;
};

export type AccessToken = {
  name: string;
  account: string;
  id: string;
  secret: string;
  label: string;
  isOpen: boolean;
};

/** A tag with its present name, and whether it is in the tag list. Deleted tags stay here. */
export type Tag = {
  name: string;
  word: string;
  isListed: boolean;
  /** Its former names, which stay in the history of rights. */
  formerWords?: string[];
};

export type Post = {
  name: string;
  id: string;
  type: 'short' | 'essay';
  /** Null for a short post. */
  title: string | null;
  description: string | null;
  /** The first and the last word of its text. */
  head: string;
  tail: string;
  /** Names of its tags. */
  tags: string[];
  author: string;
  createdAt: string;
  /** Null for a draft. */
  publishedAt: string | null;
  isPinned?: boolean;
  /** Where an essay is shown; undefined for the timeline. */
  shownIn?: ShownIn | undefined;
  version: number;
  attachments: { file: string; description: string; alt: string }[];
  /** Files that its text shows. */
  shows: string[];
  /** Names of the accounts that like it. */
  likes: string[];
  /** Whether it is closed to comments; left out if it never was. */
  isClosed?: boolean;
  /** Names of the accounts that have asked the admins for it; left out if none has. */
  askedBy?: string[];
  /** When it was last announced to subscribers; left out if it never was. */
  announcedAt?: number;
  /** Names of the accounts that were told of it by mail; left out if none was. */
  mailedTo?: string[];
  /** Names of the accounts that have opened it, which each of them is told alone. */
  opened: string[];
  /** Whether the history names it since it was deleted, which a draft that its author has deleted is not. */
  isInHistory?: boolean;
  isGone: boolean;
};

export type Comment = {
  name: string;
  id: string;
  post: string;
  /** Null once the account is deleted. */
  author: string | null;
  word: string;
  createdAt: string;
  isGone: boolean;
  /** The comment with which its thread begins; null for one that answers none. */
  parent: string | null;
  /** The word of the reason for which an admin has hidden it; null while it is shown. */
  hidden: string | null;
  /** The words of reports, by the accounts that reported it. */
  reports: Record<string, string>;
};

export type StoredFile = {
  name: string;
  id: string;
  /** The path of its upload, which holds a unique word. */
  path: string;
  word: string;
  /** A sound, which is text and holds the word; null for a picture. */
  bytes: string | null;
  bytesWord: string | null;
  /** Null once the account is deleted. */
  uploader: string | null;
  isGone: boolean;
};

/**
 * A download token: its file, when it was made, and the session or access token that asked for it, or null
 * for a visitor.
 */
export type Download = { name: string; file: string; holder: string | null; token: string; madeAt: number };

/** An upload in parts: its account and its file. */
export type Upload = {
  name: string;
  id: string;
  account: string;
  file: string;
  hasPart: boolean;
  isFinished: boolean;
  isGone: boolean;
};

/** A link by which people join. */
export type Invitation = {
  name: string;
  id: string;
  secret: string;
  /** The name that admins see. */
  label: string;
  by: string;
  /** Names of the tags that people who join are allowed. */
  tags: string[];
  usesLeft: number;
  isRevoked: boolean;
  /** Whether it was made after the backup from which the site was restored. */
  isGone?: boolean;
};

export type Passkey = { name: string; id: string; account: string; label: string; isGone: boolean };

/** An address elsewhere that is told of posts. */
export type Webhook = { name: string; id: string; label: string; isGone: boolean };

/** An import or an export in the browser. `checked` is an import after its dry run. */
export type Transfer = {
  name: string;
  id: string;
  kind: 'import' | 'export';
  /** The admin who began it, or started the import; and the one who uploaded its archive. */
  by: string;
  uploader: string;
  state: 'waiting' | 'checked' | 'done' | 'failed' | 'cancelled';
  isDryRun: boolean;
  /** Whether the uploaded or exported file is still there. */
  hasFile: boolean;
  /** The words and ids of an export: those of the moment in which it was made. */
  words?: string[];
};

export const emptyWorld = (): World => ({
  accounts: {},
  sessions: {},
  tokens: {},
  tags: {},
  defaults: [],
  posts: {},
  comments: {},
  files: {},
  downloads: {},
  uploads: {},
  invitations: {},
  passkeys: {},
  transfers: {},
  webhooks: {},
  requiresFactor: false,
  settings: { version: 0, values: {} },
  unannounced: [],
  digests: [],
  openings: [],
  letIn: [],
  about: null,
  now: 0,
});

/** All that are not deleted. */
export function existing<T extends { isGone: boolean }>(all: Record<string, T>): T[] {
  return Object.values(all).filter(one => !one.isGone);
}

/** The names of a post's files, each once. */
export function carriedBy(post: Post): string[] {
  return [...new Set([...post.attachments.map(({ file }) => file), ...post.shows])];
}

/** The posts with a file. */
export function carriersOf(world: World, file: string): Post[] {
  return existing(world.posts).filter(post => carriedBy(post).includes(file));
}

export function emailOf(account: Pick<Account, 'username'>): string {
  return `${account.username}@example.com`;
}

export function tagWord(world: World, name: string): string {
  return world.tags[name]?.word ?? '';
}
