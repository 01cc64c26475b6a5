import type { Context, Hono } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import { type OperationName, operations } from '../../../contract/operations.ts';
import { authorize, isAnonymous, requireScope } from '../../access/viewer.ts';
import type { DependsOn } from '../../db/changes/cache.ts';
import type { Deps } from '../../deps.ts';
import { type AnswerCache, isCached } from '../../http/answer-cache.ts';
import { readBody } from '../../http/body.ts';
import type { ErrorAnswer } from '../../http/errors.ts';
import type { RequestVariables } from '../../http/request.ts';
import { ownBytes, rawResponse } from '../../http/responses.ts';
import { invokeAsJson, isOperationName } from '../../operations.ts';
import { decodeValue, refuseCostly } from './values.ts';

/**
 * The longest body of a call, in bytes. Authors and admins may send the largest post, escapes included; for
 * everybody else the longest comment fits. Parsing blocks every other request: 8 MiB of brackets took
 * seconds.
 */
const maxBodyBytes = { writers: 8 * 1024 * 1024, others: 192 * 1024 } as const;
const eventStream = 'text/event-stream';

/**
 * Two other address forms of the SDK: a double slash if the base URL ends in one, and for an emulator a
 * project and a region before the name. The router of the app does not support such patterns.
 */
export const otherAddress = /^\/(?:api\/|[^/]+\/[^/]+)\/([^/]+)$/;

/**
 * `POST /api/{name}` with `{"data": ...}`, answered by `{"result": ...}` or `{"error": {status, message,
 * details}}`: the callable protocol of Firebase. A request that accepts an event stream is answered 200 with
 * one line of it, because its clients ignore the status.
 */
export function callableSurface(app: Hono<RequestVariables>, deps: Deps, answers: AnswerCache): void {
  const answer = async (c: Context<RequestVariables>, asked: string) => {
    const name = calledName(c, asked);
    const { for: caller, scope, beginsSession }: Operation = operations[name];
    const isWriting = caller === 'author' || caller === 'admin';
    const maxBytes = isWriting ? maxBodyBytes.writers : maxBodyBytes.others;
    const { requestIdentity } = c.var;
    if (requestIdentity.isElsewhere && beginsSession) {
      throw new AppError(
        'permission-denied',
        'Log in on the site itself. Pages of other sites use an access token.',
      );
    }
    const call = async (text: string, dependsOn?: DependsOn) => {
      // The rights are checked again after the body: the current ones count.
      const invocation = await requestIdentity.invocation(deps, dependsOn);
      const result = await invokeAsJson(name, parseData(text), invocation);
      return Buffer.from(`{"result":${result}}`);
    };
    const asSomebody = async () => {
      const { viewer, credential } = await requestIdentity.identify();
      // Before the body is read: no time is spent on a caller without the right.
      authorize(viewer, caller);
      requireScope(credential, scope);
      await deps.limits.count(viewer, requestIdentity.network, name);
      return await call(await readBody(c, maxBytes));
    };
    const asAnonymous = async () => {
      const text = await readBody(c, maxBytes);
      const { body } = await answers.callForVisitors(name, text, async dependsOn => {
        await deps.limits.countVisit(requestIdentity.network);
        return ownBytes(await call(text, dependsOn));
      });
      return body ?? Buffer.of();
    };
    const isShared = isCached(name) && isAnonymous(requestIdentity.credentials);
    const answered = isShared ? await asAnonymous() : await asSomebody();
    return isStream(c) ? streamLine(answered.toString()) : rawResponse(answered, 200, answers.callHeaders);
  };
  app.post('/api/:name', c => answer(c, c.req.param('name')));
  app.post('*', async (c, next) => {
    const name = otherAddress.exec(c.req.path)?.[1];
    return name === undefined ? await next() : await answer(c, name);
  });
}

/**
 * An error in the form of the protocol, even inside an event stream: with any other answer its clients would
 * wait for ever.
 */
export function callFailure(c: Context, { http, body, headers }: ErrorAnswer): Response {
  const json = JSON.stringify(body);
  return isStream(c)
    ? streamLine(json)
    : rawResponse(json, http, { ...headers, 'content-type': 'application/json' });
}

const isStream = (c: Context) => c.req.header('accept') === eventStream;

function calledName(c: Context<RequestVariables>, name: string): OperationName {
  if (!isOperationName(name)) throw new AppError('not-found', 'Unknown operation.');
  const { headers } = c.req.raw;
  // A form of another site cannot send this type; `guardWrites` has checked the origin of the request.
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' || headers.has('content-encoding')) {
    throw badRequest('The content-type must be application/json, without a content-encoding.');
  }
  return name;
}

/** The message is that of the protocol, word for word; `details` gives the reason. */
function badRequest(reason: string): AppError {
  return new AppError('invalid-argument', 'Bad Request', { reason });
}

/**
 * Answers a request under `/api` that is not a call: an operation with a method other than POST, or an
 * unknown path.
 */
export function answerNoCall(c: Context<RequestVariables>): Response {
  if (c.req.method === 'POST' || !isOperationName(c.req.path.slice('/api/'.length))) {
    throw new AppError('not-found', 'Unknown operation.');
  }
  c.header('allow', 'POST');
  c.header('cache-control', 'no-store');
  const message = 'Call this by POST, with {"data": ...} as JSON.';
  return c.json({ error: { status: 'INVALID_ARGUMENT', message } }, 405);
}

/** The data in the body of a call. Throws invalid-argument for an invalid body. */
export function parseData(text: string): unknown {
  refuseCostly(text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || !('data' in body) || Object.keys(body).length !== 1) {
    throw badRequest('The body must be {"data": ...} and nothing else.');
  }
  return decodeValue(body.data);
}

function streamLine(json: string): Response {
  const headers = { 'cache-control': 'no-store', 'content-type': eventStream };
  return rawResponse(`data: ${json}\n\n`, 200, headers);
}
