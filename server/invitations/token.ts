import { createHash, randomBytes } from 'node:crypto';

/** A new secret of a link, and the digest that is stored. 192 random bits need no slow hash. */
export function createToken(): { token: string; digest: string } {
  const token = randomBytes(24).toString('base64url');
  return { token, digest: digestOf(token) };
}

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
