import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { compare } from 'bcryptjs';

/**
 * The prefix of WordPress's bcrypt hashes since 6.8 (`wp_hash_password`), which are made of a digest of the
 * password, as bcrypt reads at most 72 bytes.
 */
const signedMark = '$wp';
const signingKey = 'wp-sha384';
/** The oldest hashes, MD5 in hexadecimal, have no prefix of their own; they are stored with this one. */
const md5Mark = '$md5$';

const phpassForm = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/;
const bcryptForm = /^\$2[aby]\$(\d\d)\$[./0-9A-Za-z]{53}$/;
/**
 * Bounds on the cost of checking a hash: 2^18 rounds of MD5 take a quarter of a second, bcrypt with cost 14
 * one second.
 */
const mostPhpassRounds = 18;
const mostBcryptRounds = 14;

/**
 * A hash of WordPress, of Ghost or of formats they share with others, in the form in which it is stored here;
 * undefined for any other format.
 */
export function blogHash(written: string): string | undefined {
  const hash = written.trim();
  if (/^[0-9a-f]{32}$/i.test(hash)) return md5Mark + hash.toLowerCase();
  return isKnown(hash) ? hash : undefined;
}

/** Whether a password matches such a hash. False for an invalid hash. */
export async function verifyOfBlog(hash: string, password: string): Promise<boolean> {
  if (hash.startsWith(md5Mark)) return isSame(md5(password).toString('hex'), hash.slice(md5Mark.length));
  if (!isKnown(hash)) return false;
  if (phpassForm.test(hash)) return verifyPhpass(hash, password);
  if (!hash.startsWith(signedMark)) return await compare(password, hash);
  const signed = createHmac('sha384', signingKey).update(password.trim()).digest('base64');
  return await compare(signed, hash.slice(signedMark.length));
}

function isKnown(hash: string): boolean {
  const [, bcryptRounds] =
    bcryptForm.exec(hash.startsWith(signedMark) ? hash.slice(signedMark.length) : hash) ?? [];
  if (bcryptRounds !== undefined) return Number(bcryptRounds) <= mostBcryptRounds;
  const [, phpassRounds] = phpassForm.exec(hash) ?? [];
  return phpassRounds !== undefined && alphabet.indexOf(phpassRounds) <= mostPhpassRounds;
}

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The "portable" hashes of phpass: MD5 of salt and password, then repeatedly of the result and the password.
 */
function verifyPhpass(hash: string, password: string): boolean {
  const [, rounds = '', salt = '', expected = ''] = phpassForm.exec(hash) ?? [];
  let digest = md5(salt, password);
  for (let left = 2 ** alphabet.indexOf(rounds); left > 0; left -= 1) digest = md5(digest, password);
  return isSame(encoded(digest), expected);
}

/** Base 64 of phpass: its own alphabet, the lowest bits first. */
function encoded(bytes: Buffer): string {
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const group = [...bytes.subarray(index, index + 3)];
    const value = group.reduce((sum, byte, place) => sum | (byte << (8 * place)), 0);
    for (let place = 0; place <= group.length; place += 1) text += alphabet[(value >> (6 * place)) & 63];
  }
  return text;
}

function md5(...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function isSame(made: string, expected: string): boolean {
  return made.length === expected.length && timingSafeEqual(Buffer.from(made), Buffer.from(expected));
}
