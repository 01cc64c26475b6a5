import { z } from 'zod';
import * as limits from '../constants.ts';
import { operation } from '../operation.ts';
import { Id, storable, visible, writtenName } from '../values.ts';
import { isReservedUsername } from './reserved-username.ts';

const { username, fullName, password, emailMaxCharacters } = limits;

const Username = z
  .string()
  .min(username.min, `A username has at least ${username.min} characters.`)
  .max(username.max, `A username has at most ${username.max} characters.`)
  .regex(username.pattern, 'Username can only contain letters, numbers, and underscores');
export const FullName = writtenName('A full name', fullName.max).pipe(
  visible('A full name')
    .min(fullName.min, `A full name has at least ${fullName.min} characters.`)
    .max(fullName.max, `A full name has at most ${fullName.max} characters.`),
);
/** One normal form: trimmed, lower case. Quoted local parts are not accepted. */
const Email = z
  .string()
  .transform(email => email.trim().toLowerCase())
  // Before its shape is looked at, which takes longer the longer it is.
  .pipe(z.string().max(emailMaxCharacters, 'This email address is too long.'))
  .pipe(z.email('Please enter a valid email address.'));
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
 * A line to the author: who somebody is. On one line, because it is shown in rows, and without what would act where it is
 * printed; joiners that emoji and scripts are made of may stay.
 */
const Introduction = writtenName('Your introduction', limits.introductionMaxCharacters)
  .transform(text => text.replaceAll(/\s+/gu, ' '))
  .pipe(
    z
      .string()
      .regex(
        /^(?:[^\p{Cc}\p{Cf}\p{Co}\p{Cs}]|[\u200c\u200d])*$/u,
        'Your introduction cannot hold invisible characters.',
      )
      .max(
        limits.introductionMaxCharacters,
        `Your introduction has at most ${limits.introductionMaxCharacters} characters.`,
      ),
  );

/** The signed-in person, as they and nobody else see themselves. */
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
  /** An admin who may do nothing as one until they have turned on the second factor that the site requires of admins. */
  needsSecondFactor: z.boolean(),
});
export type CurrentUser = z.output<typeof CurrentUser>;

/** The person who asks, and what the server lets them do. */
export const Viewer = z.object({
  user: CurrentUser.nullable(),
  can: z.object({ like: z.boolean(), comment: z.boolean(), write: z.boolean(), administer: z.boolean() }),
  /** An opaque value; when it changes, the viewer may read other posts than before. */
  rights: z.string(),
});
export type Viewer = z.output<typeof Viewer>;

/** Whether the session goes on with its use; if not, it ends with the browser, and after a day. */
export const KeepSignedIn = z.boolean().default(true);

export const memberOperations = {
  getViewer: operation({
    for: 'anyone',
    scope: 'read',
    summary: 'Who is signed in, and what they may do.',
    input: z.strictObject({}).nullish(),
    output: Viewer,
  }),
  signUp: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Creates an account that waits for approval, and signs it in.',
    input: NewAccount.extend({
      username: Username.refine(
        name => !isReservedUsername(name),
        'This username is reserved. Please choose another one.',
      ),
      /** Told to the admins until they have decided, and to nobody else. */
      introduction: Introduction.optional(),
      /** From `getSignUpTicket`, when the form was opened. A program may leave it out and is let in less often. */
      ticket: z.string().max(200).optional(),
      /** A field that no person sees or fills. */
      website: z.string().max(1_000).optional(),
    }),
    output: Viewer,
  }),
  getSignUpTicket: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'What the sign-up form sends along, to tell it from a program that fills in forms.',
    input: z.strictObject({}).nullish(),
    output: z.object({ ticket: z.string() }),
  }),
  signIn: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Starts a session: sets its cookie; answers a program its token in the header `set-auth-token`.',
    input: z.strictObject({
      email: storable('An email address').trim().toLowerCase().min(1).max(emailMaxCharacters),
      password: z.string().min(1).max(limits.typedPasswordMaxCharacters),
      keepSignedIn: KeepSignedIn,
    }),
    output: Viewer,
  }),
  signOut: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Ends the session.',
    input: z.strictObject({}).nullish(),
    output: Viewer,
  }),
  getSetup: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'What a setup link is good for: told before somebody fills in a form in vain.',
    input: z.strictObject({ token: z.string().max(200) }),
    output: z.object({
      /** Whether the site has an admin already, and so needs no setup. */
      isDone: z.boolean(),
      /** Whether the token is the one of the link that was printed last. */
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
