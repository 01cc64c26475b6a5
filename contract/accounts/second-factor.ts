import { z } from 'zod';
import { operation } from '../operation.ts';
import { TypedPassword } from './account.ts';
import { Viewer } from './sign-in.ts';

const codeForm = 'A code has 6 digits; a recovery code has 16.';
/** A code of an app, or a recovery code, as somebody types it: spaces and hyphens are ignored. */
const Code = z
  .string()
  .max(60, codeForm)
  .transform(code => code.replaceAll(/[\s-]/g, ''))
  .pipe(z.string().regex(/^(\d{6}|\d{16})$/, codeForm));
/** 160 bits in base32 (RFC 4648), which every such app accepts. */
const Secret = z.string().regex(/^[A-Z2-7]{32}$/, 'This is no secret of ours.');
const AdminFactor = z.object({ isRequired: z.boolean() });
const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });

/** Codes of an app (TOTP, RFC 6238) in addition to the password, a link in a mail or the site's provider. */
export const secondFactorOperations = {
  getSecondFactor: operation({
    for: 'signed-in',
    scope: 'none',
    summary: 'Whether the caller’s account asks for a second factor.',
    output: z.object({
      isOn: z.boolean(),
      /** How many recovery codes have not been used. */
      recoveryCodesLeft: z.int().nonnegative(),
    }),
  }),
  requestSecondFactor: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'A new secret for an app that makes codes. Changes nothing.',
    output: z.object({
      secret: Secret,
      /** The secret as apps read it from a QR code: `otpauth://totp/...`. */
      uri: z.string(),
    }),
  }),
  turnOnSecondFactor: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary:
      'Turns on the second factor, or replaces its app, and ends every other session. The recovery codes are shown only once. Where the site sends mail, the address must be confirmed before, except for an admin.',
    input: z.strictObject({ secret: Secret, code: Code }),
    output: RecoveryCodes,
  }),
  renewRecoveryCodes: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Makes new recovery codes in place of all others. They are shown only once.',
    output: RecoveryCodes,
  }),
  turnOffSecondFactor: operation({
    for: 'signed-in',
    scope: 'none',
    asksAgain: true,
    summary: 'Turns off the second factor. Safe to repeat.',
  }),
  getAdminFactor: operation({
    for: 'admin',
    scope: 'read',
    summary: 'Whether the site requires a second factor of admins.',
    output: AdminFactor,
  }),
  setAdminFactor: operation({
    for: 'admin',
    scope: 'none',
    asksAgain: true,
    summary:
      'Sets whether admins need a second factor. An admin without one has no rights of an admin until it is turned on, not with a token either.',
    input: z.strictObject({ isRequired: z.boolean() }),
    output: AdminFactor,
  }),
  signInWithCode: operation({
    for: 'anyone',
    scope: 'none',
    beginsSession: true,
    summary:
      'Completes a sign-in that needs a second factor, in the browser that began it, with a code of the app or a recovery code. If the browser has a session of the account already, that one gets a recent sign-in.',
    input: z.strictObject({ code: Code }),
    output: Viewer,
  }),
  confirmPassword: operation({
    for: 'signed-in',
    scope: 'none',
    summary:
      'Confirms the caller’s identity with the password, and a code for an account with a second factor: it counts as a recent sign-in of this session for ten minutes.',
    input: z.strictObject({ currentPassword: TypedPassword, code: Code.optional() }),
  }),
};
