import type { Logger } from 'pino';
import { AppError, type ErrorDetails, errorCodes, wireName } from '../../contract/errors.ts';
import { createId } from '../id.ts';

/** What a surface may tell of an error. */
export type ErrorAnswer = {
  http: number;
  body: { error: { status: string; message: string; details?: ErrorDetails } };
};

/** The one place where an error becomes an answer: ours as they are, a bug as a sentence with the id of its log line. */
export function answerError(error: unknown, log: Logger): ErrorAnswer {
  if (error instanceof AppError) {
    // What the site stands on has failed: the cause is for the log alone.
    if (error.cause !== undefined) log.error({ err: error.cause }, error.message);
    const { code, message, details } = error;
    return {
      http: errorCodes[code],
      body: { error: { status: wireName(code), message, ...(details && { details }) } },
    };
  }
  const errorId = createId();
  log.error({ err: error, errorId }, 'unexpected error');
  return {
    http: 500,
    body: {
      error: {
        status: 'INTERNAL',
        message: `Something went wrong on our side (${errorId}).`,
        details: { errorId },
      },
    },
  };
}
