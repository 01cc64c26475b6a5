import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type PasswordHashing, passwordHashing } from '../../server/accounts/sign-in/password-hashing.ts';

const deriveKey = promisify<string, string, number, object, Buffer>(scrypt);
const start = 'least:';

/**
 * Hashes passwords by the algorithm of the site, at the least cost that it has: at the real one a test that
 * signs in spends most of its time on it. Hashes of the real cost, and imported ones, are read as the site
 * reads them.
 */
export class CountedHashing implements PasswordHashing {
  /** How many passwords were hashed, be it to keep them or to compare them. */
  count = 0;

  hash = async (password: string): Promise<string> => {
    const salt = randomBytes(8).toString('hex');
    return `${start}${salt}:${await this.#derive(password, salt)}`;
  };

  verify = async ({ hash, password }: { hash: string; password: string }): Promise<boolean> => {
    if (!hash.startsWith(start)) return await passwordHashing.verify({ hash, password });
    const [salt = '', key] = hash.slice(start.length).split(':');
    return (await this.#derive(password, salt)) === key;
  };

  async #derive(password: string, salt: string): Promise<string> {
    this.count += 1;
    return (await deriveKey(password.normalize('NFKC'), salt, 32, { N: 2, r: 1, p: 1 })).toString('hex');
  }
}
