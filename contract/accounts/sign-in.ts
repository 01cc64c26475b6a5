import { z } from 'zod';
import * as limits from '../constants.ts';
import { operation } from '../operation.ts';
import { Id, NextPath, storable, visible, writtenName } from '../values.ts';
import { Email, normalEmail } from './email.ts';
import { isReservedUsername } from './reserved-username.ts';

const { username, fullName, password, emailMaxCharacters } = limits;

const Username = z
  .string()
  .min(username.min, `A username has at least ${username.min} characters.`)
  .max(username.max, { error: `A username has at most ${username.max} characters.`, abort: true })
  .regex(username.pattern, 'Username can only contain letters, numbers, and underscores');
/** The username of a new account. Whoever sets up the site may choose a reserved one. */
export const NewUsername = Username.refine(
  name => !isReservedUsername(name),
  'This username is reserved. Please choose another one.',
);
export const FullName = writtenName('A full name', fullName.max).pipe(
  visible('A full name')
    .min(fullName.min, `A full name has at least ${fullName.min} characters.`)
    .max(fullName.max, `A full name has at most ${fullName.max} characters.`),
);
const Password = z
  .string()
  .min(password.min, `A password has at least ${password.min} characters.`)
  .max(password.max, `A password has at most ${password.max} characters.`);

/** A new account (specification section 5). The approval fields are not here, so no client can set them. */
export const NewAccount = z.strictObject({
  username: Username,
  name: FullName,
  email: Email,
  password: Password,
});
export type NewAccount = z.output<typeof NewAccount>;

/**
 * What somebody writes about themselves for the author. One line, because it is shown in rows; without
 * control characters, which would act where it is printed. Joiners are allowed: emoji and some scripts need
 * them.
 */
const Introduction = writtenName('Your introduction', limits.introductionMaxCharacters)
  .transform(text => text.replaceAll(/\s+/gu, ' '))
  .pipe(
    z
      .string()
      .regex(
        /^(?:[^\p{Cc}\p{Cf}\p{Co}\p{Cs}]|[\u200c\u200d])*$/u,
        'Your introduction cannot contain invisible characters.',
      )
      .max(
        limits.introductionMaxCharacters,
        `Your introduction has at most ${limits.introductionMaxCharacters} characters.`,
      ),
  );

/** The signed-in person, as only they see themselves. */
const CurrentUser = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  isAdmin: z.boolean(),
  /** Whether they write posts of their own. An admin writes without it. */
  isAuthor: z.boolean(),
  isApproved: z.boolean(),
  pendingApproval: z.boolean(),
  isEmailConfirmed: z.boolean(),
  /** Whether they wait for approval only once they have confirmed their address. */
  mustConfirmEmail: z.boolean(),
  /** Whether an admin has muted them, so that they cannot comment. */
  isMuted: z.boolean(),
  /**
   * An admin who must turn on the second factor that the site requires before they have the rights of an
   * admin.
   */
  needsSecondFactor: z.boolean(),
});

/** The sender of the request, and what the server lets them do. */
export const Viewer = z.object({
  user: CurrentUser.nullable(),
  can: z.object({ like: z.boolean(), comment: z.boolean(), write: z.boolean(), administer: z.boolean() }),
  /** A digest of the tags that they may read, without the role. It changes whenever those tags do. */
  rights: z.string(),
});
export type Viewer = z.output<typeof Viewer>;

/** The token in a sign-in link or an invitation. */
export const LinkToken = storable('The link').min(1).max(200);
/** The code in a sign-in mail, as people type it. */
const SignInCode = z
  .string()
  .max(30)
  .transform(text => text.replaceAll(/\D/g, ''))
  .pipe(z.string().length(6, 'The code has six digits.'));
/** Whether use prolongs the session; if not, it ends when the browser is closed, and after a day. */
export const KeepSignedIn = z.boolean().default(true);

export const signInOperations = {
  getViewer: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'Who is signed in, and what they may do.',
    output: Viewer,
    // A visitor has no account, but the answer depends on the default tags.
    caching: { dependsOn: () => ['tags'] },
  }),
  signUp: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Creates an account that waits for approval, and signs it in.',
    input: NewAccount.extend({
      username: NewUsername,
      /** Shown only to admins, until they have decided. */
      introduction: Introduction.optional(),
      /**
       * From `getSignUpTicket`, when the form was opened. A program may leave it out, with stricter limits.
       */
      ticket: z.string().max(200).optional(),
      /** A hidden field: only programs fill it. */
      website: z.string().max(1_000).optional(),
    }),
    output: Viewer,
  }),
  getSignUpTicket: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'What the sign-up form sends along, to distinguish it from a program that fills in forms.',
    output: z.object({ ticket: z.string() }),
  }),
  signIn: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Starts a session: sets its cookie; answers a program its token in the header `set-auth-token`.',
    input: z.strictObject({
      email: storable('An email address').trim().min(1).max(emailMaxCharacters).transform(normalEmail),
      password: z.string().min(1).max(limits.typedPasswordMaxCharacters),
      keepSignedIn: KeepSignedIn,
    }),
    output: Viewer,
  }),
  signOut: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Ends the session.',
    output: Viewer,
  }),
  requestSignInLink: operation({
    for: 'anyone',
    scope: 'none',
    summary:
      'Mails a link that signs in once to an account with this address, if there is one; answers the same if not.',
    input: z.strictObject({
      email: Email,
      next: NextPath.optional(),
    }),
  }),
  getSignInLink: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Whom the link of a mail signs in; null if it is no longer valid. Changes nothing.',
    input: z.strictObject({ token: LinkToken }),
    output: z.object({
      link: z
        .object({
          username: z.string(),
          /**
           * Whether the address was unconfirmed: then the link removes the ways to sign in that were set up
           * before.
           */
          isFirstProof: z.boolean(),
          /** Whether the caller is signed in to the account already: then the link confirms who they are. */
          isConfirming: z.boolean(),
        })
        .nullable(),
    }),
  }),
  signInByLink: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary:
      'Starts a session with the token of a mail, or with the address and the code of the newest, each of which works once, and sets its cookie. If the caller has a session of the account already, that one gets a recent sign-in.',
    input: z.union([
      z.strictObject({ token: LinkToken, keepSignedIn: KeepSignedIn }),
      z.strictObject({ email: Email, code: SignInCode, keepSignedIn: KeepSignedIn }),
    ]),
    output: Viewer,
  }),
  getSetup: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Whether a setup link can still be used.',
    input: z.strictObject({ token: z.string().max(200) }),
    output: z.object({
      /** Whether the site has an admin already, so that no setup is needed. */
      isDone: z.boolean(),
      /** Whether the token belongs to the setup link that the server prints, and was not used. */
      isValid: z.boolean(),
    }),
  }),
  setUpSite: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Creates the first admin with the token of the one-time setup link, and signs them in.',
    input: z.strictObject({ token: z.string().min(1).max(200), account: NewAccount }),
    output: Viewer,
  }),
};
