import type { Config } from '../config.ts';
import { OpenidFlow } from './provider.ts';

/**
 * Where a browser keeps what belongs to a sign-in that is under way, and for how long. `__Host-` keeps hosts beside this
 * one from setting it; `lax`, because the browser comes back from another site.
 */
export function flowCookie({ isSecure }: Pick<Config, 'isSecure'>) {
  return {
    name: isSecure ? '__Host-coterie-openid' : 'coterie-openid',
    options: { httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/', maxAge: 15 * 60 },
  } as const;
}

export function flowText(flow: OpenidFlow): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url');
}

/** What the cookie holds; undefined where it is not one of ours. */
export function flowOf(text: string | undefined): OpenidFlow | undefined {
  if (text === undefined) return undefined;
  try {
    return OpenidFlow.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
