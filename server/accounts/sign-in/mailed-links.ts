import { AppError } from '../../../contract/errors.ts';

/** The error for a mailed link that was used, has expired or was ended. */
export function linkOver(): AppError {
  return new AppError('failed-precondition', 'This link is no longer valid. Please request a new one.');
}
