import type { RequestContext } from '../../access/context.ts';
import { cookiesStarting, readCookie, setCookie } from '../../access/cookies.ts';
import { OpenidFlow } from './provider.ts';

/** How long a sign-in that is under way may take. */
const lifeSeconds = 15 * 60;

/** How many sign-ins may be under way in a browser: a header with many more would be refused as too large. */
const mostAtOnce = 5;

/**
 * Lets the browser keep what belongs to a sign-in that it begins. Each has its own cookie: two tabs may begin
 * one.
 */
export function keepFlow(
  deps: Pick<RequestContext, 'config' | 'requestHeaders' | 'replyHeaders'>,
  flow: OpenidFlow,
): void {
  for (const state of cookiesStarting(deps, 'openid-').slice(0, -(mostAtOnce - 1))) dropFlow(deps, state);
  setCookie(deps, `openid-${flow.state}`, flowText(flow), { maxAge: lifeSeconds });
}

/**
 * Takes from the browser what it has kept of the sign-in with this state; undefined where that is none of
 * ours.
 */
export function takeFlow(
  deps: Pick<RequestContext, 'config' | 'requestHeaders' | 'replyHeaders'>,
  state: string | undefined,
): OpenidFlow | undefined {
  if (state === undefined || !/^[\w-]{1,100}$/.test(state)) return undefined;
  dropFlow(deps, state);
  return flowOf(readCookie(deps, `openid-${state}`));
}

function dropFlow(deps: Pick<RequestContext, 'config' | 'replyHeaders'>, state: string): void {
  setCookie(deps, `openid-${state}`, '', { maxAge: 0 });
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
