import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import type { Identity } from '../access/credentials.ts';
import type { Sessions } from '../accounts/sessions.ts';
import { Cache, type MadeFrom } from '../db/changes/cache.ts';
import { cacheBytes } from '../db/changes/cache-bytes.ts';
import { type Deps, internalInvocation } from '../deps.ts';
import { type PageBytes, pageKey } from '../http/anonymous-cache.ts';
import { isAnonymousRequest, noteAnswers, plainCall, takeShortBody } from '../http/plain-request.ts';
import type { Listener } from '../http/running-requests.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { invokeAsJson } from '../operations.ts';
import { parseData } from './callable/callable.ts';
import { type Rendering, renderPage } from './pages/pages.ts';

/** The pages that most readers open: those of posts, at addresses without a query. */
const pageOfPosts = /^\/(?:(?:post|tags)\/[\w-]+)?$/;

type Answer = { status: number; headers: Record<string, string>; body: Uint8Array | null };

/**
 * Answers the most frequent requests of members, reading calls and pages of posts, without the layers of the app, which
 * take longer than the answer. Identity and rights are checked as everywhere, by `Sessions` and `invoke`. The app
 * handles all other requests, and those that fail here from the beginning.
 */
export function answerMembers(
  listener: Listener,
  deps: Deps,
  sessions: Sessions,
  rendering: Rendering,
): Listener {
  const answer = memberAnswers(listener, deps, sessions);
  const ownOrigin = new URL(deps.config.publicUrl).origin;
  const callHeaders = { ...answerHeaders(deps.config), 'content-type': 'application/json' };
  const page = memberPages(deps, sessions, rendering);

  return async (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (headers.authorization !== undefined || isAnonymousRequest(headers))
      return await listener(incoming, outgoing);
    if (method === 'GET' && pageOfPosts.test(url) && headers['if-none-match'] === undefined) {
      return await answer(incoming, outgoing, async (who, request, userId) => {
        await deps.limits.take(who.viewer, null);
        const accept = headers['accept-encoding']?.toString();
        if (accept !== undefined) request.set('accept-encoding', accept);
        return await page(who, userId, request, url);
      });
    }
    const operation = plainCall(incoming, ownOrigin);
    if (operation === undefined) return await listener(incoming, outgoing);
    const { text, giveBack } = await takeShortBody(incoming);
    if (text === undefined) return await listener(incoming, outgoing);
    const call = async (who: Identity, requestHeaders: Headers) => {
      await deps.limits.take(who.viewer, null, operation);
      const invocation = internalInvocation(deps, who, { requestHeaders });
      const result = await invokeAsJson(operation, parseData(text), invocation);
      return { status: 200, headers: callHeaders, body: Buffer.from(`{"result":${result}}`) };
    };
    await answer(incoming, outgoing, call, giveBack);
  };
}

/** Sends what `make` makes for the member who asks. The app answers where that fails; `giveBack` gives it the body. */
function memberAnswers(listener: Listener, deps: Deps, sessions: Sessions) {
  const noted = noteAnswers(deps.log);

  return async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    make: (who: Identity, request: Headers, userId: string) => Promise<Answer>,
    giveBack = () => {},
  ): Promise<void> => {
    const start = performance.now();
    const reply = new Headers();
    let made: Answer | undefined;
    try {
      const request = new Headers({ cookie: incoming.headers.cookie ?? '' });
      const who = await sessions.identify(request, reply);
      // If the cookie is no longer valid, the app answers.
      if (who.viewer.user !== null) made = await make(who, request, who.viewer.user.id);
    } catch {}
    if (made === undefined) {
      giveBack();
      return await listener(incoming, outgoing);
    }
    const { status, headers, body } = made;
    const cookies = reply.getSetCookie();
    outgoing.writeHead(status, {
      ...headers,
      'content-length': body?.length ?? 0,
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    });
    outgoing.end(body);
    noted(incoming, outgoing, start);
  };
}

/** Makes the pages of members: the cached one, or a new one if something that it was made from has changed. */
function memberPages(
  deps: Deps,
  sessions: Sessions,
  rendering: Rendering,
): (who: Identity, userId: string, request: Headers, url: string) => Promise<PageBytes> {
  const pages = new Cache<PageBytes>(deps.changes, {
    maxBytes: cacheBytes('memberPages'),
    sizeOf: ({ body }) => body?.length ?? 0,
  });

  return async (who, userId, request, url) => {
    const make = (as: Identity, madeFrom?: MadeFrom) =>
      renderPage(deps, rendering, url, as, request, 'viewer', madeFrom);
    // Authors and admins see drafts, for which the record of changes has no key.
    if (who.viewer.role !== 'member') return await make(who);
    const name = `${userId} ${pageKey(request.get('accept-encoding'), url)}`;
    return await pages.get(name, async madeFrom => {
      madeFrom(`viewer:${userId}`, `likes:${userId}`);
      // A right that was revoked before `madeFrom` was called did not invalidate this page, so the viewer is identified
      // again.
      const now = await sessions.identify(request, new Headers());
      if (now.viewer.user?.id !== userId || now.viewer.role !== 'member') {
        throw new AppError('unauthenticated', 'This is no member any more.');
      }
      return await make(now, madeFrom);
    });
  };
}
