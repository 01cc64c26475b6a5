import { z } from 'zod';
import { FullName, LinkToken, NewAccount, NewUsername, Viewer } from './accounts/sign-in.ts';
import { invitationLimits } from './constants.ts';
import { AllowedTagIds, AllowedTags } from './effects.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { Id, Moment, Version, visible, writtenName } from './values.ts';

const { email: Email, password: Password } = NewAccount.shape;

/** An invitation as admins see it. The link itself is shown once, when it is made. */
const Invitation = z.object({
  id: Id,
  /** Whom it is for, in the admin's words; null if not given. */
  name: z.string().nullable(),
  /** The only address that may join by it; null if anybody with the link may. */
  email: z.string().nullable(),
  /** Whether the link was mailed to that address and shown to nobody else. */
  isMailed: z.boolean(),
  /** The tags that new members get, by name. A deleted tag is removed from every invitation. */
  tags: z.array(z.string()),
  version: Version,
  /** `ended`: revoked, or the admin who made it is no longer an admin. */
  state: z.enum(['open', 'used', 'expired', 'ended']),
  maxUses: z.int().positive(),
  /** How many have joined by it, deleted accounts included. */
  uses: z.int().nonnegative(),
  createdAt: Moment,
  expiresAt: Moment,
  joined: z.array(z.object({ userId: Id, username: z.string(), joinedAt: Moment })),
});

export const MadeInvitations = z.object({
  made: z.array(
    z.object({
      invitation: Invitation,
      /** The link to pass on; null if it was mailed. */
      link: z.string().nullable(),
    }),
  ),
  /** Addresses that got no invitation because they have an account. */
  known: z.array(z.string()),
});

/** Links with which people whom an admin knows join without waiting for approval. */
export const invitationOperations = {
  createInvitations: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary:
      'Makes one link for several people, or a link for each address, which is mailed if the site sends mail. Whoever joins is approved with these tags.',
    input: z.strictObject({
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      expiresInDays: z.int().min(1).max(invitationLimits.maxDays).default(invitationLimits.days),
      for: z.union([
        z.strictObject({
          /** A name by which admins recognise the link in the list. */
          name: writtenName('A name', invitationLimits.nameMaxCharacters)
            .pipe(
              visible('A name').max(
                invitationLimits.nameMaxCharacters,
                `A name has at most ${invitationLimits.nameMaxCharacters} characters.`,
              ),
            )
            .optional(),
          /** How many people may join by the link. */
          uses: z.int().min(1).max(invitationLimits.maxUses),
        }),
        z
          .array(z.strictObject({ email: Email, name: FullName.optional() }))
          .min(1, 'Please name somebody to invite.')
          .max(
            invitationLimits.maxRecipients,
            `At most ${invitationLimits.maxRecipients} people can be invited at once.`,
          ),
      ]),
    }),
    output: MadeInvitations,
  }),
  listInvitations: operation({
    for: 'admin',
    scope: 'members',
    summary: 'A page of invitations, newest first, with the accounts that joined by each.',
    input: z.strictObject({ after: Cursor.nullish() }),
    output: z.object({ invitations: z.array(Invitation), nextCursor }),
  }),
  setInvitationTags: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Sets the tags that new members get from an invitation.',
    input: z.strictObject({
      invitationId: Id,
      tags: AllowedTags,
      tagIds: AllowedTagIds,
      version: Version.optional(),
    }),
    output: z.object({ invitation: Invitation }),
  }),
  revokeInvitation: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Revokes an invitation. People who joined by it keep their accounts. Safe to repeat.',
    input: z.strictObject({ invitationId: Id }),
    output: z.object({ invitation: Invitation }),
  }),
  getInvitation: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'What the link of an invitation offers; null if it is no longer valid. Does not use it up.',
    input: z.strictObject({ token: LinkToken }),
    output: z.object({
      invitation: z
        .object({
          /** Who invites: the full name. */
          inviter: z.string(),
          /** The address that the account will have; null if its owner enters one. */
          email: z.string().nullable(),
          /** Whether the link proved who joins, so that they need no password. */
          isProven: z.boolean(),
          /**
           * What the caller can do with it: `join` makes a new account, `log-in` is for the account that the
           * address has, `own-account` gives it to the account that is signed in. That account has another
           * address, would gain `nothing`, or is `refused` because an admin has denied it.
           */
          use: z.enum(['join', 'log-in', 'own-account', 'other-address', 'nothing', 'refused']),
          /** The suggested name; empty if there is none. */
          name: z.string(),
          /** A suggested username that is free; empty if none can be made. */
          username: z.string(),
        })
        .nullable(),
      /** Whether it is no longer valid because as many have joined by it as it lets in. */
      isUsed: z.boolean(),
    }),
  }),
  acceptInvitation: operation({
    for: 'signed-in',
    scope: 'none',
    summary:
      'Uses an invitation for the account that is signed in: approves it and adds the tags. Safe to repeat.',
    input: z.strictObject({ token: LinkToken }),
    output: Viewer,
  }),
  joinByInvitation: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Creates an account by an invitation, approved with its tags, and signs it in.',
    input: z.strictObject({
      token: LinkToken,
      username: NewUsername,
      name: FullName,
      /** For an invitation to one address: that address, or left out. */
      email: Email.optional(),
      /** Not needed if the link was mailed. */
      password: Password.optional(),
    }),
    output: Viewer,
  }),
};
