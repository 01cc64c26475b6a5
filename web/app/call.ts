import { callTimeoutMs } from '../../contract/constants.ts';
import { AppError, errorCodeOf, unreached } from '../../contract/errors.ts';
import type { Call, Input, OperationName, Output } from '../../contract/operations.ts';
import { leadsElsewhere, loggedOutBefore, tooLargeForProxy } from '../storage/proxy.ts';

/**
 * Calls an operation over HTTP: the only way the app talks to the server. Throws AppError with the server's
 * code and sentence, or `unavailable` if it cannot be reached and `deadline-exceeded` after 70 seconds.
 */
export const call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
  const response = await send(name, input);
  if (leadsElsewhere(response)) throw loggedOutBefore();
  const body: unknown = await response.json().catch(() => null);
  if (!isObject(body)) throw because('Response is not valid JSON object.', response.status);
  if ('error' in body) throw errorOf(body.error, response.status);
  const result = 'data' in body ? body.data : body.result;
  if (!response.ok || result === undefined) throw because('Response is missing data field.', response.status);
  // The server has checked it against the same contract.
  return result as Output<Name>;
};

async function send(name: string, input: unknown): Promise<Response> {
  try {
    return await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: input ?? null }),
      // The server itself never redirects a call.
      redirect: 'manual',
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new AppError('deadline-exceeded', 'The server did not answer in time.', unreached);
    }
    throw new AppError('unavailable', 'The server cannot be reached.', unreached);
  }
}

/** The error for an unexpected answer, with the specification's message (section 8) for logs and programs. */
function because(protocolError: string, http: number): AppError {
  return Object.assign(notOurs(http), { cause: new Error(protocolError) });
}

/** Our server's error, if it is one and has a sentence for people. */
function errorOf(error: unknown, http: number): AppError {
  if (!isObject(error) || typeof error.status !== 'string' || typeof error.message !== 'string') {
    return notOurs(http);
  }
  const { status, message, details } = error;
  // The protocol's messages for programs are not sentences for people (decision 37).
  if (message === 'Bad Request' || message === status) return notOurs(http);
  return new AppError(errorCodeOf(status, http), message, isObject(details) ? details : undefined);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * The error for an answer of a proxy, of a restarting server, or of one that does not know this page. Its
 * status is about the way to the server, not about the reader.
 */
function notOurs(http: number): AppError {
  if (http === 429) {
    return new AppError('resource-exhausted', 'Too many requests. Please wait a moment and try again.');
  }
  if (http === 413) return new AppError('out-of-range', tooLargeForProxy);
  if (http === 401 || http === 403) return loggedOutBefore();
  if (http === 400) {
    return new AppError('internal', 'This page may be out of date. Please reload it and try again.');
  }
  return new AppError(
    http === 503 ? 'unavailable' : 'internal',
    'The site is not available right now. Please try again in a moment.',
    // 502 to 504, and the equivalents of larger proxies.
    http >= 502 ? unreached : undefined,
  );
}
