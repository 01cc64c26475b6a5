import { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';
import { type FirebaseParameters, firebaseHash } from '../../accounts/imported-passwords.ts';
import { readJsonItems } from '../json-items.ts';

/** An account as `firebase auth:export --format=JSON` writes it; what is of no use here is left out. */
const ExportedAccount = z.object({
  localId: z.string().min(1),
  email: z.string().optional().catch(undefined),
  emailVerified: z.boolean().optional().catch(undefined),
  passwordHash: z.string().optional().catch(undefined),
  salt: z.string().optional().catch(undefined),
  displayName: z.string().optional().catch(undefined),
  disabled: z.boolean().optional().catch(undefined),
  /** Milliseconds, as text. */
  createdAt: z.coerce.number().optional().catch(undefined),
  mfaInfo: z.array(z.unknown()).optional().catch(undefined),
});
type ExportedAccount = z.output<typeof ExportedAccount>;

/** A sign-in of a Firebase project. */
export type SignIn = {
  id: string;
  email: string | undefined;
  isEmailVerified: boolean;
  displayName: string | undefined;
  isDisabled: boolean;
  createdAt: number | undefined;
  passwordHash: string | undefined;
  notes: string[];
};

/** The accounts of an export. Throws invalid-argument for a file that is none. */
export async function* readAuthExport(
  bytes: AsyncIterable<Uint8Array>,
  parameters: FirebaseParameters | undefined,
): AsyncGenerator<SignIn> {
  for await (const { value } of readJsonItems(bytes, ['$.users.*'])) {
    const account = ExportedAccount.safeParse(value);
    if (account.success) yield signInOf(account.data, parameters);
  }
}

function signInOf(account: ExportedAccount, parameters: FirebaseParameters | undefined): SignIn {
  const notes: string[] = [];
  if ((account.mfaInfo ?? []).length > 0) notes.push('its second factor does not come along');
  return {
    id: account.localId,
    email: account.email,
    isEmailVerified: account.emailVerified === true,
    displayName: account.displayName,
    isDisabled: account.disabled === true,
    createdAt: account.createdAt,
    passwordHash: hashOf(account, parameters),
    notes,
  };
}

function hashOf({ passwordHash, salt = '' }: ExportedAccount, parameters: FirebaseParameters | undefined) {
  // The emulator's hashes hold the password itself, so that anybody could read it: such accounts are tests.
  if (parameters === undefined || passwordHash === undefined || passwordHash.startsWith('fakeHash:'))
    return undefined;
  return firebaseHash(parameters, standard(passwordHash), standard(salt));
}

/** Base64 of the usual alphabet: the Admin SDK writes that of URLs. */
const standard = (base64: string) => Buffer.from(base64, 'base64').toString('base64');

/**
 * The parameters of a project's passwords, from the text that Firebase's console shows ("Password hash parameters") or that
 * `auth:import` takes. Throws invalid-argument where one is missing, and for another algorithm.
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
