import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { SiteSettings } from '../contract/site-settings.ts';
import type { TagCatalogue } from './access/audience.ts';
import type { RequestContext } from './access/context.ts';
import type { MemberGroup } from './access/user-counts.ts';
import type { Identity } from './access/viewer.ts';
import type { OpenidProvider } from './accounts/openid/provider.ts';
import type { PasswordHashing } from './accounts/sign-in/password-hashing.ts';
import type { Clock } from './base/clock.ts';
import type { Config } from './config.ts';
import type { DependsOn } from './db/changes/cache.ts';
import type { ChangeRecord } from './db/changes/record.ts';
import type { Tables } from './db/tables.ts';
import type { Actor, Guards } from './db/transaction.ts';
import type { FileStore } from './files/store/store.ts';
import type { Downloads } from './limits/downloads.ts';
import type { Limits } from './limits/rate-limits.ts';
import type { MailTransport } from './mail/transport.ts';
import type { PostCaches } from './posts/caches.ts';
import type { FeedIds } from './settings/feed-ids.ts';
import type { About } from './settings/read.ts';

/**
 * The dependencies of the application. Tests replace the clock, the pause, the hashing of passwords and the
 * limits; everything else is real.
 */
export type Deps = {
  db: Kysely<Tables>;
  changes: ChangeRecord;
  /** The connections for queries to PostgreSQL; undefined for SQLite. */
  pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'> | undefined;
  /** The current tags and their combinations. */
  catalogue: () => Promise<TagCatalogue>;
  /** The members grouped by their tags. */
  memberGroups: () => Promise<readonly MemberGroup[]>;
  postCaches: PostCaches;
  about: () => Promise<About>;
  /** The current settings of the site. Background work first waits for `changes.caughtUp`. */
  settings: () => Promise<SiteSettings>;
  config: Config;
  /** Hashes passwords, a bounded number of them at once. */
  hashing: PasswordHashing;
  /** The key that signs sessions and links. */
  secret: string;
  /** The ids of the feed are made from it; undefined while the site has no host of its own. */
  feedIds: FeedIds | undefined;
  limits: Limits;
  downloads: Downloads;
  mail: MailTransport;
  files: FileStore;
  /** The OpenID provider that people may sign in with. */
  openid: OpenidProvider | undefined;
  clock: Clock;
  /** Waits, in milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  /** The greatest age of the counts on a cached page, in milliseconds. */
  countsLagMs: number;
  log: Logger;
  /** Aborted when the process is told to stop: it still serves requests, but `/readyz` fails. */
  draining: AbortSignal;
  /** Aborted when the server begins to stop: streams must end, so that it can stop. */
  stopping: AbortSignal;
};

/** A call of an operation: the dependencies, the caller and the request. It cannot write before `invoke`. */
export type UnguardedInvocation = Deps &
  Identity &
  RequestContext & {
    /** Set if the answer will be cached: receives the keys that it depends on. */
    dependsOn?: DependsOn | undefined;
    /** Checked in each transaction besides the caller's rights. Throws once it no longer holds. */
    alsoHolds?: Guards['holdRights'];
    /** The author of changes, unless it is the caller. */
    by?: Actor | undefined;
  };
