import type { Logger } from 'pino';
import { AppError, type ErrorCode, type ErrorDetails, errorCodes, wireName } from '../../contract/errors.ts';
import { createId } from '../id.ts';

/** What a surface may tell of an error: nobody keeps it, and a limit says when to come back. */
export type ErrorAnswer = {
  http: number;
  headers: Readonly<Record<string, string>>;
  body: { error: { status: string; message: string; details?: ErrorDetails } };
};

/** The one place where an error becomes an answer: ours as they are, a bug as a sentence with the id of its log line. */
export function answerError(error: unknown, log: Logger): ErrorAnswer {
  if (!(error instanceof AppError)) {
    const errorId = createId();
    log.error({ err: error, errorId }, 'unexpected error');
    return answerOf('internal', `Something went wrong on our side (${errorId}).`, { errorId });
  }
  // What the site stands on has failed: the cause is for the log alone.
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
