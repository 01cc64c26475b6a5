import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Random bytes for a link or a cookie, as base64url: 32 characters of 24 bytes. */
export function newToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}

/** SHA-256, as base64url. Tokens are stored as this digest: random ones need no slow hash. */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha256', text, 'base64url');
}

/** The first 132 bits of {@link digestOf}, for names, versions and ETags. */
export const shortDigest = (text: string | Uint8Array) => digestOf(text).slice(0, 22);

type Purpose =
  | 'bounce'
  | 'download'
  | 'enclosure'
  | 'passkey'
  | 'push'
  | 'reply'
  | 'setup'
  | 'sign-in code'
  | 'sign-up'
  | 'unsubscribe'
  | 'webhook';

/** HMAC-SHA256 of a text, as base64url, valid for one purpose. */
export function sign(secret: string, purpose: Purpose, text: string): string {
  return createHmac('sha256', secret).update(`${purpose} ${text}`).digest('base64url');
}

/** The six-digit code of a sign-in link, made from its digest. The caller must limit attempts. */
export function signInCode(secret: string, linkDigest: string): string {
  const bytes = Buffer.from(sign(secret, 'sign-in code', linkDigest), 'base64url');
  return String(bytes.readUIntBE(0, 6) % 1_000_000).padStart(6, '0');
}

/** Whether {@link sign} made this signature of a text. Takes the same time for every signature. */
export function isSigned(secret: string, purpose: Purpose, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(secret, purpose, text));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
