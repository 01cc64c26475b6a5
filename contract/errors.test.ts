import { expect, it } from 'vitest';
import { AppError, type ErrorCode, errorCodes, isFinal } from './errors.ts';

it('trying the same again helps where the server, the connection, a lost session, or space and pace are at fault', () => {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  expect(codes.filter(code => !isFinal(new AppError(code, 'A sentence.')))).toEqual([
    'unauthenticated',
    'aborted',
    'already-exists',
    'resource-exhausted',
    'cancelled',
    'internal',
    'unknown',
    'unimplemented',
    'unavailable',
    'deadline-exceeded',
  ]);
});

it('trying the same again may help after an error that nobody foresaw', () => {
  for (const error of [new Error('permission-denied'), undefined, null]) expect(isFinal(error)).toBe(false);
});
