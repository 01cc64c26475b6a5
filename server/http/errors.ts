import type { Logger } from 'pino';
import { AppError, type ErrorDetails, errorCodes, wireName } from '../../contract/errors.ts';
import { isOutage } from '../db/outage.ts';
import { MissingBytes, StoreGone } from '../files/missing-bytes.ts';
import { createId } from '../id.ts';

/** What a surface may tell of an error. */
export type ErrorAnswer = {
  http: number;
  body: { error: { status: string; message: string; details?: ErrorDetails } };
};

/** The one place where an error becomes an answer: ours as they are, a bug as a sentence with the id of its log line. */
export function answerError(error: unknown, log: Logger): ErrorAnswer {
  if (error instanceof AppError) {
    if (isOutage(error)) log.error({ err: error.cause }, error.message);
    const { code, message, details } = error;
    return {
      http: errorCodes[code],
      body: { error: { status: wireName(code), message, ...(details && { details }) } },
    };
  }
  if (error instanceof MissingBytes) {
    log.error({ err: error }, 'bytes of a file are missing');
    return { http: 404, body: { error: { status: 'NOT_FOUND', message: error.message } } };
  }
  if (error instanceof StoreGone) {
    log.error({ err: error }, 'store of files unavailable');
    return {
      http: 503,
      body: {
        error: {
          status: 'UNAVAILABLE',
          message: 'The files cannot be reached. Please try again in a moment.',
        },
      },
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
