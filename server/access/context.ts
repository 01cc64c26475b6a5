import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Operation } from '../../contract/operation.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';
import type { WriteContext } from '../db/transaction.ts';
import type { SharedAnswer } from '../shared-answer.ts';
import type { TagCatalogue } from './audience.ts';
import type { Identity } from './viewer.ts';

/**
 * Everything needed to read on somebody's behalf: the database, the tags that decide about rights, and the
 * settings.
 */
export type ReadContext = {
  db: Kysely<Tables>;
  catalogue: () => Promise<TagCatalogue>;
  /**
   * The current settings of the site, or those that a transaction sees. Background work first waits for
   * `changes.caughtUp`.
   */
  settings: (trx?: Kysely<Tables>) => Promise<SiteSettings>;
};

/** The request behind a call, and the headers of its answer. */
export type RequestContext = {
  config: Config;
  requestHeaders: Headers;
  /** Headers to add to the answer. */
  replyHeaders: Headers;
  /** The network of the caller, as limits count it; null for a call inside this process. */
  network: string | null;
};

/** A call as its handler gets it, with the guards of its operation. */
export type Invocation = ReadContext & WriteContext & RequestContext & Identity;

/**
 * The handlers of a set of operations: each receives parsed input, and its answer is checked before it is
 * sent. `Context` is what they need besides the call.
 */
export type Handlers<Operations extends Record<string, Operation>, Context = unknown> = {
  [Name in keyof Operations]: (
    invocation: Invocation & Context,
    input: z.output<Operations[Name]['input']>,
  ) => Promise<
    z.input<Operations[Name]['output']> | SharedAnswer<z.input<Operations[Name]['output']> & object>
  >;
};
