/** Whether a request names somebody; one that does not is a visitor's. */
export function isAnonymous(request: Pick<Headers, 'get'>): boolean {
  return request.get('authorization') === null && sessionCookies(request.get('cookie'), false) === null;
}

/**
 * The cookies of a session among those of a request, as a header; null where there are none. Over https by the prefixed
 * name alone, which no other host can set. Only space and tab may stand around a name: a browser takes every other blank
 * for a part of it, so that a host beside this one could set a cookie that is named like ours once `trim` has been at it.
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
