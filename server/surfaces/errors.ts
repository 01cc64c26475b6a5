import type { Logger } from 'pino';
import { AppError, type ErrorDetails, errorCodes } from '../../contract/errors.ts';
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
    const { wire, http } = errorCodes[error.code];
    return {
      http,
      body: {
        error: { status: wire, message: error.message, ...(error.details && { details: error.details }) },
      },
    };
  }
  if (error instanceof MissingBytes) {
    log.error({ err: error }, 'bytes of a file are missing');
    return { http: 404, body: { error: { status: 'NOT_FOUND', message: error.message } } };
  }
  if (error instanceof StoreGone) {
    log.error({ err: error }, 'store of files unavailable');
    return unavailable('The files cannot be reached. Please try again in a moment.');
  }
  if (isDatabaseGone(error)) {
    log.error({ err: error }, 'database unavailable');
    return unavailable('The database cannot be reached. Please try again in a moment.');
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

function unavailable(message: string): ErrorAnswer {
  return { http: 503, body: { error: { status: 'UNAVAILABLE', message } } };
}

/** SQLITE_BUSY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN; PostgreSQL classes 08, 53, 57 and a refused connection. */
function isDatabaseGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return [5, 10, 13, 14].includes(Number(error.errcode) & 0xff);
  const code = 'code' in error ? String(error.code) : '';
  return /^(08|53|57)[0-9A-Z]{3}$/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND'].includes(code);
}
