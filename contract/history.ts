import { z } from 'zod';
import { searchMaxCharacters } from './constants.ts';
import { type HistoryKind, historyKinds } from './history-kinds.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { Id, Moment, storable } from './values.ts';

const Kind = z.enum(Object.keys(historyKinds) as [HistoryKind, ...HistoryKind[]]);

/** How somebody acted. `server`: the program itself. */
export const HistoryVia = z.enum(['browser', 'token', 'command-line', 'import', 'server']);
export type HistoryVia = z.output<typeof HistoryVia>;

/** What an entry is about: its id, which may no longer exist, and its name at that time. */
const Named = z.object({ id: z.string(), name: z.string() });
export type Named = z.output<typeof Named>;

/**
 * What else an entry contains, depending on its kind. No secret, no email address, no text of a post but the
 * title of a deleted one.
 */
export const HistoryDetail = z.object({
  /** Tags that were given to somebody or to posts, and tags that were removed. */
  gave: z.array(Named).optional(),
  took: z.array(Named).optional(),
  /**
   * A tag, a token, a passkey, an invitation, a post (a deleted essay has its title, others no name), an
   * import or an export.
   */
  thing: Named.optional(),
  /** How many posts. */
  posts: z.int().nonnegative().optional(),
  /** A role, a status or a name, before and after. */
  before: z.string().optional(),
  after: z.string().optional(),
  /** What an admin has chosen for an import, as `startImport` takes it. Both can open posts. */
  opens: z.boolean().optional(),
  leavesTagsOut: z.boolean().optional(),
});
export type HistoryDetail = z.output<typeof HistoryDetail>;

export const HistoryEntry = z.object({
  id: Id,
  at: Moment,
  kind: Kind,
  /** Who did it; null for the server itself and for somebody with a mailed link. */
  actor: Named.nullable(),
  via: HistoryVia,
  /** The name of the token, or of the user of the system at the command line. */
  viaName: z.string().nullable(),
  /** The address of the connection (of IPv6, its network); null where there was none. */
  address: z.string().nullable(),
  /** The account that it is about, if one. */
  user: Named.nullable(),
  ...HistoryDetail.shape,
});
export type HistoryEntry = z.output<typeof HistoryEntry>;

const Day = z.iso.date('A date looks like 2026-01-31.');

export const historyOperations = {
  getHistory: operation({
    for: 'admin',
    scope: 'members',
    summary: 'A page of the history of rights, newest first: who decided what about whom, and when.',
    input: z.strictObject({
      /**
       * A part of a former or current username, or of the name of a member, in any case: what they did, and
       * what was decided about them.
       */
      person: storable('The name').trim().max(searchMaxCharacters).default(''),
      kind: Kind.nullish(),
      /** The first and the last day, in the site's time zone. */
      from: Day.nullish(),
      to: Day.nullish(),
      after: Cursor.nullish(),
    }),
    output: z.object({ entries: z.array(HistoryEntry), nextCursor }),
  }),
};
