import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/operation.ts';
import type { Viewer } from './viewer.ts';

/**
 * The session or access token with which a request was sent. Its row is deleted when somebody logs out or
 * revokes it.
 */
export type Credential =
  | { kind: 'session'; id: string }
  /** `name` is the name that its owner gave it. */
  | { kind: 'token'; id: string; name: string; scopes: readonly Scope[] };

/** The key of a credential's row. */
export type CredentialKey = Pick<Credential, 'kind' | 'id'>;

/** The viewer who has a right, and the session or token that gives it; null for none. */
export type Holder = { viewer: Viewer; credential: CredentialKey | null };

/** The sender of a request and the credential used; null for none, as in calls inside this process. */
export type Identity = { viewer: Viewer; credential: Credential | null };

/**
 * Refuses an access token that lacks a scope. Sessions have no scopes: they may do all that their owner may.
 */
export function requireScope(credential: Credential | null, scope: Scope | 'none'): void {
  if (credential?.kind !== 'token') return;
  if (scope === 'none') {
    throw new AppError('permission-denied', 'This is done on the site, not with an access token.');
  }
  if (credential.scopes.includes(scope)) return;
  throw new AppError(
    'permission-denied',
    `The access token “${credential.name}” may not do this: it was made without the scope “${scope}”.`,
  );
}

/** Whether a request with these headers carries no credentials, so that its sender is a visitor. */
export function isAnonymous(headers: Pick<Headers, 'get'>): boolean {
  return headers.get('authorization') === null && sessionCookies(headers.get('cookie'), false) === null;
}

/**
 * The session cookies of a request, as a header; null for none. Over https only the prefixed name counts,
 * which no other host can set. Only spaces and tabs may precede a name: a browser takes every other white
 * space as part of the name, so a neighbouring host could set a cookie whose name becomes ours after `trim`.
 * The patterns are anchored, so that a header of 16 KiB of spaces takes no longer than any other.
 */
export function sessionCookies(cookie: string | null, isSecure: boolean): string | null {
  if (cookie === null || !cookie.includes('coterie-')) return null;
  const ours = isSecure ? /^[ \t]*__Host-coterie-session=/ : /^[ \t]*(?:__Host-)?coterie-session=/;
  const found = cookie.split(';').filter(pair => ours.test(pair));
  return found.length === 0 ? null : found.join(';');
}
