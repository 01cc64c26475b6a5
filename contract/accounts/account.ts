import { z } from 'zod';
import { typedPasswordMaxCharacters } from '../constants.ts';
import { operation } from '../operation.ts';
import { Continuation, nextCursor } from '../paging.ts';
import { Id, Moment, NextPath, SentPicture, storable } from '../values.ts';
import { FullName, NewAccount, Viewer } from './sign-in.ts';

const { email: Email, password: Password } = NewAccount.shape;
/** A password that is checked, not set, so one of any length is accepted. */
export const TypedPassword = z.string().min(1, 'Please enter your password.').max(typedPasswordMaxCharacters);
const Token = storable('The link').min(1).max(2_000);
const Done = z.object({});

const Session = z.object({
  id: Id,
  createdAt: Moment,
  lastUsedAt: Moment,
  /** The name of the browser at sign-in. */
  device: z.string().nullable(),
  /** Whether use prolongs it; if not, it ends when the browser is closed, and after a day. */
  isLong: z.boolean(),
  isCurrent: z.boolean(),
});

/** An account, as its owner sees it. */
const Account = z.object({
  username: z.string(),
  name: z.string(),
  /** The address of their picture; null for none. */
  face: z.string().nullable(),
  email: z.string(),
  isEmailConfirmed: z.boolean(),
  /** The mail server's reason for the pause of mails to this address; null if they are not paused. */
  mailPause: z.string().nullable(),
  createdAt: Moment,
  hasPassword: z.boolean(),
  /** Whether they have a recent sign-in, so that no operation asks for one. */
  hasRecentSignIn: z.boolean(),
  /** Whether it is connected with the site's OpenID provider. */
  isConnected: z.boolean(),
  sessions: z.array(Session),
});

/** How often somebody gets mails about new posts: one for each post, or a digest. */
const Rhythm = z.enum(['at-once', 'daily', 'weekly']);
export type Rhythm = z.output<typeof Rhythm>;
/** The hour of the digest in the site's time zone; a weekly one comes on Mondays. */
const DigestHour = z.int().min(0).max(23);

const Subscription = z.object({
  isSubscribed: z.boolean(),
  /** Where the mails go: the account's address. Null for an account without one, which cannot subscribe. */
  email: z.string().nullable(),
  /** Whether the address is unconfirmed; nothing is mailed there until then. */
  waits: z.boolean(),
  rhythm: Rhythm,
  hour: DigestHour,
  /** Whether a mail about a post holds its whole text, not only the beginning. */
  isWhole: z.boolean(),
  /** The tags that the caller sees. Posts with an unwanted tag are neither mailed nor notified. */
  tags: z.array(z.object({ id: Id, name: z.string(), isWanted: z.boolean() })),
});
export type Subscription = z.output<typeof Subscription>;

export const accountOperations = {
  getAccount: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'The caller’s account and sessions.',
    output: Account,
  }),
  changeName: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Changes the caller’s full name.',
    input: z.strictObject({ name: FullName }),
    output: Viewer,
  }),
  setFace: operation({
    for: 'approved',
    scope: 'write',
    summary:
      'Shows a picture beside the caller’s name, or none. The server crops it to a square. At most 150,000 characters of base64.',
    input: z.strictObject({ picture: SentPicture.max(150_000).nullable() }),
    output: z.object({ face: Account.shape.face }),
  }),
  changePassword: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary:
      'Changes the caller’s password and ends every other session and every access token. Gives one to an account that has none.',
    /** The password that the account has, if it has one. */
    input: z.strictObject({ currentPassword: TypedPassword.optional(), newPassword: Password }),
    output: Viewer,
  }),
  changeEmail: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Mails a link to the new address; the address changes when it is confirmed.',
    input: z.strictObject({ email: Email }),
    output: Done,
  }),
  sendConfirmation: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Mails the link that confirms the caller’s address again.',
    output: Done,
  }),
  getEmailLink: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'What the link of a mail would confirm; null if it is no longer valid. Changes nothing.',
    input: z.strictObject({ token: Token }),
    output: z.object({
      link: z
        .object({
          username: z.string(),
          email: z.string(),
          /** Whether it would replace another address. */
          isChange: z.boolean(),
        })
        .nullable(),
    }),
  }),
  confirmEmail: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Confirms an address with the token of a mail.',
    input: z.strictObject({ token: Token }),
    output: Done,
  }),
  requestPasswordReset: operation({
    for: 'anyone',
    scope: 'none',
    summary:
      'Mails a one-time link to an account with this address, if there is one; answers the same if not.',
    input: z.strictObject({ email: Email, next: NextPath.optional() }),
    output: Done,
  }),
  getResetLink: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Whose password the link of a mail would set; null if it is no longer valid. Changes nothing.',
    input: z.strictObject({ token: Token }),
    output: z.object({ link: z.object({ username: z.string(), email: z.string() }).nullable() }),
  }),
  resetPassword: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Sets a new password with the token of a mail, once, and ends every session of the account.',
    input: z.strictObject({ token: Token, password: Password }),
    output: Done,
  }),
  getSubscription: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'Whether the caller is told of new posts by mail.',
    output: Subscription,
  }),
  setSubscription: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Subscribes the caller to mails about new posts, or unsubscribes them. Safe to repeat.',
    input: z.strictObject({
      subscribed: z.boolean(),
      /** Unchanged if left out. */
      rhythm: Rhythm.optional(),
      hour: DigestHour.optional(),
      isWhole: z.boolean().optional(),
      tag: z.strictObject({ id: Id, isWanted: z.boolean() }).optional(),
    }),
    output: Subscription,
  }),
  endSession: operation({
    for: 'signed-in',
    scope: 'members',
    summary: 'Ends one of the caller’s sessions.',
    input: z.strictObject({ sessionId: Id }),
    output: Done,
  }),
  signOutEverywhere: operation({
    for: 'signed-in',
    scope: 'members',
    summary: 'Ends every session and access token of the caller, this session included.',
    output: Viewer,
  }),
  exportAccount: operation({
    for: 'signed-in',
    scope: 'members',
    summary:
      'Everything that the site keeps about the caller’s account. Comments come 500 at a time: with `after` the next of them, and nothing else. Each part names its account.',
    input: Continuation,
    output: z.object({ userId: Id, data: z.record(z.string(), z.unknown()), nextCursor }),
  }),
  deleteAccount: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Deletes the caller’s account. Comments stay as “Unknown User”, or go with it.',
    input: z.strictObject({ comments: z.enum(['keep', 'delete']) }),
    output: Viewer,
  }),
};
