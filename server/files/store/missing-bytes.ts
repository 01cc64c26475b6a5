import { AppError } from '../../../contract/errors.ts';

/**
 * The error for bytes that a row names and the store lacks: another program removed them, or Coterie a moment
 * ago. Its cause is for the log.
 */
export function missingBytes(message: string): AppError {
  return Object.assign(new AppError('not-found', message), { cause: new Error(message) });
}

/** Whether an error of a file store means that there are no such bytes. */
export function isMissingBytes(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not-found';
}
