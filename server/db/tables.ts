import type { ColumnType, Generated, Selectable } from 'kysely';
import type { HistoryKind, HistoryVia } from '../../contract/history.ts';
import type { TransferState } from '../../contract/transfers.ts';

/**
 * The tables as Kysely sees them. Times of ours are milliseconds since 1970 in UTC, on both engines; flags are real
 * booleans in PostgreSQL and 0 or 1 in SQLite, hence {@link Flag}.
 */
type Flag = ColumnType<boolean | 0 | 1, boolean, boolean>;

/** Times that better-auth writes: ISO text in SQLite, timestamptz in PostgreSQL. Read them with `timeOf`. */
type AuthTime = ColumnType<string | Date, string | Date, string | Date>;

export type MemberStatus = 'pending' | 'approved' | 'denied';
type PostType = 'short' | 'essay';

type UsersTable = {
  id: string;
  name: string;
  email: string;
  email_verified: Flag;
  image: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
  /** Lower case, unique. */
  username: string;
  /** As the person wrote it. */
  display_username: string;
  is_admin: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  /** Writes posts of their own; never an admin, never somebody who is not approved. */
  is_author: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  status: Generated<MemberStatus>;
  approved_at: number | null;
  denied_at: number | null;
  /** What they wrote to the author when they signed up; null once somebody has decided about them. */
  introduction: Generated<string | null>;
};

/** What an account had before the last decision about it, to take that back: JSON of `Before`, for a day. */
type UndoableDecisionsTable = { user_id: string; decided_at: number; before: string };

type SessionsTable = {
  id: string;
  token: string;
  user_id: string;
  expires_at: AuthTime;
  ip_address: string | null;
  user_agent: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
  /** Whether it goes on with its use; others end a day after they began, and with the browser. */
  is_long: ColumnType<boolean | 0 | 1, boolean | undefined, boolean>;
  /** When its owner showed who they are, where that was not when it began (null). Milliseconds. */
  password_given_at: Generated<number | null>;
};

/** A browser that has signed in to an account, by a digest of the cookie that marks it. */
type KnownBrowsersTable = { digest: string; user_id: string; used_at: number };

type AccountsTable = {
  id: string;
  account_id: string;
  provider_id: string;
  user_id: string;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: AuthTime | null;
  refresh_token_expires_at: AuthTime | null;
  scope: string | null;
  /** The hash, never the password. */
  password: string | null;
  created_at: AuthTime;
  updated_at: AuthTime;
};

/** A key of a person's device or password manager, with which they sign in. What is kept of it opens nothing. */
type PasskeysTable = {
  id: string;
  user_id: string;
  /** As its owner calls it. */
  name: string;
  /** As WebAuthn names it, base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** How often it says that it has signed; 0 for one that does not count. */
  counter: number;
  /** How a browser reaches it, with blanks between. */
  transports: string;
  /** Whether it is on several devices. */
  is_synced: Flag;
  created_at: number;
  last_used_at: number | null;
};

/** The app that makes codes for an account. The secret has to be readable: codes are made of it. */
type SecondFactorsTable = {
  user_id: string;
  /** Base32 (RFC 4648). */
  secret: string;
  /** The step of time of the last code that was taken: neither it nor an older one is taken again. */
  last_step: number;
  created_at: number;
};

/** Codes for who has lost the app. The code itself is nowhere: only its SHA-256. */
type RecoveryCodesTable = { digest: string; user_id: string };

/** A sign-in that still needs a code, by the SHA-256 of what its browser holds. */
type PendingSignInsTable = { digest: string; user_id: string; expires_at: number; is_long: Flag };

type VerificationsTable = {
  id: string;
  identifier: string;
  value: string;
  expires_at: AuthTime;
  created_at: AuthTime;
  updated_at: AuthTime;
};

/** A mailed link which proves that the owner of the account reads the mailbox. Only the SHA-256 of its token is stored. */
type EmailLinksTable = {
  digest: string;
  user_id: string;
  /** Where it was mailed to: the address of the account, or the one that it is to have. */
  email: string;
  /** What using it does: confirms that address, or signs in. */
  purpose: 'confirm' | 'sign-in';
  expires_at: number;
};

