/** Whether a request carries no credentials, so that a visitor sends it. */
export function isAnonymous(request: Pick<Headers, 'get'>): boolean {
  return request.get('authorization') === null && sessionCookies(request.get('cookie'), false) === null;
}

/**
 * The cookies of a session among those of a request, as a header; null where there are none. Over https only the
 * prefixed name counts, which no other host can set. Only spaces and tabs may stand before a name: a browser takes every
 * other white space for a part of the name, so a host beside this one could set a cookie whose name is ours after `trim`.
 * The patterns are anchored, because a header of 16 KiB of spaces must take no longer than any other.
 */
export function sessionCookies(cookie: string | null, isSecure: boolean): string | null {
  if (cookie === null || !cookie.includes('coterie-')) return null;
  const ours = isSecure ? /^[ \t]*__Host-coterie-session=/ : /^[ \t]*(?:__Host-)?coterie-session=/;
  const found = cookie.split(';').filter(pair => ours.test(pair));
  return found.length === 0 ? null : found.join(';');
}
