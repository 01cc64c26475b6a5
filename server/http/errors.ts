import type { Logger } from 'pino';
import { AppError, type ErrorCode, type ErrorDetails, errorCodes, wireName } from '../../contract/errors.ts';
import { createId } from '../base/id.ts';
import { noteError } from '../base/last-errors.ts';

/** The answer for an error. No cache may store it, and for a limit it says when to try again. */
export type ErrorAnswer = {
  http: number;
  headers: Readonly<Record<string, string>>;
  body: { error: { status: string; message: string; details?: ErrorDetails } };
};

/**
 * The only place where an error becomes an answer: an `AppError` unchanged, a bug as a sentence with the id
 * of its log line.
 */
export function answerError(error: unknown, log: Logger): ErrorAnswer {
  if (!(error instanceof AppError)) {
    const errorId = createId();
    log.error({ err: error, errorId }, 'unexpected error');
    noteError(errorId, error);
    return answerOf('internal', `Something went wrong on our side (${errorId}).`, { errorId });
  }
  // A dependency of the site has failed: the cause is only logged.
  if (error.cause !== undefined) log.error({ err: error.cause }, error.message);
  return answerOf(error.code, error.message, error.details);
}

function answerOf(code: ErrorCode, message: string, details: ErrorDetails | undefined): ErrorAnswer {
  const retryAfter = details?.retryAfterSeconds;
  return {
    http: errorCodes[code],
    headers: {
      'cache-control': 'no-store',
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
    },
    body: { error: { status: wireName(code), message, ...(details && { details }) } },
  };
}
