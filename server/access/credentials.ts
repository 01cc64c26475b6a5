/** Whether a request names somebody; one that does not is a visitor's. */
export function isAnonymous(request: Pick<Headers, 'get'>): boolean {
  return request.get('authorization') === null && sessionCookies(request.get('cookie')) === null;
}

/** The cookies of a session among those of a request, as a header; null where there are none. */
export function sessionCookies(cookie: string | null): string | null {
  if (cookie === null || !cookie.includes('coterie-')) return null;
  const ours = cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => /^(?:__Host-)?coterie-session=/.test(pair));
  return ours.length === 0 ? null : ours.join('; ');
}