/** A link by which people join without waiting. The token itself is nowhere: only its SHA-256. */
type InvitationsTable = {
  id: string;
  digest: string;
  /** Whom it is for, as the admin calls them. */
  name: string | null;
  /** The one address that may join by it; null when everybody who has the link may. */
  email: string | null;
  /** Whether the link went to that address by mail and to nobody else, so that who holds it reads the mailbox. */
  is_mailed: Flag;
  /** Null when the account is gone: nobody joins by it any more. */
  created_by: string | null;
  created_at: number;
  expires_at: number;
  max_uses: number;
  /** How many have joined by it, accounts that are gone too. */
  uses: Generated<number>;
  revoked_at: Generated<number | null>;
};
type InvitationTagsTable = { invitation_id: string; tag_id: string };
/** Which accounts came by which invitation. */
type InvitationUsesTable = { user_id: string; invitation_id: string };

/** Addresses that were denied, by digest; kept when the account goes. */
type DenialsTable = { digest: string; user_id: string; denied_at: number };

type TagsTable = {
  id: string;
  /** As first written. */
  name: string;
  /** NFC and lower case: what makes a tag the same tag (decisions.md 4). */
  key: string;
  /** False once deleted: posts and grants keep the tag, lists and pickers do not (decisions.md 5). */
  is_listed: Flag;
};

type DefaultTagsTable = { tag_id: string };
type ApprovedTagsTable = { user_id: string; tag_id: string };
/** Tags that an admin has taken from an account: no claim of an OpenID provider gives them back. */
type WithheldTagsTable = { user_id: string; tag_id: string };

/**
 * Every distinct combination of tags that a post carries. A row never changes what it means: another combination is
 * another row. That is why the access rule can be decided once per combination instead of once per post.
 */
type TagSetsTable = {
  id: Generated<number>;
  /** The sorted tag ids joined by a comma; empty for the untagged. */
  key: string;
  /** Published posts that carry exactly this combination; follows its rows in the same transaction. */
  published_count: Generated<number>;
};
type TagSetTagsTable = { tag_set_id: number; tag_id: string };

type PostsTable = {
  id: string;
  type: PostType;
  title: string | null;
  description: string | null;
  tag_set_id: number;
  author_id: string | null;
  /** Null while the post is a draft. */
  published_at: number | null;
  created_at: number;
  updated_at: number | null;
  like_count: Generated<number>;
  comment_count: Generated<number>;
  /** Made with the editor that wrote the post: the same key again is the same post. */
  save_key: string | null;
  /** Rises with each save, so that a save over somebody else's newer text is noticed. */
  version: Generated<number>;
  /** Markdown, as written. */
  content: string;
  /** Rendered and sanitised from `content` when saved. */
  html: string;
  /** `content` without what does not show in `html`; null for posts that were saved before this was kept. */
  readable: string | null;
  /** The words of `html` alone, for search, excerpts and descriptions. */
  text: string;
};

/** The number of a post in SQLite's index of words. */
type PostSearchRowsTable = { number: Generated<number>; post_id: string };
/** The words of posts, for search: by `rowid`, a number of `post_search_rows`, in SQLite; by `post_id` in PostgreSQL. */
type PostSearchTable = { rowid: Generated<number>; post_id: Generated<string>; words: string };

type AttachmentsTable = {
  id: string;
  post_id: string;
  position: number;
  name: string;
  url: string;
  type: string;
  size: number;
  description: string | null;
  thumbnail: string | null;
};

type LikesTable = { post_id: string; user_id: string; created_at: number };

type CommentsTable = {
  id: string;
  post_id: string;
  /** Null when the account is gone: shown as 'Unknown User'. */
  user_id: string | null;
  content: string;
  created_at: number;
  /** Made by the author's browser; the same key is the same comment. Null for comments without one. */
  key: string | null;
  /** The author's name on the site that it came from, where they have no account here. */
  author_name: Generated<string | null>;
};

type SubscriptionsTable = { user_id: string; email: string; created_at: number };
type SettingsTable = {
  /** The others of `about` are made from it when it is saved; `default-tags` holds when they were last changed. */
  name:
    | 'about'
    | 'about-html'
    | 'about-text'
    | 'about-readable'
    | 'default-tags'
    | 'secret'
    | 'setup-token'
    /** The migration that a program must know to write. */
    | 'least-writer'
    /** `required`: admins may do nothing as such without a second factor. */
    | 'admin-factor'
    /** The last backup that was read back, as JSON. */
    | 'backup'
    /** Entries of the history of rights that are older may be deleted: milliseconds. */
    | 'history-kept-from';
  value: string;
};

