import fresh from 'fresh';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Whether the sender of a conditional request has this answer, so that 304 is right (RFC 9110, 13.2.2). The
 * library says no to `Cache-Control: no-cache`, which fetch adds to every request that names its own
 * condition; it is for caches on the way.
 */
export function isFresh(request: Headers, answer: Headers): boolean {
  return fresh({ ...request, 'cache-control': undefined }, answer);
}
