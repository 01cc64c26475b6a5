import { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import type { OperationName } from '../../contract/operations.ts';
import { isAnonymous, type Sessions } from '../access/sessions.ts';
import type { Deps } from '../deps.ts';
import { invoke, isOperationName } from '../operations.ts';
import { decodeValue } from './callable-values.ts';
import { answerError } from './errors.ts';
import { inTime, peerOf } from './limits.ts';
import { credentialsOf } from './origin.ts';
import type { RequestVariables } from './request.ts';
import { VisitorCache } from './visitor-cache.ts';

/** The largest post as JSON, escapes included, with room to spare. */
const maxBodyBytes = 8 * 1024 * 1024;
const eventStream = 'text/event-stream';

/** Operations that only read: a visitor's answer is the same for all of them until the content changes. */
const cacheable: ReadonlySet<OperationName> = new Set(['getPosts', 'getPost', 'getTags', 'getSettings']);

class Body {
  readonly text: string;
  readonly size: number;
  constructor(text: string) {
    this.text = text;
    this.size = text.length;
  }
}

/**
 * `POST /api/{name}` with `{"data": ...}`, answered by `{"result": ...}` or `{"error": {status, message, details}}`:
 * the callable protocol of Firebase. A request that accepts an event stream is answered 200 with one line of it,
 * because its clients ignore the status.
 */
export function callableSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  const cache = new VisitorCache<Body>(deps.changes);

  const answer = async (c: Context<RequestVariables>) => {
    try {
      const { name, text } = await readCall(c);
      const request = credentialsOf(c.req.raw.headers, c.req.url, deps.config);
      const call = async () => {
        const reply = new Headers();
        const viewer = await sessions.viewerOf(request, reply);
        if (viewer.user !== null) await deps.limits.takeCall(name, viewer.user.id);
        const peer = peerOf(c, deps.config);
        const result = await invoke(name, parseData(text), { ...deps, viewer, request, reply, peer });
        for (const [header, value] of reply) c.header(header, value, { append: true });
        return new Body(JSON.stringify({ result }));
      };
      const isShared = cacheable.has(name) && isAnonymous(request);
      const body = isShared ? await cache.get(`${name} ${text}`, call) : await call();
      c.header('cache-control', 'no-store');
      return isStream(c)
        ? streamLine(c, body.text)
        : c.body(body.text, 200, { 'content-type': 'application/json' });
    } catch (error) {
      return answerCallError(c, error, c.var.log);
    }
  };
  app.post('/api/:name', c => answer(c));
  // The SDK makes a double slash of a base that ends in one, and this of an emulator's host and port.
  app.post('/api//:name', c => answer(c));
  app.post('/:project/:region/:name', c => answer(c));
}

/** An error as the protocol has it: also inside a stream, whose clients would wait for ever on any other answer. */
export function answerCallError(c: Context, error: unknown, log: Logger): Response {
  const { http, body } = answerError(error, log);
  c.header('cache-control', 'no-store');
  const retryAfter = body.error.details?.retryAfterSeconds;
  if (typeof retryAfter === 'number') c.header('retry-after', String(retryAfter));
  return isStream(c) ? streamLine(c, JSON.stringify(body)) : c.json(body, http as ContentfulStatusCode);
}

const isStream = (c: Context) => c.req.header('accept') === eventStream;

async function readCall(c: Context<RequestVariables>): Promise<{ name: OperationName; text: string }> {
  const name = c.req.param('name') ?? '';
  if (!isOperationName(name)) throw new AppError('not-found', 'There is no such operation.');
  const { headers } = c.req.raw;
  // A form of another site cannot send this type; `guardWrites` has looked at where the request comes from.
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || headers.has('content-encoding')) {
    throw new AppError('invalid-argument', 'Bad Request');
  }
  return { name, text: await inTime(readText(c)) };
}

/**
 * The body, at most so long. Straight from the socket where there is one: by way of a web stream it takes three times as
 * long. Throws invalid-argument as soon as it is too long, without waiting for the rest.
 */
async function readText(c: Context): Promise<string> {
  const incoming: unknown = c.env?.incoming;
  const body: AsyncIterable<Uint8Array> =
    incoming instanceof IncomingMessage
      ? // Left open when reading ends early: an answer is still to be sent.
        incoming.iterator({ destroyOnReturn: false })
      : (c.req.raw.body ?? nothing());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new AppError('invalid-argument', 'This request is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function parseData(text: string): never {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new AppError('invalid-argument', 'Bad Request');
  }
  if (typeof body !== 'object' || body === null || !('data' in body) || Object.keys(body).length !== 1) {
    throw new AppError('invalid-argument', 'Bad Request');
  }
  // `invoke` parses it against the operation's schema before anything looks at it.
  return decodeValue(body.data) as never;
}

function streamLine(c: Context, json: string): Response {
  return c.body(`data: ${json}\n\n`, 200, { 'content-type': eventStream });
}
