import { z } from 'zod';
import { decisionsAtOnce, searchMaxCharacters } from '../constants.ts';
import { AllowedTagIds, AllowedTags } from '../effects.ts';
import { operation } from '../operation.ts';
import { Cursor, nextCursor } from '../paging.ts';
import { Id, Moment, storable, Version } from '../values.ts';
import { userStatuses } from './status.ts';

const UserStatus = z.enum(userStatuses);

/** An account as only admins see it. */
export const ManagedUser = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  /** The address of their picture; null for none. */
  face: z.string().nullable(),
  email: z.string(),
  isAdmin: z.boolean(),
  /** Whether they write posts of their own. An admin writes without it. */
  isAuthor: z.boolean(),
  /** Whether an admin has muted them, so that they cannot comment. */
  isMuted: z.boolean(),
  /** Whether the owner has confirmed the email address; if not, somebody else may have signed up with it. */
  isEmailConfirmed: z.boolean(),
  /**
   * Whether its address must be confirmed before it waits for approval; such accounts are in a list of their
   * own.
   */
  isUnconfirmed: z.boolean(),
  status: UserStatus,
  /** The status in the fields of the specification (section 3). */
  isApproved: z.boolean(),
  pendingApproval: z.boolean(),
  /** What they wrote when they signed up; null if they wrote nothing or have been decided about. */
  introduction: z.string().nullable(),
  /** By name, deleted tags too: the member may still read posts with them (decision 5). */
  approvedTags: z.array(z.string()),
  version: Version,
  createdAt: Moment,
  /** The last decision of each kind; the later one is the status. */
  approvedAt: Moment.nullable(),
  deniedAt: Moment.nullable(),
  /** When a deleted account with this address was denied; null otherwise. */
  deniedBeforeAt: Moment.nullable(),
});
export type ManagedUser = z.output<typeof ManagedUser>;

/** The version of the account that the admin saw: its status and tags. */
const version = Version.optional();
const Changed = z.object({ user: ManagedUser });

export const userOperations = {
  getUsers: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'A page of accounts: those who wait, longest first, and apart from them those who have to confirm their address first; members, the denied or admins by username.',
    input: z.strictObject({
      list: z.enum(['pending', 'unconfirmed', 'approved', 'denied', 'admins']),
      /** In any case: part of a username, full name or email address, or the whole name of a tag. */
      search: storable('The search').trim().max(searchMaxCharacters).default(''),
      after: Cursor.nullish(),
    }),
    output: z.object({
      users: z.array(ManagedUser),
      /** How many there are on all pages. */
      total: z.int().nonnegative(),
      nextCursor,
    }),
  }),
  approveUser: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Approves an account, with exactly these tags where any are given.',
    input: z.strictObject({
      userId: Id,
      tags: AllowedTags.optional(),
      tagIds: AllowedTagIds,
      version,
    }),
    output: Changed,
  }),
  denyUser: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Denies an account, or revokes its approval, and ends its sessions.',
    input: z.strictObject({ userId: Id, version }),
    output: Changed,
  }),
  decideUsers: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Approves and denies many accounts in one transaction. Each has its own result: an account that somebody else has decided about is left as it is.',
    input: z.strictObject({
      decisions: z
        .array(
          z.strictObject({
            userId: Id,
            decision: z.enum(['approve', 'deny']),
            /** The tags of an approved account, exactly. */
            tags: AllowedTags.optional(),
            tagIds: AllowedTagIds,
            version,
          }),
        )
        .min(1)
        .max(decisionsAtOnce, `At most ${decisionsAtOnce} accounts are decided about at once.`)
        .refine(
          decisions => new Set(decisions.map(({ userId }) => userId)).size === decisions.length,
          'An account can be named only once.',
        ),
    }),
    output: z.object({
      /** In the order of the decisions. */
      results: z.array(
        z.object({
          userId: Id,
          /** Null if the account does not exist. */
          user: ManagedUser.nullable(),
          /** Why there was no decision about it; null if there was one. */
          failure: z.string().nullable(),
        }),
      ),
    }),
  }),
  undoDecision: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Undoes the last decision about an account within a day: it is pending or denied again, with the tags and role that it had.',
    input: z.strictObject({ userId: Id, version }),
    output: Changed.extend({
      /** Whether a mail has told them of the undone approval; one that still waits is not sent. */
      wasMailed: z.boolean(),
    }),
  }),
  setApprovedTags: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Sets the approved tags of an account, in addition to the default tags.',
    input: z.strictObject({
      userId: Id,
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      version,
      /** Whether to mail a subscriber, once, about the posts which these tags open to them. */
      tellsMember: z.boolean().optional(),
    }),
    output: Changed,
  }),
  setAuthor: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary:
      'Lets an approved member write posts of their own, or makes an author a member. Their posts stay.',
    input: z.strictObject({ userId: Id, isAuthor: z.boolean() }),
    output: Changed,
  }),
  setMuted: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Takes from a member the right to comment, or gives it back. They go on reading comments.',
    input: z.strictObject({ userId: Id, isMuted: z.boolean() }),
    output: Changed,
  }),
  removeFace: operation({
    for: 'admin',
    scope: 'members',
    summary: 'Removes the picture of an account. Its owner may choose another.',
    input: z.strictObject({ userId: Id }),
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
