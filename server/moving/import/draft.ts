import type { ShownIn } from '../../../contract/post-input.ts';

/** The form into which every source is brought, and which `run.ts` saves. Times are milliseconds. */

/** A file that a source brings along, such as a picture of a post. */
export type DraftFile = {
  /** As its owner named it. */
  name: string;
  /** Bytes. */
  size: number;
  /** The name by which programs know it (`posts/1700000000_walk.jpg`), where the source has one. */
  path?: string;
  /** When it was last changed there, where that is known. */
  modifiedAt?: number;
  /** Opens its bytes, from the start at each call. */
  read(): AsyncIterable<Uint8Array>;
  /** Removes what was stored on this disk to read it. It is not read again. */
  discard?(): Promise<void>;
};

/**
 * Finds the file behind an address of which `isOwnAddress` is true. Undefined for one that is no file of the
 * source: it stays as it is. A sentence says why a file of its own cannot come along. `isLink` tells a link
 * from what is shown.
 */
export type FindFile = (
  address: string,
  isLink: boolean,
) => Promise<DraftFile | { problem: string } | undefined>;

/** The post of the same source that a link of a text means: its `id` in {@link DraftPost}. */
type FindPost = (address: string) => string | undefined;

/** Whom a source names as the author of a post. */
export type DraftAuthor = {
  /** What they are called there; the report calls them by the first. */
  names: readonly [string, ...string[]];
  email?: string | undefined;
};

type DraftComment = {
  /** Within its post, or its source. */
  id: string;
  /** The id of a {@link DraftPerson}, where its author has an account. */
  personId?: string | undefined;
  /** Shown where the author has no account. */
  authorName?: string | undefined;
  /** Plain text. */
  content: string;
  time: number;
  /** An id that programs know it by. */
  keepId?: string | undefined;
  /** The id of the comment with which its thread begins, where it is an answer. */
  answers?: string | undefined;
  /** Why an admin has hidden it; left out for one that is shown. */
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
  /**
   * By this it is recognised when the source is read again. Unique within the source; shown in the report.
   */
  id: string;
  /** The id that the post has in addresses and programs, where the source's own can stay. */
  keepId?: string | undefined;
  /** Told where the source knows it; else a text without a title that is short enough is a short post. */
  type?: 'short' | 'essay' | undefined;
  /** Where readers find an essay, where the source knows it. */
  shownIn?: ShownIn | undefined;
  /** The picture beside the preview of an essay, or `none`; undefined where the source knows of none. */
  cardPicture?: string | undefined;
  title: string | undefined;
  /** For an essay that has no title. */
  fallbackTitle: string;
  description: string | undefined;
  /** Markdown. */
  content: string;
  /**
   * The words of the source; undefined where none can be lost. The report says when many of them are missing
   * here.
   */
  sourceWords?(): string | undefined;
  isDraft: boolean;
  /** From when and until when its source shows it, where it does so by itself; see `heldBack`. */
  shown?: { from: number | undefined; until: number | undefined };
  /** When it was published, or written. */
  date: number | undefined;
  /** For a post without a date, such as when its file was last changed. */
  fallbackDate?: number | undefined;
  /** When it was last edited at its source. */
  editedAt?: number | undefined;
  /** Tags as words: they are those of this site, where it has them. */
  tags: readonly string[];
  /**
   * Groups of readers in the source (`friends`, `members`, a granted tag). Each becomes a tag granted only to
   * those people (decisions.md 32).
   */
  audience: readonly string[];
  /** The site whose names these are, where the source's own name does not tell it. */
  audienceOf?: string | undefined;
  /** The id of the {@link DraftPerson} who wrote it. */
  personId?: string | undefined;
  /** Who wrote it, where no {@link DraftPerson} of the source did. */
  author?: DraftAuthor | undefined;
  comments: readonly DraftComment[];
  likes: readonly DraftLike[];
  /** Undefined where the source knows no attachments beside the text. */
  attachments?: readonly DraftAttachment[] | undefined;
  /**
   * Whether an address in the text may be one of the source's own files or posts, told without looking for
   * it.
   */
  isOwnAddress(address: string): boolean;
  findFile: FindFile;
  findPost?: FindPost;
  /** Where the post was reached: whole addresses, or paths from the slash on, such as `/2020/05/a-walk/`. */
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
  /** What the source allowed this person; see `audience` of {@link DraftPost}. */
  audience: readonly string[];
  createdAt: number;
  decidedAt?: number | undefined;
  /** Whether the person gets mails about new posts. */
  isSubscribed: boolean;
  notes: readonly string[];
};

/** What a site says of itself; each is taken only where this site says nothing yet. */
export type DraftSettings = {
  kind: 'settings';
  about?: string | undefined;
  /** See `audience` of {@link DraftPost}: what visitors may read. */
  defaultAudience?: readonly string[] | undefined;
  /** Names that the source decides by, whether or not a post carries them. */
  audienceNames?: readonly string[] | undefined;
};

/** Something that cannot be imported: a file that cannot be read, an item of an unknown kind. */
export type Refused = { kind: 'refused'; id: string; reason: string };

export type DraftItem = DraftPost | DraftPerson | DraftSettings | Refused;

/** What finds out whether a source was imported before, where its name does not tell. */
export type UnsureSource = {
  /** The beginning of the names of all such sources. */
  kind: string;
  /** Where it lies on this machine, where that may tell: not that of an upload. */
  place?: string | undefined;
  /** The ids of its posts. */
  ids: readonly string[];
  /** Those of its posts. */
  posts(ids: ReadonlySet<string>): AsyncIterable<DraftItem>;
};

/** A reader of one source. */
export type Source = {
  /**
   * What tells its items from those of other sources, such as `firebase:my-blog`; with `unsure`, what
   * earlier versions took for that.
   */
  name: string;
  /** Set where two sources can have the same name; see `nameOfSource`. */
  unsure?: UnsureSource | undefined;
  /** How many items {@link items} yields, where that is known. */
  total: number | undefined;
  /** People and settings before the posts that name them. */
  items(): AsyncIterable<DraftItem>;
  /** Sentences about what such a source never brings, for the report. */
  leftBehind: readonly string[];
  /** Closes what the source holds open, once its last file has been read. */
  close?(): Promise<void>;
};
