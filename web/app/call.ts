import { callTimeoutMs } from '../../contract/constants.ts';
import { AppError, type ErrorDetails, errorCodeOf } from '../../contract/errors.ts';
import type { Call, Input, OperationName, Output } from '../../contract/operations.ts';

/**
 * Calls an operation over HTTP: the only way the app talks to the server. Throws AppError with the code and sentence
 * that the server gave, or `unavailable` when it cannot be reached and `deadline-exceeded` after 70 seconds.
 */
export const call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
  const response = await send(name, input);
  const body = await readJson(response);
  if (body.error !== undefined || !response.ok) {
    const code = errorCodeOf(body.error?.status, response.status);
    throw new AppError(code, body.error?.message ?? 'Something went wrong.', body.error?.details);
  }
  const result = 'data' in body ? body.data : body.result;
  if (result === undefined)
    throw new AppError('internal', 'The site is not available right now. Please try again in a moment.');
  // The server has parsed it against the contract that types it here.
  return result as Output<Name>;
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

type Answer = {
  result?: unknown;
  data?: unknown;
  error?: { status?: string; message?: string; details?: ErrorDetails };
};

async function readJson(response: Response): Promise<Answer> {
  const body: unknown = await response.json().catch(() => null);
  if (typeof body !== 'object' || body === null) {
    // Not from our server as it should answer, but from a proxy, or from a server that is being restarted.
    throw new AppError(
      response.ok ? 'internal' : errorCodeOf(undefined, response.status),
      response.status === 429
        ? 'Too many requests. Please wait a moment and try again.'
        : 'The site is not available right now. Please try again in a moment.',
    );
  }
  return body;
}
