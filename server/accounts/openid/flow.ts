import type { RequestContext } from '../../access/context.ts';
import { cookiesStarting, readCookie, setCookie } from '../../access/cookies.ts';
import { OpenidFlow } from './provider.ts';

/** How long a sign-in at the provider may take. */
const lifeSeconds = 15 * 60;

/**
 * How many sign-ins one browser may have in progress: with many more, the Cookie header would be refused as
 * too large.
 */
const mostAtOnce = 5;

/** Stores the state of a new sign-in in a cookie of its own: two tabs may each begin one. */
export function keepFlow(
  deps: Pick<RequestContext, 'config' | 'requestHeaders' | 'replyHeaders'>,
  flow: OpenidFlow,
): void {
  for (const state of cookiesStarting(deps, 'openid-').slice(0, -(mostAtOnce - 1))) dropFlow(deps, state);
  setCookie(deps, `openid-${flow.state}`, flowText(flow), { maxAge: lifeSeconds });
}

/** Removes and returns the state of a sign-in from its cookie; undefined if it was not made here. */
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

/** The content of the cookie; undefined if it is not valid. */
export function flowOf(text: string | undefined): OpenidFlow | undefined {
  if (text === undefined) return undefined;
  try {
    return OpenidFlow.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
