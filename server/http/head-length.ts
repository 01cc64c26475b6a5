import type { MiddlewareHandler } from 'hono';

/**
 * Gives the answer to a HEAD request the length that the one to GET has (RFC 9110, 9.3.2). Hono makes the
 * answer to GET and then drops its body. A stream of events has no length.
 */
export const headLength: MiddlewareHandler = async (c, next) => {
  await next();
  const { res } = c;
  if (c.req.method !== 'HEAD' || res.headers.has('content-length') || [204, 304].includes(res.status)) return;
  if (res.headers.get('content-type')?.startsWith('text/event-stream')) return;
  const { byteLength } = await res.clone().arrayBuffer();
  res.headers.set('content-length', String(byteLength));
};
