import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { verifyOfBlog } from './blog-passwords.ts';

/**
 * Imported hashes. Each is stored in place of ours and names its algorithm in a prefix (ours do not begin
 * with a dollar sign), so that members keep their passwords; the first sign-in hashes the password again
 * (`sign-in.ts`).
 */
export const isImportedHash = (hash: string) => hash.startsWith('$');

/** Whether a password matches an imported hash. False for an unknown format. */
export async function verifyImported(hash: string, password: string): Promise<boolean> {
  if (hash.startsWith('$fbscrypt$')) return await verifyFirebase(hash, password);
  return await verifyOfBlog(hash, password);
}

/**
 * The parameters of a Firebase project, with which all its passwords are hashed. Keys and salts are base64.
 */
export type FirebaseParameters = {
  signerKey: string;
  saltSeparator: string;
  rounds: number;
  memoryCost: number;
};

/** A password hash of Firebase as one text, which {@link verifyImported} reads. Hash and salt are base64. */
export function firebaseHash(parameters: FirebaseParameters, hash: string, salt: string): string {
  const { signerKey, saltSeparator, rounds, memoryCost } = parameters;
  const written = `v=1,n=${memoryCost},r=${rounds},p=1,ss=${saltSeparator},sk=${signerKey}`;
  return `$fbscrypt$${written}$${salt}$${hash}`;
}

const firebaseForm =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=1,ss=([^,$]*),sk=([^,$]+)\$([^$]*)\$([^$]+)$/;
/**
 * Bounds on the cost of an imported hash's parameters: 2^17 blocks of 16 are 256 MiB. Firebase's own are 2^14
 * of 8.
 */
const mostMemoryCost = 17;
const mostRounds = 16;

/**
 * Firebase's variant of scrypt: the derived key encrypts the project's signer key, and the result is the
 * hash.
 */
async function verifyFirebase(written: string, password: string): Promise<boolean> {
  const [, memoryCost, rounds, separator = '', key = '', salt = '', hash = ''] =
    firebaseForm.exec(written) ?? [];
  const n = Number(memoryCost);
  const r = Number(rounds);
  if (!(n >= 1 && n <= mostMemoryCost && r >= 1 && r <= mostRounds)) return false;
  const salted = Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(separator, 'base64')]);
  const options = { N: 2 ** n, r, p: 1, maxmem: 256 * 2 ** n * r };
  const derived = (await deriveKey(password, salted, 32, options)) as Buffer;
  const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16));
  const made = Buffer.concat([cipher.update(Buffer.from(key, 'base64')), cipher.final()]);
  const expected = Buffer.from(hash, 'base64');
  // Two empty ones would be equal, too.
  return expected.length >= 32 && made.length === expected.length && timingSafeEqual(made, expected);
}

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt);
