import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long an address with a token opens its file, in milliseconds. */
const validMs = 60 * 60 * 1_000;

/** Stands for a visitor where a token names its viewer. */
const nobody = '-';

type Signing = { secret: string; now: number };

/**
 * A token that opens one file for an hour, as the viewer it was given to: it names them, and their right is asked again
 * each time, so it is worth nothing once they have lost it.
 */
export function createDownloadToken({ secret, now }: Signing, fileId: string, userId: string | null): string {
  const claim = [fileId, userId ?? nobody, (now + validMs).toString(36)].join('.');
  return `${claim}.${sign(secret, claim)}`;
}

/** For whom a token opens a file; null for a visitor, undefined when it does not open it. */
export function readDownloadToken(
  { secret, now }: Signing,
  fileId: string,
  token: string,
): { userId: string | null } | undefined {
  const [file, user, expires, signature, ...more] = token.split('.');
  if (file !== fileId || user === undefined || expires === undefined || signature === undefined)
    return undefined;
  if (more.length > 0 || Number.parseInt(expires, 36) < now) return undefined;
  const expected = Buffer.from(sign(secret, [file, user, expires].join('.')));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return { userId: user === nobody ? null : user };
}

function sign(secret: string, claim: string): string {
  return createHmac('sha256', secret).update(`download ${claim}`).digest('base64url');
}
