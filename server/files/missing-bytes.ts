import { AppError } from '../../contract/errors.ts';

/**
 * There are no bytes under a key, though a row says so: they were removed beside Coterie, or a moment ago. The cause
 * tells the log.
 */
export function missingBytes(message: string): AppError {
  return Object.assign(new AppError('not-found', message), { cause: new Error(message) });
}

/** Whether an error of a file store says that there are no such bytes. */
export function isMissingBytes(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not-found';
}
