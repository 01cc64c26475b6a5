import { AppError } from '../../../contract/errors.ts';

/** What is thrown for a link in a mail that was used, has run out or was ended. */
export function linkOver(): AppError {
  return new AppError('failed-precondition', 'This link is no longer valid. Please request a new one.');
}
