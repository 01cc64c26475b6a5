import type { ShownIn } from '../../../contract/post-input.ts';

/** The common form of every source, which `run.ts` saves. Times are milliseconds. */

/** A file of a source, such as a picture of a post. */
export type DraftFile = {
  /** Its owner's name for it. */
  name: string;
  /** Bytes. */
  size: number;
  /** Its name for programs (`posts/1700000000_walk.jpg`), if the source has one. */
  path?: string;
  /** When it was last changed there, if known. */
  modifiedAt?: number;
  /** Opens its bytes, from the start at each call. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes the copy on this disk that was made to read it. It is not read again. */
  discard?(): Promise<void>;
};

/**
 * Finds the file behind an address for which `isOwnAddress` is true. Undefined for an address that is no file
 * of the source: it stays unchanged. A sentence says why a file of the source cannot be imported. `isLink`
 * tells a link from an embedded file.
 */
export type FindFile = (
  address: string,
  isLink: boolean,
) => Promise<DraftFile | { problem: string } | undefined>;

/** The post of the same source that a link refers to: its `id` in {@link DraftPost}. */
type FindPost = (address: string) => string | undefined;

/** The author of a post as the source names them. */
export type DraftAuthor = {
  /** Their names there; the report uses the first. */
  names: readonly [string, ...string[]];
  email?: string | undefined;
};

type DraftComment = {
  /** Unique within its post, or its source. */
  id: string;
  /** The id of a {@link DraftPerson}, if its author has an account. */
  personId?: string | undefined;
  /** Shown if the author has no account. */
  authorName?: string | undefined;
  /** Plain text. */
  content: string;
  time: number;
  /** An id that programs use for it. */
  keepId?: string | undefined;
  /** The id of the comment that begins its thread, if it is an answer. */
  answers?: string | undefined;
  /** Why an admin has hidden it; left out for a visible comment. */
  hidden?: string | undefined;
};

type DraftLike = { personId: string; time: number };

type DraftAttachment = {
  address: string;
  description?: string | undefined;
  alt?: string | undefined;
  thumbnail?: string | undefined;
};

export type DraftPost = {
  kind: 'post';
  /** Identifies it when the source is read again. Unique within the source; shown in the report. */
  id: string;
  /** The id of the post in addresses and programs, if the source's own can stay. */
  keepId?: string | undefined;
  /** Set if the source knows it; otherwise a text without a title that is short enough is a short post. */
  type?: 'short' | 'essay' | undefined;
  /** Where readers find an essay, if the source knows it. */
  shownIn?: ShownIn | undefined;
  /** The picture beside the preview of an essay, or `none`; undefined if the source has none. */
  cardPicture?: string | undefined;
  /** `isPinned` and `commentsClosed` are set in a new post; one that is imported again keeps its own. */
  isPinned?: boolean | undefined;
  commentsClosed?: boolean | undefined;
  /** Whether mails hold only its beginning. */
  mailsBeginning?: boolean | undefined;
  title: string | undefined;
  /** For an essay without a title. */
  fallbackTitle: string;
  description: string | undefined;
  /** Markdown. */
  content: string;
  /**
   * The text of the source; undefined if none can be lost. The report says if many of its words are missing
   * here.
   */
  sourceWords?(): string | undefined;
  isDraft: boolean;
  /** From when and until when its source shows it, if it schedules that; see `heldBack`. */
  shown?: { from: number | undefined; until: number | undefined };
  /** When it was published, or written. */
  date: number | undefined;
  /** For a post without a date, such as when its file was last changed. */
  fallbackDate?: number | undefined;
  /** When it was last edited at its source. */
  editedAt?: number | undefined;
  /** Tags as names: if this site has them, its own are used. */
  tags: readonly string[];
  /**
   * Groups of readers in the source (`friends`, `members`, a granted tag). Each becomes a tag that only those
   * people get (decision 32).
   */
  audience: readonly string[];
  /** The site that these names belong to, if the source's own name does not tell. */
  audienceOf?: string | undefined;
  /** The id of the {@link DraftPerson} who wrote it. */
  personId?: string | undefined;
  /** Its author, if it is not a {@link DraftPerson} of the source. */
  author?: DraftAuthor | undefined;
  comments: readonly DraftComment[];
  likes: readonly DraftLike[];
  /** Undefined if the source has no attachments besides the text. */
  attachments?: readonly DraftAttachment[] | undefined;
  /** Whether an address in the text may be one of the source's own files or posts, without looking it up. */
  isOwnAddress(address: string): boolean;
  findFile: FindFile;
  findPost?: FindPost;
  /** The former addresses of the post: whole ones, or paths such as `/2020/05/a-walk/`. */
  addresses: readonly string[];
  /** Sentences for the report about what could not be understood or kept. */
  notes: readonly string[];
};

export type DraftPerson = {
  kind: 'person';
  id: string;
  keepId?: string | undefined;
  email: string;
  isEmailVerified: boolean;
  username: string;
  name: string;
  /**
   * A hash that `server/accounts/sign-in/imported-passwords.ts` can verify; undefined for an account without
   * a password.
   */
  passwordHash: string | undefined;
  status: 'pending' | 'approved' | 'denied';
  isAdmin: boolean;
  /** The source's groups of this person; see `audience` of {@link DraftPost}. */
  audience: readonly string[];
  createdAt: number;
  decidedAt?: number | undefined;
  /** Whether the person gets mails about new posts. */
  isSubscribed: boolean;
  notes: readonly string[];
};

/** A site's description of itself; each field is used only if this site has none yet. */
export type DraftSettings = {
  kind: 'settings';
  about?: string | undefined;
  /** What visitors may read; see `audience` of {@link DraftPost}. */
  defaultAudience?: readonly string[] | undefined;
  /** All names by which the source restricts posts, whether or not a post carries them. */
  audienceNames?: readonly string[] | undefined;
};

/** Something that cannot be imported: an unreadable file, an item of an unknown kind. */
export type Refused = { kind: 'refused'; id: string; reason: string };

/** Whether the source does not restrict who reads a post: its tags say only what it is about. */
export const isOpenAtSource = ({ isDraft, audience }: DraftPost): boolean =>
  !isDraft && audience.length === 0;

export type DraftItem = DraftPost | DraftPerson | DraftSettings | Refused;

/** Finds out whether a source was imported before, if its name does not tell. */
export type UnsureSource = {
  /** The common prefix of the names of such sources. */
  kind: string;
  /** Its location on this machine, if that helps to recognise it: not that of an upload. */
  place?: string | undefined;
  ids: readonly string[];
  posts(ids: ReadonlySet<string>): AsyncIterable<DraftItem>;
};

export type Source = {
  /**
   * Distinguishes its items from those of other sources, such as `firebase:my-blog`; with `unsure`, the name
   * that earlier versions used.
   */
  name: string;
  /** Set if two sources can have the same name; see `nameOfSource`. */
  unsure?: UnsureSource | undefined;
  total: number | undefined;
  /** People and settings come before the posts that name them. */
  items(): AsyncIterable<DraftItem>;
  /** Sentences about what such a source never brings, for the report. */
  leftBehind: readonly string[];
  /** Closes the source, once its last file has been read. */
  close?(): Promise<void>;
};
