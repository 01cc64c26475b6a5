import { z } from 'zod';
import { decisionsAtOnce, searchMaxCharacters } from '../constants.ts';
import { AllowedTags } from '../effects.ts';
import { operation } from '../operation.ts';
import { Cursor, nextCursor } from '../paging.ts';
import { Id, Moment, storable } from '../values.ts';

const UserStatus = z.enum(['pending', 'approved', 'denied']);

/** An account as admins see it, and nobody else. */
export const ManagedUser = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  /** Whether they write posts of their own. An admin writes without it. */
  isAuthor: z.boolean(),
  /** Whether whoever has the account has shown that they read the mailbox; others may have signed up with it. */
  isEmailConfirmed: z.boolean(),
  /** Whether it waits for its address to be confirmed, and only then for approval: a list of its own. */
  isUnconfirmed: z.boolean(),
  status: UserStatus,
  /** The status once more, as the specification has it (section 3). */
  isApproved: z.boolean(),
  pendingApproval: z.boolean(),
  /** What they wrote when they signed up; null for nothing, and once they have been decided about. */
  introduction: z.string().nullable(),
  /** By name, deleted tags too: they go on letting the member read (decisions.md 5). */
  approvedTags: z.array(z.string()),
  createdAt: Moment,
  /** The last decision of each kind; the later one is the status. */
  approvedAt: Moment.nullable(),
  deniedAt: Moment.nullable(),
  /** When this address was denied in an account that is gone; null otherwise. */
  deniedBeforeAt: Moment.nullable(),
});
export type ManagedUser = z.output<typeof ManagedUser>;

/** The status that the admin saw: another one by now means that somebody else has decided, and refuses with aborted. */
const seenStatus = UserStatus.optional();
const Changed = z.object({ user: ManagedUser });

export const userOperations = {
  getUsers: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'A page of accounts: those who wait, longest first, and apart from them those who have to confirm their address first; members, the denied or admins by username.',
    input: z.strictObject({
      list: z.enum(['pending', 'unconfirmed', 'approved', 'denied', 'admins']),
      /** Part of a username, full name or email address, in any case. */
      search: storable('The search').trim().max(searchMaxCharacters).default(''),
      after: Cursor.nullish(),
    }),
    output: z.object({
      users: z.array(ManagedUser),
      /** How many there are on all pages. */
      total: z.int().nonnegative(),
      /** False for a search that finds very many: they are not counted, and there are at least `total`. */
      isTotalExact: z.boolean(),
      nextCursor,
    }),
  }),
  approveUser: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Approves an account, with exactly these tags where any are given.',
    input: z.strictObject({ userId: Id, tags: AllowedTags.optional(), seenStatus }),
    output: Changed,
  }),
  denyUser: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Denies an account, or revokes its approval. Its sessions end.',
    input: z.strictObject({ userId: Id, seenStatus }),
    output: Changed,
  }),
  decideUsers: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Approves and denies many accounts in one transaction. Each has its own result: one that somebody else has decided about stays as it is, and the others are decided.',
    input: z.strictObject({
      decisions: z
        .array(
          z.strictObject({
            userId: Id,
            decision: z.enum(['approve', 'deny']),
            /** Exactly these, for an account that is approved. */
            tags: AllowedTags.optional(),
            seenStatus,
          }),
        )
        .min(1)
        .max(decisionsAtOnce, `At most ${decisionsAtOnce} accounts are decided about at once.`)
        .refine(
          decisions => new Set(decisions.map(({ userId }) => userId)).size === decisions.length,
          'An account is decided about once.',
        ),
    }),
    output: z.object({
      /** In the order of the decisions. */
      results: z.array(
        z.object({
          userId: Id,
          /** Null for an account that is not there. */
          user: ManagedUser.nullable(),
          /** Why it was not decided about; null where it was. */
          failure: z.string().nullable(),
        }),
      ),
    }),
  }),
  undoDecision: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Takes back the last decision about an account within a day: it waits again, or is denied again, with what it had then.',
    input: z.strictObject({ userId: Id, seenStatus }),
    output: Changed,
  }),
  setApprovedTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Allows an account exactly these tags beside the default ones.',
    input: z.strictObject({
      userId: Id,
      tags: AllowedTags,
      /** The tags that the admin saw: others by now refuse the change, so that nobody undoes another's unseen. */
      seenTags: AllowedTags.optional(),
    }),
    output: Changed,
  }),
  setAuthor: operation({
    for: 'admin',
    scope: 'none',
    summary:
      'Lets an approved member write posts of their own, or makes an author a member. Their posts stay.',
    input: z.strictObject({ userId: Id, isAuthor: z.boolean() }),
    output: Changed,
  }),
  setAdmin: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary: 'Makes an approved member an admin, or an admin a member. The last admin can’t be removed.',
    input: z.strictObject({ userId: Id, isAdmin: z.boolean() }),
    output: Changed,
  }),
};
