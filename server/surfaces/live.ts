import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Hono } from 'hono';
import { postsPerStream } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { Id } from '../../contract/values.ts';
import type { Sessions } from '../accounts/sessions/sessions.ts';
import type { Deps } from '../deps.ts';
import { outgoingOf, type RequestVariables } from '../http/request.ts';
import { answerHeaders } from '../http/security-headers.ts';
import { LiveHub } from '../live/hub.ts';
import { streamSink } from '../live/sink.ts';

const streamHeaders = {
  'content-type': 'text/event-stream',
  // Buffering proxies must not hold this answer back.
  'x-accel-buffering': 'no',
};

/**
 * `GET /live?post={id}&post={id}`: server-sent events for one page, over one connection: the current viewer,
 * and the comments of the posts on the page (contract/live.ts, `LiveEvents`). Visitors are answered 204,
 * after which an EventSource does not reconnect by itself.
 */
export function liveSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  const hub = new LiveHub(deps, sessions);
  // A stream is written directly to the connection, so the middleware does not add its headers.
  const ownHeaders = Object.entries({ ...answerHeaders(deps.config), ...streamHeaders });
  app.get('/live', async c => {
    const { headers } = c.req.raw;
    c.var.requestIdentity.refuseElsewhere();
    const postIds = [...new Set(c.req.queries('post') ?? [])];
    if (postIds.length > postsPerStream || postIds.some(id => !Id.safeParse(id).success)) {
      throw new AppError('invalid-argument', 'Invalid post ids.');
    }
    // Hono also calls this route for HEAD and drops the body: then no stream may stay open.
    if (c.req.method === 'HEAD') return c.body(null, 204);
    const { replyHeaders, network } = c.var.requestIdentity;
    // There are no live events for visitors, and after 204 a browser does not ask again. Programs may, so
    // requests are counted.
    const answerVisitor = async () => {
      await deps.limits.countVisit(network);
      return c.body(null, 204);
    };
    const outgoing = outgoingOf(c);
    if (outgoing !== undefined) {
      // Directly to the connection: with a web stream each reader would cost twice the memory
      // (bench/live.ts).
      const reader = await hub.open(headers, replyHeaders, postIds, () =>
        outgoing.writeHead(200, [...ownHeaders, ...replyHeaders].flat()),
      );
      if (reader === null) return await answerVisitor();
      outgoing.once('close', () => reader.detach());
      // The client may have disconnected while its session was looked up.
      if (outgoing.destroyed) reader.detach();
      return RESPONSE_ALREADY_SENT;
    }
    let onCancel = () => {};
    const { sink, stream } = streamSink(() => onCancel());
    const reader = await hub.open(headers, replyHeaders, postIds, () => sink);
    if (reader === null) return await answerVisitor();
    onCancel = () => reader.detach();
    return c.body(stream, 200, streamHeaders);
  });
}
