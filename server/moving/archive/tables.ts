import type { Tables } from '../../db/tables.ts';

type Column<Table extends keyof Tables> = keyof Tables[Table] & string;

/**
 * How an archive treats a table: it contains its rows, in the order of these columns and without some of
 * them, or omits it for this reason.
 */
type Treatment<Table extends keyof Tables> =
  | { by: readonly Column<Table>[]; except?: (row: Row) => boolean }
  | { leftOut: string };

type Row = Readonly<Record<string, unknown>>;

/**
 * Every table, in the order in which an archive holds them and a restore fills them: rows come after those
 * they refer to. The compiler requires each new table here.
 */
export const treatments: { [Table in keyof Tables]: Treatment<Table> } = {
  // An archive is often made on request: a restored site would make another.
  settings: { by: ['name'], except: ({ name }) => name === 'backup-wanted' },
  users: { by: ['id'] },
  faces: { by: ['user_id'] },
  sign_in_methods: { by: ['id'] },
  passkeys: { by: ['id'] },
  // Without them a restored site would require less than the archived one.
  second_factors: { by: ['user_id'] },
  recovery_codes: { by: ['digest'] },
  denials: { by: ['digest'] },
  history: { by: ['id'] },
  access_tokens: { by: ['id'] },
  personal_feeds: { by: ['user_id'] },
  post_addresses: { by: ['user_id'] },
  subscriptions: { by: ['user_id'] },
  mail_wishes: { by: ['user_id', 'kind'] },
  tags: { by: ['id'] },
  default_tags: { by: ['tag_id'] },
  unwanted_tags: { by: ['user_id', 'tag_id'] },
  invitations: { by: ['id'] },
  invitation_tags: { by: ['invitation_id', 'tag_id'] },
  invitation_uses: { by: ['user_id'] },
  proposals: { by: ['user_id', 'email'] },
  approved_tags: { by: ['user_id', 'tag_id'] },
  withheld_tags: { by: ['user_id', 'tag_id'] },
  tag_sets: { by: ['id'] },
  tag_set_tags: { by: ['tag_set_id', 'tag_id'] },
  posts: { by: ['id'] },
  attachments: { by: ['id'] },
  likes: { by: ['post_id', 'user_id'] },
  comments: { by: ['id'] },
  access_requests: { by: ['post_id', 'user_id'] },
  comment_reports: { by: ['comment_id', 'user_id'] },
  reading_settings: { by: ['user_id'] },
  opened_posts: { by: ['user_id', 'post_id'] },
  openings: { by: ['post_id'] },
  files: { by: ['id'] },
  post_files: { by: ['post_id', 'file_id'] },
  totals: { by: ['name'] },
  imported: { by: ['source'] },
  old_addresses: { by: ['address', 'post_id'] },
  announcements: { by: ['post_id'] },
  bounces: { by: ['user_id'] },
  reply_addresses: { by: ['digest'] },
  told_posts: { by: ['post_id', 'user_id'] },
  webhooks: { by: ['id'] },
  // A valid link would open an account to anybody who reads the archive.
  mails: { by: ['id'], except: ({ data }) => typeof data === 'string' && 'token' in JSON.parse(data) },

  sessions: { leftOut: 'A restore would sign in again who has been signed out since.' },
  push_subscriptions: { leftOut: 'They end with their sessions.' },
  known_browsers: { leftOut: 'They are known again at the next sign-in.' },
  undoable_decisions: {
    leftOut: 'A decision can be taken back for a day, and what somebody wrote is forgotten with it.',
  },
  pending_sign_ins: { leftOut: 'What waits for a code is good for minutes.' },
  email_links: { leftOut: 'Links to mailboxes are good for hours, and can be asked for again.' },
  attempts: { leftOut: 'They count what was tried in the last hours.' },
  transfers: { leftOut: 'An import or an export that is under way belongs to the running site.' },
  upload_sessions: { leftOut: 'An upload that is under way begins again.' },
  upload_parts: { leftOut: 'An upload that is under way begins again.' },
  leases: { leftOut: 'They say which process of the running site does what.' },
  changes: { leftOut: 'The processes of the running site follow each other by it.' },
  post_search: { leftOut: 'It is made anew from the posts.' },
  post_search_rows: { leftOut: 'It is made anew from the posts.' },
  posts_to_index: { leftOut: 'The index for search is made anew.' },
};

/** The tables in an archive, in order, each with the columns that order its rows. */
export const archivedTables: readonly {
  name: string;
  by: readonly string[];
  /** The rows to omit; undefined for none. */
  except: ((row: Row) => boolean) | undefined;
}[] = Object.entries(treatments).flatMap(([name, treatment]) =>
  'by' in treatment ? [{ name, by: treatment.by, except: treatment.except }] : [],
);
