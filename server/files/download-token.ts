import type { CredentialKey } from '../access/viewer.ts';
import { isSigned, sign } from '../base/secrets.ts';

/** How long an address with a token opens its file, in milliseconds. */
const validMs = 60 * 60 * 1_000;

/** Represents a visitor as the recipient of a token. */
const nobody = '-';
const kinds = { s: 'session', t: 'token' } as const;

type Signing = { secret: string; now: number };

/**
 * A token that opens one file for an hour, for its recipient. It names their session or access token, whose
 * rights are checked at each use: it ends with the right, the session or the token.
 */
export function createDownloadToken(
  { secret, now }: Signing,
  fileId: string,
  credential: CredentialKey | null,
): string {
  const holder = credential === null ? nobody : `${credential.kind.charAt(0)}:${credential.id}`;
  const claim = [fileId, holder, (now + validMs).toString(36)].join('.');
  return `${claim}.${sign(secret, 'download', claim)}`;
}

/** The file that a token opens and its recipient, null for a visitor; undefined for an invalid token. */
export function readDownloadToken(
  { secret, now }: Signing,
  token: string,
): { fileId: string; credential: CredentialKey | null } | undefined {
  const [fileId, holder, expires, signature, ...more] = token.split('.');
  if (fileId === undefined || holder === undefined || expires === undefined || signature === undefined)
    return undefined;
  if (more.length > 0 || Number.parseInt(expires, 36) < now) return undefined;
  if (!isSigned(secret, 'download', [fileId, holder, expires].join('.'), signature)) return undefined;
  if (holder === nobody) return { fileId, credential: null };
  const [kind, id] = holder.split(':');
  if ((kind !== 's' && kind !== 't') || id === undefined) return undefined;
  return { fileId, credential: { kind: kinds[kind], id } };
}