/**
 * What came from elsewhere, by where it came from, so that an import can be run again. It outlives what it names: what was
 * deleted here does not come back. `digest` is of a post's text and files, `version` the post's as the import left it.
 */
type ImportedTable = {
  source: string;
  kind: 'post' | 'person' | 'comment' | 'like' | 'tag' | 'settings';
  target_id: string;
  digest: string;
  version: number | null;
};

/** The path at which a post was reached on the site that it came from. */
type OldAddressesTable = { address: string; post_id: string };

/** A stored file; its bytes lie in the file store under its id. */
type FilesTable = {
  id: string;
  /** The name by which the storage service knows it; never part of a path on disk. */
  path: string;
  /** As its owner named it: what it is downloaded as. */
  name: string;
  /** Media type, told by content (decisions.md 23). */
  type: string;
  /** Bytes, as stored. */
  size: number;
  /** SHA-256 of the bytes as they were received, base64url. */
  digest: string;
  /** MD5 of the bytes as stored, base64; null for files stored before it was kept. */
  md5: string | null;
  /** Null when the account is gone. */
  uploader_id: string | null;
  created_at: number;
  updated_at: Generated<number>;
  /** Another with each upload under the same path. */
  generation: Generated<number>;
  /** Rises with each change of metadata. */
  metageneration: Generated<number>;
  /** What a program wants to be told back: JSON of `OwnMetadata`. */
  metadata: Generated<string>;
  /** Of a picture, as it is shown: pixels after its orientation. */
  width: number | null;
  height: number | null;
  /** A picture's colours at a glance, as a data URL; null where it would not help. */
  placeholder: string | null;
  /** Smaller sizes of a picture: JSON of `Variant[]`; null until made. */
  variants: string | null;
  /** Until then a process makes them, or waits to try again. */
  variants_due_at: Generated<number>;
};

/** An upload in several steps. */
type UploadSessionsTable = {
  id: string;
  user_id: string;
  path: string;
  /** As declared. */
  type: string | null;
  /** Bytes, as declared; null when not. */
  size: number | null;
  metadata: string;
  /** Bytes received so far, which the parts hold one after the other. */
  received: Generated<number>;
  /** Set once finished, so that a repeated last step gets the same answer. */
  file_id: string | null;
  touched_at: number;
};

/** Bytes of an unfinished upload, from `start` on; they lie in the store of files under `key`. */
type UploadPartsTable = {
  upload_id: string;
  start: number;
  /** How many count. */
  size: number;
  /** How many at the beginning of the stored bytes had come before, and do not count. */
  skip: number;
  key: string;
  /** SHA-256 of the stored bytes as they came, base64url. */
  digest: string;
};

/** Sums that follow their rows by triggers: `file-bytes`, the sizes of all files. */
type TotalsTable = { name: 'file-bytes'; value: number };

/** Work that one process does for all: nobody else begins it before `until`. Or `keep-bytes`: none are removed until then. */
type LeasesTable = { name: 'sweep-files' | 'keep-bytes' | 'backup'; until: number };

/** What a program signs in with. The token itself is nowhere: only its SHA-256, base64url. */
type AccessTokensTable = {
  id: string;
  user_id: string;
  name: string;
  digest: string;
  created_at: number;
  expires_at: number | null;
  /** `Scope`s with blanks between. */
  scopes: string;
  /** To the hour. */
  last_used_at: Generated<number | null>;
  last_used_from: string | null;
};
type PostFilesTable = { post_id: string; file_id: string };

/** A post that subscribers are to hear of; written by the transaction that publishes it. */
type AnnouncementsTable = {
  post_id: string;
  created_at: number;
  /** Subscribers up to this id have their row in `mails`. */
  last_user_id: Generated<string>;
  expanded_at: number | null;
};

export type MailKind =
  | 'post'
  | 'reset'
  | 'confirm'
  | 'approved'
  | 'waiting'
  | 'notice'
  | 'sign-in'
  | 'invitation';
export type MailState = 'queued' | 'sent' | 'dropped' | 'failed';

type MailsTable = {
  id: string;
  /** What makes it the same mail: it exists once. */
  once: string;
  kind: MailKind;
  user_id: string | null;
  post_id: string | null;
  /** JSON of what the mail says; emptied once it needs no sending any more, because it can hold a one-time link. */
  data: string;
  state: MailState;
  attempts: Generated<number>;
  due_at: number;
  /** The worker that holds it, and until when. */
  lease: string | null;
  leased_until: number | null;
  created_at: number;
  done_at: number | null;
  error: string | null;
};

