import type { Generated } from 'kysely';
import type { HistoryVia } from '../../../contract/history.ts';
import type { HistoryKind } from '../../../contract/history-kinds.ts';
import type { TransferState } from '../../../contract/transfers.ts';
import type { Flag, OptionalFlag } from './columns.ts';

/** What belongs to the site as a whole, and its work in the background. */
export type SiteTables = {
  settings: {
    /**
     * The other `about-` rows are made from `about` when it is saved; `default-tags` holds when the default
     * tags were last changed.
     */
    name:
      | 'about'
      | 'about-html'
      | 'about-text'
      | 'about-readable'
      | 'default-tags'
      | 'secret'
      /** What the ids of the feed are made of (settings/feed-ids.ts). */
      | 'feed-ids'
      | 'setup-token'
      /** What admins have changed in the settings, as JSON (settings/site-settings.ts). */
      | 'site'
      /** Which of the first steps were left out, as JSON (settings/first-steps.ts). */
      | 'left-out-steps'
      /** A picture of the site in its sizes, as JSON with base64 (settings/pictures.ts). */
      | `picture:${string}`
      /** The migration that a program must know to write. */
      | 'least-writer'
      /** `required`: admins may do nothing as such without a second factor. */
      | 'admin-factor'
      /** The last backup that was read back, as JSON. */
      | 'backup'
      /** When an admin asked for a backup whose end is not noted yet. */
      | 'backup-wanted'
      /** The names of the folders that this site has marked: `db/folder-marker.ts`. */
      | 'folders'
      /** Entries of the history of rights that are older may be deleted: milliseconds. */
      | 'history-kept-from';
    value: string;
  };
  /** Attempts at something that is limited, under a digest of what was tried. */
  attempts: { name: string; points: number; expires_at: number };
  /**
   * Work that one process does for all: no other process begins it before `until`. With `keep-bytes`, no
   * bytes of files are removed until then.
   */
  leases: {
    name: 'sweep-files' | 'keep-bytes' | 'backup' | 'inbox';
    until: number;
    /** The process that renews it; null where nobody does, or several share it. */
    holder: string | null;
  };
  /**
   * What was imported, and from where, so that an import can be run again. Rows stay when what they name is
   * deleted, so that it is not imported again. `digest` covers a post's text and files
   * (moving/import/noted-digest.ts); `version` is that of the post after the import.
   */
  imported: {
    source: string;
    kind: 'post' | 'person' | 'comment' | 'like' | 'tag' | 'settings';
    target_id: string;
    digest: string;
    version: number | null;
  };
  /** An import or an export in the background. At most one is waiting, running or checked at a time. */
  transfers: {
    id: string;
    kind: 'import' | 'export';
    /** The source of an import, the format of an export. */
    what: string;
    state: TransferState;
    is_dry_run: Flag;
    /** An admin has confirmed that posts open from which the source has taken tags. */
    is_opening: OptionalFlag;
    /** JSON of `TransferFile[]`: what was uploaded for it and is still there. */
    files: string;
    done: Generated<number>;
    total: number | null;
    /** JSON of `ImportReport`. */
    report: string | null;
    /** JSON of `MadeExport`; null once its bytes are gone. */
    made: string | null;
    /** The key of its bytes in the store of files. */
    made_key: string | null;
    error: string | null;
    /** Whose rights it uses; null once the account is deleted, which ends it. */
    user_id: string | null;
    created_at: number;
    /** When the current step began: the dry run, or the import or export itself. */
    began_at: number | null;
    ended_at: number | null;
    /** How often a process has begun the current step. */
    attempts: Generated<number>;
    /** The process that holds it, and until when. */
    lease: string | null;
    leased_until: number | null;
  };
  /** The history of rights: triggers let nobody change an entry, and delete none but those that are old. */
  history: {
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
  changes: { seq: Generated<number>; kind: string; key: string; at: Generated<number> };
};

export type TransferFile = { slot: string; fileId: string; name: string };
