import { z } from 'zod';
import { operation } from '../operation.ts';
import { storable } from '../values.ts';
import { KeepSignedIn, NewAccount, Viewer } from './sign-in.ts';

const { email: Email } = NewAccount.shape;
const Token = storable('The link').min(1).max(200);

/** Signing in with a link in a mail: without a password, for the person who reads the mailbox. */
export const signInLinkOperations = {
  requestSignInLink: operation({
    for: 'anyone',
    scope: 'none',
    summary:
      'Mails a link that signs in once to an account with this address, if there is one; answers the same if not.',
    input: z.strictObject({
      email: Email,
      /** The path of this site where the link leads afterwards. */
      next: storable('The path').max(2_000).optional(),
    }),
    output: z.object({}),
  }),
  getSignInLink: operation({
    for: 'anyone',
    scope: 'none',
    summary: 'Whom the link of a mail signs in; null if it is no longer valid. Changes nothing.',
    input: z.strictObject({ token: Token }),
    output: z.object({
      link: z
        .object({
          username: z.string(),
          /**
           * Whether the address is not confirmed yet: then the link removes the ways to sign in that were set up
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
      'Starts a session with the token of a mail, which works once, and sets its cookie. If the caller has a session of the account already, that one gets a recent sign-in.',
    input: z.strictObject({ token: Token, keepSignedIn: KeepSignedIn }),
    output: Viewer,
  }),
};