/** Tries of something that is limited, under a digest of what was tried. */
type AttemptsTable = { name: string; points: number; expires_at: number };

export type TransferFile = { slot: string; fileId: string; name: string };

/** An import or an export in the background. At most one is waiting, running or checked at a time. */
type TransfersTable = {
  id: string;
  kind: 'import' | 'export';
  /** The source of an import, the format of an export. */
  what: string;
  state: TransferState;
  is_dry_run: Flag;
  /** JSON of `TransferFile[]`: what was uploaded for it and is still there. */
  files: string;
  done: Generated<number>;
  total: number | null;
  /** JSON of `ImportReport`. */
  report: string | null;
  /** JSON of `MadeExport`; null once its bytes are gone. */
  made: string | null;
  /** Where its bytes lie in the store of files. */
  made_key: string | null;
  error: string | null;
  /** Whose rights it uses; null once the account is gone, and then it ends. */
  user_id: string | null;
  created_at: number;
  /** When the step that is under way began: the dry run, or what comes after. */
  began_at: number | null;
  ended_at: number | null;
  /** How often a process has taken on the step that is under way. */
  attempts: Generated<number>;
  /** The process that holds it, and until when. */
  lease: string | null;
  leased_until: number | null;
};

/** The history of rights: triggers let nobody change an entry, and delete none but those that are old. */
type HistoryTable = {
  id: string;
  at: number;
  kind: HistoryKind;
  actor_id: string | null;
  /** Usernames, as they were. */
  actor_name: string | null;
  via: HistoryVia;
  via_name: string | null;
  address: string | null;
  user_id: string | null;
  user_name: string | null;
  /** JSON of `HistoryDetail`. */
  detail: string;
};

/** The record of changes (`ChangeRecord`): written by triggers alone. PostgreSQL's has `xid` as well. */
type ChangesTable = { seq: Generated<number>; kind: string; key: string; at: Generated<number> };

export type Tables = {
  changes: ChangesTable;
  users: UsersTable;
  sessions: SessionsTable;
  known_browsers: KnownBrowsersTable;
  accounts: AccountsTable;
  passkeys: PasskeysTable;
  second_factors: SecondFactorsTable;
  recovery_codes: RecoveryCodesTable;
  pending_sign_ins: PendingSignInsTable;
  verifications: VerificationsTable;
  email_links: EmailLinksTable;
  denials: DenialsTable;
  undoable_decisions: UndoableDecisionsTable;
  invitations: InvitationsTable;
  invitation_tags: InvitationTagsTable;
  invitation_uses: InvitationUsesTable;
  tags: TagsTable;
  default_tags: DefaultTagsTable;
  approved_tags: ApprovedTagsTable;
  withheld_tags: WithheldTagsTable;
  tag_sets: TagSetsTable;
  tag_set_tags: TagSetTagsTable;
  posts: PostsTable;
  post_search_rows: PostSearchRowsTable;
  post_search: PostSearchTable;
  attachments: AttachmentsTable;
  likes: LikesTable;
  comments: CommentsTable;
  subscriptions: SubscriptionsTable;
  settings: SettingsTable;
  imported: ImportedTable;
  old_addresses: OldAddressesTable;
  files: FilesTable;
  post_files: PostFilesTable;
  announcements: AnnouncementsTable;
  mails: MailsTable;
  attempts: AttemptsTable;
  upload_sessions: UploadSessionsTable;
  upload_parts: UploadPartsTable;
  totals: TotalsTable;
  leases: LeasesTable;
  access_tokens: AccessTokensTable;
  history: HistoryTable;
  transfers: TransfersTable;
};

export type UserRow = Selectable<UsersTable>;
export type PasskeyRow = Selectable<PasskeysTable>;
export type PostRow = Selectable<PostsTable>;
export type FileRow = Selectable<FilesTable>;
export type ImportedRow = Selectable<ImportedTable>;
export type MailRow = Selectable<MailsTable>;
export type AccessTokenRow = Selectable<AccessTokensTable>;
export type HistoryRow = Selectable<HistoryTable>;
export type UploadSessionRow = Selectable<UploadSessionsTable>;
export type TransferRow = Selectable<TransfersTable>;

/** Milliseconds of a time that better-auth wrote. */
export function timeOf(time: string | Date): number {
  return typeof time === 'string' ? Date.parse(time) : time.getTime();
}
