import { z } from 'zod';
import { AppError } from '../../../../contract/errors.ts';
import { type FirebaseParameters, firebaseHash } from '../../../accounts/sign-in/imported-passwords.ts';
import { readJsonRecords } from '../json-items.ts';

/** The used fields of a sign-in as `firebase auth:export --format=JSON` writes it. */
const SignIn = z.object({
  localId: z.string().min(1),
  email: z.string().optional().catch(undefined),
  emailVerified: z.boolean().default(false).catch(false),
  passwordHash: z.string().optional().catch(undefined),
  salt: z.string().default('').catch(''),
  displayName: z.string().optional().catch(undefined),
  disabled: z.boolean().default(false).catch(false),
  /** Milliseconds, as text. */
  createdAt: z.coerce.number().optional().catch(undefined),
  mfaInfo: z.array(z.unknown()).default([]).catch([]),
});
export type SignIn = z.output<typeof SignIn>;

/**
 * The sign-ins of an export, with hashes that can be verified here, if the parameters are known. Throws
 * invalid-argument for any other file.
 */
export async function* readAuthExport(
  bytes: AsyncIterable<Uint8Array>,
  parameters: FirebaseParameters | undefined,
): AsyncGenerator<SignIn> {
  for await (const signIn of readJsonRecords(bytes, '$.users.*', SignIn))
    yield { ...signIn, passwordHash: hashOf(signIn, parameters) };
}

function hashOf({ passwordHash, salt }: SignIn, parameters: FirebaseParameters | undefined) {
  // The emulator's hashes contain the password in clear text: such accounts are tests.
  if (parameters === undefined || passwordHash === undefined || passwordHash.startsWith('fakeHash:'))
    return undefined;
  return firebaseHash(parameters, standard(passwordHash), standard(salt));
}

/** Base64 of the standard alphabet: the Admin SDK writes the URL-safe one. */
const standard = (base64: string) => Buffer.from(base64, 'base64').toString('base64');

/**
 * The parameters of a project's passwords, from the text that Firebase's console shows ("Password hash
 * parameters") or that `auth:import` accepts. Throws invalid-argument if one is missing, and for another
 * algorithm.
 */
export function parseHashConfig(text: string): FirebaseParameters {
  const found = (name: string) =>
    new RegExp(`\\b${name}\\b["']?\\s*[:=]\\s*["']?([^\\s"',}]+)`, 'i').exec(text)?.[1];
  const algorithm = found('algorithm');
  if (algorithm !== undefined && algorithm.toUpperCase() !== 'SCRYPT') {
    throw new AppError(
      'invalid-argument',
      `The passwords are hashed by ${algorithm}: only Firebase's SCRYPT can be read.`,
    );
  }
  const signerKey = found('base64_signer_key');
  const saltSeparator = found('base64_salt_separator');
  const rounds = Number(found('rounds'));
  const memoryCost = Number(found('mem_cost'));
  if (signerKey === undefined || saltSeparator === undefined || !(rounds > 0) || !(memoryCost > 0)) {
    throw new AppError(
      'invalid-argument',
      'The hash parameters need base64_signer_key, base64_salt_separator, rounds and mem_cost, as the Firebase console shows them.',
    );
  }
  return { signerKey: standard(signerKey), saltSeparator: standard(saltSeparator), rounds, memoryCost };
}
