import { callTimeoutMs } from '../../contract/constants.ts';
import { AppError, type ErrorDetails, errorCodeOf } from '../../contract/errors.ts';
import type { Call, Input, OperationName, Output } from '../../contract/operations.ts';

/**
 * Calls an operation over HTTP: the only way the app talks to the server. Throws AppError with the code and sentence
 * that the server gave, or `unavailable` when it cannot be reached and `deadline-exceeded` after 70 seconds.
 */
export const call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
  const response = await send(name, input);
  const answer = await readAnswer(response);
  if (answer === undefined) throw notOurs(response.status);
  if (answer.error !== undefined) {
    const { status, message, details } = answer.error;
    throw new AppError(errorCodeOf(status, response.status), message, details);
  }
  // The server has checked it against the same contract.
  return answer.result as Output<Name>;
};

async function send(name: string, input: unknown): Promise<Response> {
  try {
    return await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: input ?? null }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      throw new AppError('deadline-exceeded', 'The server did not answer in time.');
    }
    throw new AppError('unavailable', 'The server cannot be reached.');
  }
}

type Answer =
  | { result: unknown; error?: undefined }
  | { error: { status: string; message: string; details?: ErrorDetails } };

/** The answer of our server; undefined if something else has answered. */
async function readAnswer(response: Response): Promise<Answer | undefined> {
  const body: unknown = await response.json().catch(() => null);
  if (!isObject(body)) return undefined;
  if (!('error' in body)) {
    const result = 'data' in body ? body.data : body.result;
    return response.ok && result !== undefined ? { result } : undefined;
  }
  const { error } = body;
  if (!isObject(error) || typeof error.status !== 'string' || typeof error.message !== 'string') {
    return undefined;
  }
  // The messages of the protocol for programs are no sentences for people (decisions.md 37).
  if (error.message === 'Bad Request' || error.message === error.status) return undefined;
  const { status, message, details } = error;
  return { error: { status, message, ...(isObject(details) && { details }) } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * The error for an answer of a proxy, of a server that is being restarted, or of one that does not know this page. Its
 * status tells about the way to the server, and nothing about the reader.
 */
function notOurs(http: number): AppError {
  if (http === 429) {
    return new AppError('resource-exhausted', 'Too many requests. Please wait a moment and try again.');
  }
  if (http === 413) return new AppError('out-of-range', 'This is too large to be sent.');
  if (http === 400) {
    return new AppError('internal', 'This page may be out of date. Please reload it and try again.');
  }
  return new AppError(
    http === 503 ? 'unavailable' : 'internal',
    'The site is not available right now. Please try again in a moment.',
  );
}
