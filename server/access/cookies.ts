import { parse, serialize } from 'hono/utils/cookie';
import type { Config } from '../config.ts';
import type { RequestContext } from './context.ts';

type CookieName = 'session' | 'browser' | 'code' | `openid-${string}` | 'passkey';

/**
 * `__Host-` binds a cookie to this very host over https, so that hosts beside it cannot set it; a browser
 * refuses the name on plain http.
 */
export function cookieName({ isSecure }: Pick<Config, 'isSecure'>, name: CookieName): string {
  return `${isSecure ? '__Host-' : ''}coterie-${name}`;
}

/** No script reads them. `lax`, because a browser comes back from a mail or a provider elsewhere. */
export function cookieOptions({ isSecure }: Pick<Config, 'isSecure'>) {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' } as const;
}

/** What a browser sends in one of our cookies, which anybody may have written. */
export function readCookie(
  { config, requestHeaders }: Pick<RequestContext, 'config' | 'requestHeaders'>,
  name: CookieName,
): string | undefined {
  const fullName = cookieName(config, name);
  return parse(requestHeaders.get('cookie') ?? '', fullName)[fullName];
}

/**
 * The ends of the names of all cookies that a browser sends and that begin so, the oldest first (RFC 6265,
 * 5.4).
 */
export function cookiesStarting(
  { config, requestHeaders }: Pick<RequestContext, 'config' | 'requestHeaders'>,
  start: 'openid-',
): string[] {
  const prefix = cookieName(config, start);
  const names = Object.keys(parse(requestHeaders.get('cookie') ?? ''));
  return names.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));
}

/** Lets the browser keep a cookie: for `maxAge` seconds, or until it is closed. */
export function setCookie(
  { config, replyHeaders }: Pick<RequestContext, 'config' | 'replyHeaders'>,
  name: CookieName,
  value: string,
  options: { maxAge?: number; sameSite?: 'strict' },
): void {
  const cookie = serialize(cookieName(config, name), value, { ...cookieOptions(config), ...options });
  replyHeaders.append('set-cookie', cookie);
}
