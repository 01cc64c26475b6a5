/** Whether a request carries no credentials, so that a visitor sends it. */
export function isAnonymous(request: Pick<Headers, 'get'>): boolean {
  return request.get('authorization') === null && sessionCookies(request.get('cookie'), false) === null;
}

/**
 * The cookies of a session among those of a request, as a header; null where there are none. Over https only the
 * prefixed name counts, which no other host can set. Only spaces and tabs around a name are removed. A browser takes
 * every other white space for a part of the name, so a host beside this one could set a cookie whose name is ours after
 * `trim`.
 */
export function sessionCookies(cookie: string | null, isSecure: boolean): string | null {
  if (cookie === null || !cookie.includes('coterie-')) return null;
  const name = isSecure ? /^__Host-coterie-session=/ : /^(?:__Host-)?coterie-session=/;
  const ours = cookie
    .split(';')
    .map(pair => pair.replaceAll(/^[ \t]+|[ \t]+$/g, ''))
    .filter(pair => name.test(pair));
  return ours.length === 0 ? null : ours.join('; ');
}
