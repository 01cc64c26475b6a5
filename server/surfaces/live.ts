import { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import type { Sessions } from '../access/sessions.ts';
import type { Deps } from '../deps.ts';
import { answerError } from './errors.ts';
import { LiveHub } from './live-hub.ts';
import { isCrossSite, type RequestVariables } from './request.ts';

function disconnect(c: Context): void {
  const incoming: unknown = c.env?.incoming;
  if (incoming instanceof IncomingMessage) incoming.socket.destroy();
}

/** Posts whose comments can be open on one page. */
const postsPerStream = 50;

/**
 * `GET /live?post={id}&post={id}`: server-sent events for one page, over one connection: who its reader is, and the
 * comments of the posts that it shows (contract/comments.ts, `liveEvents`). Visitors are answered 204, after which a
 * browser does not come back.
 */
export function liveSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): LiveHub {
  const hub = new LiveHub(deps, sessions);
  app.get('/live', async c => {
    c.header('cache-control', 'no-store');
    try {
      const { headers } = c.req.raw;
      if (isCrossSite(headers)) {
        throw new AppError('permission-denied', 'This request comes from another site.');
      }
      const postIds = [...new Set(c.req.queries('post') ?? [])];
      if (postIds.length > postsPerStream || postIds.some(id => !Id.safeParse(id).success)) {
        throw new AppError('invalid-argument', 'These are not the posts of a page.');
      }
      const reply = new Headers();
      // Hono answers HEAD with this route, too, and drops the body: then no stream may stay open.
      if (c.req.method === 'HEAD') return c.body(null, 204);
      const reader = await hub.open(headers, reply, postIds, () => disconnect(c));
      for (const [header, value] of reply) c.header(header, value, { append: true });
      if (reader === null) return c.body(null, 204);
      // Proxies that buffer answers must not hold this one back.
      return c.body(reader.stream, 200, {
        'content-type': 'text/event-stream',
        'x-accel-buffering': 'no',
      });
    } catch (error) {
      const { http, body } = answerError(error, c.var.log);
      return c.json(body, http as 403);
    }
  });
  return hub;
}
