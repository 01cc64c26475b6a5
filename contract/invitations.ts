import { z } from 'zod';
import { isReservedUsername } from './accounts/reserved-username.ts';
import { FullName, NewAccount, Viewer } from './accounts/sign-in.ts';
import { invitation as limits } from './constants.ts';
import { AllowedTags } from './effects.ts';
import { operation } from './operation.ts';
import { Cursor, nextCursor } from './paging.ts';
import { Id, Moment, storable, visible, writtenName } from './values.ts';

const { username: Username, email: Email, password: Password } = NewAccount.shape;
const Token = storable('The link').min(1).max(200);

/** An invitation as admins see it. The link itself is shown once, when it is made. */
const Invitation = z.object({
  id: Id,
  /** Whom it is for, as the admin calls them; null where nobody said. */
  name: z.string().nullable(),
  /** The one address that may join by it; null for whoever holds the link. */
  email: z.string().nullable(),
  /** Whether the link was mailed to that address, and is known to nobody else. */
  isMailed: z.boolean(),
  /** The tags that who joins now is allowed, by name. One that is deleted leaves every invitation. */
  tags: z.array(z.string()),
  /** `ended`: revoked, or the admin who made it is none any more. */
  state: z.enum(['open', 'used', 'expired', 'ended']),
  maxUses: z.int().positive(),
  /** How many have joined by it; those whose account is gone count too. */
  uses: z.int().nonnegative(),
  createdAt: Moment,
  expiresAt: Moment,
  joined: z.array(z.object({ userId: Id, username: z.string(), joinedAt: Moment })),
});

/** A link, and an account that it makes, decided at once: for people whom the admin knows. */
export const invitationOperations = {
  createInvitations: operation({
    for: 'admin',
    scope: 'none',
    summary:
      'Invites: one link for several people, or a link for each of the addresses, mailed where the site sends mail. Who joins is approved with these tags.',
    input: z.strictObject({
      tags: AllowedTags,
      expiresInDays: z.int().min(1).max(limits.maxDays).default(limits.days),
      for: z.union([
        z.strictObject({
          /** A name for the link, so that it is known again in the list. */
          name: writtenName('A name', limits.nameMaxCharacters)
            .pipe(
              visible('A name').max(
                limits.nameMaxCharacters,
                `A name has at most ${limits.nameMaxCharacters} characters.`,
              ),
            )
            .optional(),
          /** How many people may join by the link. */
          uses: z.int().min(1).max(limits.maxUses),
        }),
        z
          .array(z.strictObject({ email: Email, name: FullName.optional() }))
          .min(1, 'Please name somebody to invite.')
          .max(limits.maxRecipients, `At most ${limits.maxRecipients} people can be invited at once.`),
      ]),
    }),
    output: z.object({
      made: z.array(
        z.object({
          invitation: Invitation,
          /** To hand on; null where it was mailed. */
          link: z.string().nullable(),
        }),
      ),
      /** Addresses that have an account already, and so got no invitation. */
      known: z.array(z.string()),
    }),
  }),
  listInvitations: operation({
    for: 'admin',
    scope: 'members',
    summary: 'A page of invitations with who came by each, newest first.',
    input: z.strictObject({ after: Cursor.nullish() }),
    output: z.object({ invitations: z.array(Invitation), nextCursor }),
  }),
  setInvitationTags: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Gives who joins by an invitation from now on exactly these tags.',
    input: z.strictObject({ invitationId: Id, tags: AllowedTags }),
    output: z.object({ invitation: Invitation }),
  }),
  revokeInvitation: operation({
    for: 'admin',
    scope: 'none',
    summary: 'Ends an invitation. People who joined by it keep their accounts. Safe to repeat.',
    input: z.strictObject({ invitationId: Id }),
    output: z.object({ invitation: Invitation }),
  }),
  getInvitation: operation({
    for: 'anyone',
    scope: 'none',
    summary:
      'What the link of an invitation is good for; null once it is not valid any more. Changes nothing.',
    input: z.strictObject({ token: Token }),
    output: z.object({
      invitation: z
        .object({
          /** The address that the account will have; null where its owner types one. */
          email: z.string().nullable(),
          /** Whether the link has proved who joins, so that they need no password. */
          isProven: z.boolean(),
          /** What the form begins with; empty where nobody knows. */
          name: z.string(),
          /** A username that nobody has; empty where there is nothing to make one of. */
          username: z.string(),
        })
        .nullable(),
    }),
  }),
  joinByInvitation: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Creates an account by an invitation, approved with its tags, and signs it in.',
    input: z.strictObject({
      token: Token,
      username: Username.refine(
        name => !isReservedUsername(name),
        'This username is reserved. Please choose another one.',
      ),
      name: FullName,
      /** Of an invitation for one address: that one, or nothing. */
      email: Email.optional(),
      /** Not needed where the link was mailed. */
      password: Password.optional(),
    }),
    output: Viewer,
  }),
};
