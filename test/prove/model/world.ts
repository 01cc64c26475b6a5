/**
 * The site as the specification has it, as plain values: what there is, and nothing of how it is stored or served.
 * Everything is known by a name that the tester gave it (`u4` signed up in step 4, `p7` was written in step 7); `id` is
 * what the server called it.
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
  /** Whether admins are none without a second factor. */
  requiresFactor: boolean;
  /** Names of the posts that subscribers have not been told of yet. */
  unannounced: string[];
  /** The word of the About text. */
  about: string | null;
  /** The clock of the site, in milliseconds. */
  now: number;
};

export type Account = {
  name: string;
  id: string;
  username: string;
  fullName: string;
  password: string;
  /** False where the owner of an address that a stranger may have signed up with has shown that they read it. */
  hasPassword: boolean;
  status: 'pending' | 'approved' | 'denied';
  isAdmin: boolean;
  isAuthor: boolean;
  /** Names of the approved tags. */
  tags: string[];
  /** What they had before the last decision about them, which can be taken back. */
  before?: Pick<Account, 'status' | 'tags' | 'isAuthor'> | undefined;
  isSubscribed: boolean;
  isConfirmed: boolean;
  /** Nobody decided about an account that came by an invitation. */
  isInvited: boolean;
  /** The token of the link that confirms its address, from the last mail; none once it was used or ended. */
  link?: { token: string; isOpen: boolean };
  /** The newest link that was mailed to log in. */
  signInLink?: { token: string; madeAt: number; isOpen: boolean };
  /** What is left of the recovery codes of a second factor; null without one. */
  codes: string[] | null;
  isGone: boolean;
};

export type Session = {
  name: string;
  account: string;
  cookie: string;
  bearer: string;
  /** What the browser calls itself. */
  device: string;
  isOpen: boolean;
};

export type AccessToken = {
  name: string;
  account: string;
  id: string;
  secret: string;
  label: string;
  isOpen: boolean;
};

/** What it is called now, and whether it is in the tag list; one that was deleted is there all the same. */
export type Tag = {
  name: string;
  word: string;
  isListed: boolean;
  /** What it was called before; the history of rights goes on calling it so. */
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
  version: number;
  attachments: { file: string; description: string }[];
  /** Files that its text shows. */
  shows: string[];
  /** Names of the accounts that like it. */
  likes: string[];
  isGone: boolean;
};

export type Comment = {
  name: string;
  id: string;
  post: string;
  /** Null once the account is gone. */
  author: string | null;
  word: string;
  createdAt: string;
  isGone: boolean;
};

export type StoredFile = {
  name: string;
  id: string;
  /** The name by which it was uploaded, and the word in it. */
  path: string;
  word: string;
  /** What is in it, and its word; a picture has none. */
  bytes: string | null;
  bytesWord: string | null;
  /** Null once the account is gone. */
  uploader: string | null;
  isGone: boolean;
};

/** A download token: by which session or access token it was asked for, `null` for a visitor's, and for which file. */
export type Download = { name: string; file: string; holder: string | null; token: string };

/** An upload in parts: whose it is, and of which file. */
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
  /** What admins call it. */
  label: string;
  by: string;
  /** Names of the tags that who joins is allowed. */
  tags: string[];
  usesLeft: number;
  isRevoked: boolean;
  /** It was made after the backup that the site was brought back from. */
  isGone?: boolean;
};

export type Passkey = { name: string; id: string; account: string; label: string; isGone: boolean };

/** An import or an export in the browser. `checked` is an import whose dry run is done. */
export type Transfer = {
  name: string;
  id: string;
  kind: 'import' | 'export';
  /** Who began it, or started the import; and who uploaded its archive. */
  by: string;
  uploader: string;
  state: 'waiting' | 'checked' | 'done' | 'failed' | 'cancelled';
  isDryRun: boolean;
  /** Whether what was uploaded for it, or made by it, is there. */
  hasFile: boolean;
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
  requiresFactor: false,
  unannounced: [],
  about: null,
  now: 0,
});

/** What stands, in a list. */
export function standing<T extends { isGone: boolean }>(all: Record<string, T>): T[] {
  return Object.values(all).filter(one => !one.isGone);
}

/** The names of the files that a post carries, each once. */
export function carriedBy(post: Post): string[] {
  return [...new Set([...post.attachments.map(({ file }) => file), ...post.shows])];
}

/** The posts that carry a file. */
export function carriersOf(world: World, file: string): Post[] {
  return standing(world.posts).filter(post => carriedBy(post).includes(file));
}

export function emailOf(account: Pick<Account, 'username'>): string {
  return `${account.username}@example.com`;
}

export function tagWord(world: World, name: string): string {
  return world.tags[name]?.word ?? '';
}
