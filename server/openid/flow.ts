import { readCookie, setCookie } from '../access/cookies.ts';
import type { Invocation } from '../deps.ts';
import { OpenidFlow } from './provider.ts';

/** How long a sign-in that is under way may take. */
const lifeSeconds = 15 * 60;

/** Lets the browser keep what belongs to a sign-in that it begins. */
export function keepFlow(deps: Pick<Invocation, 'config' | 'replyHeaders'>, flow: OpenidFlow): void {
  setCookie(deps, 'openid', flowText(flow), { maxAge: lifeSeconds });
}

/** Takes from the browser what it has kept of a sign-in; undefined where that is none of ours. */
export function takeFlow(
  deps: Pick<Invocation, 'config' | 'requestHeaders' | 'replyHeaders'>,
): OpenidFlow | undefined {
  setCookie(deps, 'openid', '', { maxAge: 0 });
  return flowOf(readCookie(deps, 'openid'));
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
