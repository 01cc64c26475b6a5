import { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import type { OperationName } from '../../contract/operations.ts';
import { isAnonymous, type Sessions } from '../access/sessions.ts';
import { Kept } from '../db/kept.ts';
import type { Deps } from '../deps.ts';
import { invoke, isOperationName } from '../operations.ts';
import { decodeValue } from './callable-values.ts';
import { answerError } from './errors.ts';
import { lightAnswer } from './light-answer.ts';
import { inTime, peerOf } from './limits.ts';
import { credentialsOf } from './origin.ts';
import type { RequestVariables } from './request.ts';
import { visitorTables } from './visitor-tables.ts';

/** The largest post as JSON, escapes included, with room to spare. */
const maxBodyBytes = 8 * 1024 * 1024;
/** What visitors' answers may take in memory. */
const maxKeptBytes = 16 * 1024 * 1024;
const eventStream = 'text/event-stream';
const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Operations that only read: a visitor's answer is the same for all of them until the content changes. */
const cacheable: ReadonlySet<OperationName> = new Set(['getPosts', 'getPost', 'getTags', 'getSettings']);

/**
 * The SDK makes a double slash of a base that ends in one, and a project and a region before the name of an emulator's
 * host and port. As routes of the app they would cost every request the faster router, which knows no such shapes.
 */
const otherAddress = /^\/(?:api\/|[^/]+\/[^/]+)\/([^/]+)$/;

/** An answer as JSON, and what the browser must keep of it. */
type Body = { bytes: Buffer<ArrayBuffer>; size: number; reply: Headers };

/**
 * `POST /api/{name}` with `{"data": ...}`, answered by `{"result": ...}` or `{"error": {status, message, details}}`:
 * the callable protocol of Firebase. A request that accepts an event stream is answered 200 with one line of it,
 * because its clients ignore the status.
 */
export function callableSurface(app: Hono<RequestVariables>, deps: Deps, sessions: Sessions): void {
  const cache = new Kept<Body>(deps.changes, visitorTables, maxKeptBytes);

  const answer = async (c: Context<RequestVariables>, asked: string) => {
    try {
      const { name, text } = await readCall(c, asked);
      const request = credentialsOf(c.req.raw.headers, deps.config);
      const call = async (): Promise<Body> => {
        const reply = new Headers();
        const viewer = await sessions.viewerOf(request, reply);
        if (viewer.user !== null) await deps.limits.takeCall(name, viewer.user.id);
        const peer = peerOf(c, deps.config);
        const result = await invoke(name, parseData(text), { ...deps, viewer, request, reply, peer });
        const bytes = Buffer.from(JSON.stringify({ result }));
        return { bytes, size: bytes.length, reply };
      };
      const isShared = cacheable.has(name) && isAnonymous(request);
      const { bytes, reply } = isShared ? await cache.get(`${name} ${text}`, call) : await call();
      if (isStream(c)) return streamLine(c, bytes.toString(), reply);
      return lightAnswer(bytes, 200, jsonHeaders, reply);
    } catch (error) {
      return answerCallError(c, error, c.var.log);
    }
  };
  app.post('/api/:name', c => answer(c, c.req.param('name')));
  app.post('*', async (c, next) => {
    const name = otherAddress.exec(c.req.path)?.[1];
    return name === undefined ? await next() : await answer(c, name);
  });
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

async function readCall(
  c: Context<RequestVariables>,
  name: string,
): Promise<{ name: OperationName; text: string }> {
  if (!isOperationName(name)) throw new AppError('not-found', 'There is no such operation.');
  const { headers } = c.req.raw;
  // A form of another site cannot send this type; `guardWrites` has looked at where the request comes from.
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || headers.has('content-encoding')) {
    throw new AppError('invalid-argument', 'Bad Request');
  }
  return { name, text: await inTime(readText(c)) };
}

/** The body, at most so long. Throws invalid-argument as soon as it is too long, without waiting for the rest. */
async function readText(c: Context): Promise<string> {
  const incoming: unknown = c.env?.incoming;
  if (incoming instanceof IncomingMessage) return await readIncoming(incoming);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? nothing()) {
    size += chunk.length;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Straight from the socket: by way of a web stream it takes three times as long. */
function readIncoming(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      incoming.off('data', take).off('end', end).off('close', lost);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBodyBytes) return;
      // Not destroyed: an answer is still to be sent.
      incoming.pause();
      settle(() => reject(tooLarge()));
    };
    const end = () =>
      settle(() => resolve((chunks[1] ? Buffer.concat(chunks) : chunks[0])?.toString() ?? ''));
    const lost = () => settle(() => reject(new AppError('cancelled', 'This request was broken off.')));
    if (incoming.destroyed) lost();
    else incoming.on('data', take).on('end', end).on('close', lost);
  });
}

function tooLarge(): AppError {
  return new AppError('invalid-argument', 'This request is too large.');
}

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

function streamLine(c: Context, json: string, reply?: Headers): Response {
  for (const [header, value] of reply ?? []) c.header(header, value, { append: true });
  c.header('cache-control', 'no-store');
  return c.body(`data: ${json}\n\n`, 200, { 'content-type': eventStream });
}
