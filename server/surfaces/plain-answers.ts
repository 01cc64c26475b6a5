import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import type { Identity } from '../access/hold-rights.ts';
import type { Sessions } from '../accounts/sessions.ts';
import { Cache, type MadeFrom } from '../db/changes/cache.ts';
import { cacheBytes } from '../db/changes/cache-bytes.ts';
import type { Deps } from '../deps.ts';
import { type PageBytes, pageKey } from '../http/anonymous-cache.ts';
import { isVisitors, noteAnswers, plainCall, takeShortBody } from '../http/plain-request.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { invoke } from '../operations.ts';
import { parseData } from './callable/callable.ts';
import { renderPage } from './pages/pages.ts';
import type { SharedPages } from './pages/shared-pages.ts';
import type { Web } from './pages/web.ts';

/** The pages that most readers open: those of posts, at addresses without a query. */
const pageOfPosts = /^\/(?:(?:post|tags)\/[\w-]+)?$/;

type Answer = { status: number; headers: Record<string, string>; body: Uint8Array | null };

/**
 * Answers what members ask most, reading calls and pages of posts, as the app does but without its way there, which takes
 * longer than the answer. Who asks and what they may is asked as ever: `Sessions` and `invoke`. All else, and all that
 * fails, is the app's: it answers from the start.
 */
export function answerMembers(
  listener: RequestListener,
  deps: Deps,
  sessions: Sessions,
  rendering: { web: Web; sharedPages: SharedPages },
): RequestListener {
  const noted = noteAnswers(deps.log);
  const ownOrigin = new URL(deps.config.publicUrl).origin;
  const callHeaders = { ...answerHeaders(deps.config), 'content-type': 'application/json' };
  const pages = new Cache<PageBytes>(deps.changes, {
    maxBytes: cacheBytes('memberPages'),
    sizeOf: ({ size }) => size,
  });

  /** A page as it was made for this member before, until something changes that it was made from. */
  const page = async (who: Identity, userId: string, request: Headers, url: string): Promise<PageBytes> => {
    const make = (as: Identity, madeFrom?: MadeFrom) =>
      renderPage(deps, rendering, url, as, request, 'viewer', madeFrom);
    // Authors and admins are shown drafts, for which the record has no key of their own.
    if (who.viewer.role !== 'member') return await make(who);
    const name = `${userId} ${pageKey(request.get('accept-encoding'), url)}`;
    return await pages.get(name, async madeFrom => {
      madeFrom(`viewer:${userId}`, `likes:${userId}`);
      // A right that went before this page was under way has dropped nothing, so who asks is asked for again.
      const now = await sessions.identify(request, new Headers());
      if (now.viewer.user?.id !== userId || now.viewer.role !== 'member') {
        throw new AppError('unauthenticated', 'This is no member any more.');
      }
      return await make(now, madeFrom);
    });
  };

  const answer = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    make: (who: Identity, userId: string, request: Headers) => Promise<Answer>,
    giveBack = () => {},
  ): Promise<void> => {
    const start = performance.now();
    const reply = new Headers();
    let made: Answer | undefined;
    try {
      const request = new Headers({ cookie: incoming.headers.cookie ?? '' });
      const who = await sessions.identify(request, reply);
      // A cookie that is no longer good.
      if (who.viewer.user !== null) made = await make(who, who.viewer.user.id, request);
    } catch {}
    if (made === undefined) {
      giveBack();
      listener(incoming, outgoing);
      return;
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

  return (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (headers.authorization !== undefined || isVisitors(headers)) return listener(incoming, outgoing);
    if (method === 'GET' && pageOfPosts.test(url) && headers['if-none-match'] === undefined) {
      void answer(incoming, outgoing, async (who, userId, request) => {
        await deps.limits.takePage(userId);
        const accept = headers['accept-encoding']?.toString();
        if (accept !== undefined) request.set('accept-encoding', accept);
        return await page(who, userId, request, url);
      });
      return;
    }
    const operation = plainCall(incoming, ownOrigin);
    if (operation === undefined) return listener(incoming, outgoing);
    takeShortBody(incoming, (text, giveBack) => {
      if (text === undefined) return listener(incoming, outgoing);
      const call = async (who: Identity, userId: string, request: Headers) => {
        await deps.limits.takeCall(operation, userId);
        const invocation = { ...deps, ...who, request, reply: new Headers(), peer: null };
        const result = await invoke(operation, parseData(text), invocation);
        return { status: 200, headers: callHeaders, body: Buffer.from(JSON.stringify({ result })) };
      };
      void answer(incoming, outgoing, call, giveBack);
    });
  };
}
