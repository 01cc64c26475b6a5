import type { Generated } from 'kysely';
import type { HistoryVia } from '../../../contract/history.ts';
import type { HistoryKind } from '../../../contract/history-kinds.ts';
import type { TransferState } from '../../../contract/transfers.ts';
import type { Flag, OptionalFlag } from './columns.ts';

/** Data of the site as a whole, and its background work. */
export type SiteTables = {
  settings: {
    /**
     * The other `about-` rows are made from `about` when it is saved; `default-tags` is the time of their
     * last change.
     */
    name:
      | 'about'
      | 'about-html'
      | 'about-text'
      | 'about-readable'
      | 'default-tags'
      | 'secret'
      /** The ids of the feed are made from it (settings/feed-ids.ts). */
      | 'feed-ids'
      | 'setup-token'
      /** The settings that admins have changed, as JSON (settings/site-settings.ts). */
      | 'site'
      /** The first steps that were skipped, as JSON (settings/first-steps.ts). */
      | 'left-out-steps'
      /** A picture of the site in its sizes, as JSON with base64 (settings/pictures.ts). */
      | `picture:${string}`
      /** The newest migration that a program must know in order to write. */
      | 'least-writer'
      /** `required`: admins without a second factor have no admin rights. */
      | 'admin-factor'
      /**
       * Two times: accounts made between them wait for approval whether or not their address is confirmed.
       */
      | 'confirmed-until'
      | 'confirms-since'
      /** The last backup that was read back, as JSON. */
      | 'backup'
      /** When an admin requested a backup that has not ended yet. */
      | 'backup-wanted'
      /** The names of the folders that this site has marked (db/folder-marker.ts). */
      | 'folders'
      /** Older entries of the history of rights may be deleted: milliseconds. */
      | 'history-kept-from';
    value: string;
  };
  /** Limited attempts, under a digest of what was tried. */
  attempts: { name: string; points: number; expires_at: number };
  /**
   * Work that one process does for all: no other process begins it before `until`. With `keep-bytes`, no
   * bytes of files are removed until then.
   */
  leases: {
    name: 'sweep-files' | 'keep-bytes' | 'backup' | 'inbox' | 'reindex';
    until: number;
    /** The process that renews it; null if nobody does, or several share it. */
    holder: string | null;
  };
  /**
   * The source of each imported row, so that an import can be repeated. Rows stay when their target is
   * deleted, so that it is not imported again. `digest` covers a post's text and files
   * (moving/import/noted-digest.ts); `version` is the post's version after the import.
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
    /** Whether an admin has confirmed that posts open from which the source has removed tags. */
    is_opening: OptionalFlag;
    /** JSON of `ImportChoices`; null before an admin has started the import. */
    choices: string | null;
    /** JSON of `TransferFile[]`: files that were uploaded for it and still exist. */
    files: string;
    done: Generated<number>;
    total: number | null;
    /** JSON of `ImportReport`. */
    report: string | null;
    /** JSON of `MadeExport`; null once its bytes are gone. */
    made: string | null;
    /** The key of its bytes in the file store. */
    made_key: string | null;
    error: string | null;
    /** The account whose rights it uses; null once it is deleted, which ends the transfer. */
    user_id: string | null;
    created_at: number;
    /** When the current step began: the dry run, or the import or export itself. */
    began_at: number | null;
    ended_at: number | null;
    /** How often a process has begun the current step. */
    attempts: Generated<number>;
    /** The process that holds the lease, and until when. */
    lease: string | null;
    leased_until: number | null;
  };
  /** The history of rights: triggers forbid changing an entry, and deleting any but old ones. */
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
  /** The record of changes (`ChangeRecord`), written only by triggers. PostgreSQL's has `xid` as well. */
  changes: { seq: Generated<number>; kind: string; key: string; at: Generated<number> };
};

/** What an admin has chosen before an import began. */
export type ImportChoices = {
  /** Whether posts that the source does not restrict come without the tags that would restrict them here. */
  leavesTagsOut: boolean;
  /** The accounts here of authors, by the names that the source has for them; null for nobody. */
  authors: { name: string; userId: string | null }[];
};

export type TransferFile = { slot: string; fileId: string; name: string };
