import { z } from 'zod';
import { passkeyNameMaxCharacters } from '../constants.ts';
import { operation } from '../operation.ts';
import { Id, Moment, visible, writtenName } from '../values.ts';
import { KeepSignedIn, Viewer } from './sign-in.ts';

const Name = writtenName('The name of a passkey', passkeyNameMaxCharacters).pipe(
  visible('A name')
    .min(1, 'A passkey needs a name.')
    .max(
      passkeyNameMaxCharacters,
      `The name of a passkey has at most ${passkeyNameMaxCharacters} characters.`,
    ),
);

/** Bytes as WebAuthn's JSON encodes them. */
const Bytes = z.base64url().max(20_000);
const CredentialId = z.base64url().min(1).max(1_400);
const kindOfCredential = { id: CredentialId, rawId: CredentialId, type: z.literal('public-key') };

/**
 * What a browser returns after making a passkey (WebAuthn Level 3, section 5.1, `RegistrationResponseJSON`).
 */
const MadePasskey = z.strictObject({
  ...kindOfCredential,
  response: z.strictObject({
    clientDataJSON: Bytes,
    attestationObject: Bytes,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .exactOptional(),
  }),
});

/**
 * What a browser returns after a passkey has signed (WebAuthn Level 3, section 5.1,
 * `AuthenticationResponseJSON`).
 */
const Signed = z.strictObject({
  ...kindOfCredential,
  response: z.strictObject({
    clientDataJSON: Bytes,
    authenticatorData: Bytes,
    signature: Bytes,
    userHandle: z.base64url().max(100).exactOptional(),
  }),
});
export type Signed = z.output<typeof Signed>;
export type MadePasskey = z.output<typeof MadePasskey>;

/** The options for `navigator.credentials`. */
const Descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).exactOptional(),
});
export const SignatureRequest = z.object({
  challenge: z.string(),
  timeout: z.number(),
  rpId: z.string(),
  /** Empty: any passkey of this site. */
  allowCredentials: z.array(Descriptor),
  userVerification: z.literal('required'),
});
export const PasskeyRequest = z.object({
  rp: z.object({ name: z.string(), id: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ alg: z.number(), type: z.literal('public-key') })),
  timeout: z.number(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
export type SignatureRequest = z.output<typeof SignatureRequest>;
export type PasskeyRequest = z.output<typeof PasskeyRequest>;

/** A passkey as its owner sees it. */
const Passkey = z.object({
  id: Id,
  name: z.string(),
  createdAt: Moment,
  /** Null if it has not been used yet. */
  lastUsedAt: Moment.nullable(),
  /**
   * Whether it is synced across several devices; otherwise it exists only on the device where it was made.
   */
  isSynced: z.boolean(),
});
export type Passkey = z.output<typeof Passkey>;
const Passkeys = z.object({ passkeys: z.array(Passkey) });

/** Signing in with a passkey, which works only in a browser and only on the site itself. */
export const passkeyOperations = {
  listPasskeys: operation({
    for: 'signed-in',
    scope: 'none',
    summary: 'The caller’s passkeys, oldest first.',
    output: Passkeys,
  }),
  requestPasskey: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'What a browser needs to make a passkey for the caller’s account. Changes nothing.',
    output: PasskeyRequest,
  }),
  addPasskey: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Adds a passkey that the browser has made to the caller’s account.',
    input: z.strictObject({ name: Name, passkey: MadePasskey }),
    output: Passkeys,
  }),
  renamePasskey: operation({
    for: 'signed-in',
    scope: 'none',
    summary: 'Renames one of the caller’s passkeys.',
    input: z.strictObject({ passkeyId: Id, name: Name }),
    output: Passkeys,
  }),
  removePasskey: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Removes one of the caller’s passkeys: nobody can log in with it any more. Safe to repeat.',
    input: z.strictObject({ passkeyId: Id }),
    output: Passkeys,
  }),
  requestSignature: operation({
    for: 'anyone',
    scope: 'none',
    summary:
      'What a browser needs to let a passkey sign: to log in, or to confirm the caller’s identity while logged in.',
    output: SignatureRequest,
  }),
  signInWithPasskey: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary: 'Starts a session with what a passkey has signed.',
    input: z.strictObject({ signed: Signed, keepSignedIn: KeepSignedIn }),
    output: Viewer,
  }),
  confirmWithPasskey: operation({
    for: 'signed-in',
    scope: 'none',
    summary:
      'Confirms the caller’s identity with what a passkey has signed: it counts as a recent sign-in for ten minutes.',
    input: z.strictObject({ signed: Signed }),
  }),
};
