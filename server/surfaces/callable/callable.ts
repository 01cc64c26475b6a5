import type { IncomingMessage } from 'node:http';
import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Logger } from 'pino';
import { AppError } from '../../../contract/errors.ts';
import type { Caller, Operation } from '../../../contract/operation.ts';
import { type OperationName, operations } from '../../../contract/operations.ts';
import { isAnonymous } from '../../access/credentials.ts';
import type { Identity } from '../../access/hold-rights.ts';
import { authorize } from '../../access/viewer.ts';
import type { Sessions } from '../../accounts/sessions.ts';
import type { Deps } from '../../deps.ts';
import type { CallBytes, VisitorAnswers } from '../../http/anonymous-cache.ts';
import { inTime, peerOf } from '../../http/connections.ts';
import { credentialsOf } from '../../http/cors.ts';
import { answerError } from '../../http/errors.ts';
import { comesFromElsewhere } from '../../http/origin.ts';
import { lightAnswer } from '../../http/raw-response.ts';
import { incomingOf, type RequestVariables } from '../../http/request.ts';
import { invoke, isOperationName } from '../../operations.ts';
import { decodeValue, refuseDeep } from './values.ts';

/**
 * How long the body of a call may be. An admin may send the largest post, escapes included; the longest comment takes
 * less than the rest. Parsing blocks every other reader: 8 MiB of brackets took seconds.
 */
const maxBodyBytes = { admin: 8 * 1024 * 1024, others: 192 * 1024 } as const;
const eventStream = 'text/event-stream';

/**
 * The SDK makes a double slash of a base that ends in one, and a project and a region before the name of an emulator's
 * host and port. As routes of the app they would cost every request the faster router, which knows no such shapes.
 */
const otherAddress = /^\/(?:api\/|[^/]+\/[^/]+)\/([^/]+)$/;

/**
 * `POST /api/{name}` with `{"data": ...}`, answered by `{"result": ...}` or `{"error": {status, message, details}}`:
 * the callable protocol of Firebase. A request that accepts an event stream is answered 200 with one line of it,
 * because its clients ignore the status.
 */
export function callableSurface(
  app: Hono<RequestVariables>,
  deps: Deps,
  sessions: Sessions,
  visitorAnswers: VisitorAnswers,
): void {
  const answer = async (c: Context<RequestVariables>, asked: string) => {
    try {
      const name = calledName(c, asked);
      const { for: caller, beginsSession }: Operation = operations[name];
      const isElsewhere = comesFromElsewhere(c.req.raw.headers, c.req.url, deps.config.publicUrl);
      if (isElsewhere && beginsSession) {
        throw new AppError(
          'permission-denied',
          'Log in on the site itself: a page elsewhere uses an access token.',
        );
      }
      const request = credentialsOf(c.req.raw.headers, c.req.url, deps.config);
      const peer = peerOf(c, deps.config);
      const reply = new Headers();
      const call = async (who: Identity, text: string): Promise<CallBytes> => {
        const result = await invoke(name, parseData(text), { ...deps, ...who, request, reply, peer });
        const body = Buffer.from(JSON.stringify({ result }));
        return { body, size: body.length };
      };
      const asVisitor = async (text: string) => {
        await deps.limits.takeVisit(peer);
        return await call(await sessions.identify(request, reply), text);
      };
      const asSomebody = async () => {
        const viewer = await sessions.viewerOf(request, reply);
        // Before the body is read: who may not call this sends nothing that is worth the time.
        authorize(viewer, caller);
        if (viewer.user === null) await deps.limits.takeVisit(peer);
        else await deps.limits.takeCall(name, viewer.user.id);
        const text = await readBody(c, caller);
        // Whatever they might do when they began to send it: what counts is what they may do now.
        return await call(await sessions.identify(request, reply), text);
      };
      let answered: CallBytes;
      if (visitorAnswers.isShared(name) && isAnonymous(request)) {
        const text = await readBody(c, caller);
        answered = await visitorAnswers.call(name, text, () => asVisitor(text));
      } else {
        answered = await asSomebody();
      }
      // Whose session a browser holds is the business of this site's pages alone.
      if (isElsewhere) reply.delete('set-cookie');
      if (isStream(c)) return streamLine(c, answered.body.toString(), reply);
      return lightAnswer(answered.body, 200, visitorAnswers.callHeaders, reply);
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

function calledName(c: Context<RequestVariables>, name: string): OperationName {
  if (!isOperationName(name)) throw new AppError('not-found', 'There is no such operation.');
  const { headers } = c.req.raw;
  // A form of another site cannot send this type; `guardWrites` has looked at where the request comes from.
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || headers.has('content-encoding')) {
    throw badRequest('The header content-type has to be application/json, and no content-encoding.');
  }
  return name;
}

/** The message is the protocol's, word for word; `details` says to a person what is missing. */
function badRequest(reason: string): AppError {
  return new AppError('invalid-argument', 'Bad Request', { reason });
}

/** What is under `/api` and no call: an operation asked for by another method, or nothing. */
export function answerNoCall(c: Context<RequestVariables>): Response {
  if (c.req.method === 'POST' || !isOperationName(c.req.path.slice('/api/'.length))) {
    return answerCallError(c, new AppError('not-found', 'There is no such operation.'), c.var.log);
  }
  c.header('allow', 'POST');
  c.header('cache-control', 'no-store');
  const message = 'Call this by POST, with {"data": ...} as JSON.';
  return c.json({ error: { status: 'INVALID_ARGUMENT', message } }, 405);
}

function readBody(c: Context, caller: Caller): Promise<string> {
  return inTime(readText(c, caller === 'admin' ? maxBodyBytes.admin : maxBodyBytes.others));
}

/** The body, at most so long. Throws invalid-argument as soon as it is too long, without waiting for the rest. */
async function readText(c: Context, maxBytes: number): Promise<string> {
  const incoming = incomingOf(c);
  if (incoming !== undefined) return await readIncoming(incoming, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? nothing()) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Straight from the socket: by way of a web stream it takes three times as long. */
function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<string> {
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
      if (size <= maxBytes) return;
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
  refuseDeep(text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('The body is not JSON.');
  }
  if (typeof body !== 'object' || body === null || !('data' in body) || Object.keys(body).length !== 1) {
    throw badRequest('The body has to be {"data": ...}, and nothing beside it.');
  }
  // `invoke` parses it against the operation's schema before anything looks at it.
  return decodeValue(body.data) as never;
}

function streamLine(c: Context, json: string, reply?: Headers): Response {
  for (const [header, value] of reply ?? []) c.header(header, value, { append: true });
  c.header('cache-control', 'no-store');
  return c.body(`data: ${json}\n\n`, 200, { 'content-type': eventStream });
}
