import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { isImportedHash, verifyImported } from './imported-passwords.ts';

/** How passwords are hashed. It is slow on purpose; tests of other things pass a fast one. */
export type PasswordHashing = {
  hash(password: string): Promise<string>;
  /** Whether a password matches a hash, imported ones included. False for an unknown format. */
  verify(tried: { hash: string; password: string }): Promise<boolean>;
};

/** 16 MiB and about 80 ms per password. */
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 ** 2 };
const keyBytes = 64;

const deriveKey = promisify<string, string, number, object, Buffer>(scrypt);

/**
 * scrypt, stored as `salt:key` in hexadecimal. Passwords are normalised, so that different Unicode spellings
 * are equal.
 */
export const passwordHashing: PasswordHashing = {
  hash: async password => {
    const salt = randomBytes(16).toString('hex');
    return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
  },
  verify: async ({ hash, password }) => {
    if (isImportedHash(hash)) return await verifyImported(hash, password);
    const [salt = '', written = ''] = hash.split(':');
    const stored = Buffer.from(written, 'hex');
    return stored.length === keyBytes && timingSafeEqual(stored, await keyOf(password, salt));
  },
};

const keyOf = (password: string, salt: string) => deriveKey(password.normalize('NFKC'), salt, keyBytes, cost);
