import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Operation } from '../contract/operation.ts';
import type { TagCatalogue } from './access/audience.ts';
import type { Identity } from './access/hold-rights.ts';
import type { Auth } from './accounts/auth.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { MadeFrom } from './db/changes/cache.ts';
import type { ChangeRecord } from './db/changes/record.ts';
import type { Tables } from './db/tables.ts';
import type { WriteContext } from './db/transaction.ts';
import type { FileStore } from './files/store.ts';
import type { Downloads } from './limits/downloads.ts';
import type { Limits } from './limits/rate-limits.ts';
import type { MailTransport } from './mail/transport.ts';
import type { OpenidProvider } from './openid/provider.ts';
import type { PostPages } from './posts/kept.ts';
import type { About } from './settings/read.ts';

/** What the application is made of. Tests substitute the clock and the pause; the rest is real everywhere. */
export type Deps = {
  db: Kysely<Tables>;
  changes: ChangeRecord;
  /** The tags and their combinations, as they stand now. */
  catalogue: () => Promise<TagCatalogue>;
  /** Pages of the timeline that were asked for lately. */
  postPages: PostPages;
  /** The About text as it stands now. */
  about: () => Promise<About>;
  config: Config;
  auth: Auth;
  /** What sessions and links are signed with. */
  secret: string;
  limits: Limits;
  /** The downloads that are under way. */
  downloads: Downloads;
  mail: MailTransport;
  /** Where the bytes of files live. */
  files: FileStore;
  /** Where people may sign in beside here. */
  openid: OpenidProvider | undefined;
  clock: Clock;
  /** Waits, in milliseconds. */
  pause: (ms: number) => Promise<unknown>;
  log: Logger;
  /** Aborted when the process has been told to stop: it is not ready for new readers, and goes on with all others. */
  draining: AbortSignal;
  /** Aborted when the server begins to stop: streams end, so that it can. */
  stopping: AbortSignal;
};

/** What reading on somebody's behalf takes: the database and the tags that decide. */
export type ReadDeps = Pick<Deps, 'db' | 'catalogue'>;

/** One call of an operation: who asks, over what. */
export type Invocation = Deps &
  Identity &
  WriteContext & {
    /** Headers of the request, and those that the answer will carry. */
    request: Headers;
    reply: Headers;
    /** The network that asks, as limits count it; null inside this process. */
    peer: string | null;
    /** Where the answer is kept, for others who ask the same: is told what it is made from. */
    madeFrom?: MadeFrom | undefined;
  };

/** The functions behind a set of operations: each receives parsed input, and its answer is parsed before it leaves. */
export type Handlers<Operations extends Record<string, Operation>> = {
  [Name in keyof Operations]: (
    invocation: Invocation,
    input: z.output<Operations[Name]['input']>,
  ) => Promise<z.input<Operations[Name]['output']>>;
};
