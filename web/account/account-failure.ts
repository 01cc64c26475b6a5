import type { UseMutationResult } from '@tanstack/react-query';
import { failedIn } from './failed.ts';

/** Sentences for the reason codes in the address. */
const failures: Record<string, string> = {
  'taken-username': 'This username is already taken.',
  'taken-email': 'An account with this email address already exists.',
  introduction: 'Please shorten what you wrote about yourself.',
  refused: 'Please look at what you entered.',
  later: 'Please try again later.',
};

/** Why an account could not be made, for a form that may have been sent without scripts. */
export function accountFailure(
  { error, isIdle }: Pick<UseMutationResult<unknown, Error, FormData>, 'error' | 'isIdle'>,
  search: URLSearchParams,
  /** The sentence if the account cannot be made at all. */
  over = 'Please try again.',
): string | undefined {
  const reason = error?.message ?? (isIdle ? failedIn(search, { ...failures, over }) : undefined);
  return reason === undefined ? undefined : `Failed to create an account. ${reason}`;
}
