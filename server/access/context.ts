import type { Kysely } from 'kysely';
import type { z } from 'zod';
import type { Operation } from '../../contract/operation.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';
import type { WriteContext } from '../db/transaction.ts';
import type { SharedAnswer } from '../shared-answer.ts';
import type { TagCatalogue } from './audience.ts';
import type { Identity } from './credentials.ts';

/**
 * What reading on somebody's behalf needs: the database, the tags that decide about rights, and the settings.
 */
export type ReadContext = {
  db: Kysely<Tables>;
  /** The current tags and their combinations. */
  catalogue: () => Promise<TagCatalogue>;
  /**
   * The settings of the site, as they hold, or as a transaction sees them. Background work first waits for
   * `changes.caughtUp`.
   */
  settings: (trx?: Kysely<Tables>) => Promise<SiteSettings>;
};

/** The request behind a call, and what its answer takes along. */
export type RequestContext = {
  config: Config;
  requestHeaders: Headers;
  /** Headers to add to the answer. */
  replyHeaders: Headers;
  /** The network of the caller, as limits count it; null for a call inside this process. */
  peer: string | null;
};

/** A call as the function behind an operation gets it, with the guards of that operation. */
export type Invocation = ReadContext & WriteContext & RequestContext & Identity;

/**
 * The functions behind a set of operations: each receives parsed input, and its answer is checked before it
 * leaves. `Context` is what they need beside the call.
 */
export type Handlers<Operations extends Record<string, Operation>, Context = unknown> = {
  [Name in keyof Operations]: (
    invocation: Invocation & Context,
    input: z.output<Operations[Name]['input']>,
  ) => Promise<
    z.input<Operations[Name]['output']> | SharedAnswer<z.input<Operations[Name]['output']> & object>
  >;
};
