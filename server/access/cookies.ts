import { parse, serialize } from 'hono/utils/cookie';
import type { Config } from '../config.ts';
import type { RequestContext } from './context.ts';

type CookieName = 'session' | 'browser' | 'code' | `openid-${string}` | 'passkey';

/**
 * `__Host-` binds a cookie to this host over https, so that neighbouring hosts cannot set it; a browser
 * refuses the prefix over plain http.
 */
export function cookieName({ isSecure }: Pick<Config, 'isSecure'>, name: CookieName): string {
  return `${isSecure ? '__Host-' : ''}coterie-${name}`;
}

/**
 * Scripts cannot read them. `lax`, so that they are sent when a link in a mail or an OpenID provider leads
 * here.
 */
export function cookieOptions({ isSecure }: Pick<Config, 'isSecure'>) {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' } as const;
}

/** The value of one of our cookies, which anybody may have written. */
export function readCookie(
  { config, requestHeaders }: Pick<RequestContext, 'config' | 'requestHeaders'>,
  name: CookieName,
): string | undefined {
  const fullName = cookieName(config, name);
  return parse(requestHeaders.get('cookie') ?? '', fullName)[fullName];
}

/** The rests of the names of all cookies that begin with a prefix, oldest first (RFC 6265, 5.4). */
export function cookiesStarting(
  { config, requestHeaders }: Pick<RequestContext, 'config' | 'requestHeaders'>,
  start: 'openid-',
): string[] {
  const prefix = cookieName(config, start);
  const names = Object.keys(parse(requestHeaders.get('cookie') ?? ''));
  return names.filter(name => name.startsWith(prefix)).map(name => name.slice(prefix.length));
}

/** Sets a cookie for `maxAge` seconds, or until the browser is closed. */
export function setCookie(
  { config, replyHeaders }: Pick<RequestContext, 'config' | 'replyHeaders'>,
  name: CookieName,
  value: string,
  options: { maxAge?: number; sameSite?: 'strict' },
): void {
  const cookie = serialize(cookieName(config, name), value, { ...cookieOptions(config), ...options });
  replyHeaders.append('set-cookie', cookie);
}
