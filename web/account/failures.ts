import type { UseMutationResult } from '@tanstack/react-query';
import { isCodeAsked } from '../../contract/errors.ts';

/** Sentences by the reason codes that an address may have. */
type Sentences = Readonly<Record<string, string>>;

type Sending = Pick<UseMutationResult<unknown, Error, FormData>, 'error' | 'isIdle'>;

/**
 * The sentence for the reason code in an address, `?failed=`, to which the server redirects after a form that
 * a browser sent without scripts (server/surfaces/forms.ts). Undefined without one, and for a code that the
 * page does not know: anybody can make a link with one.
 */
export function failedIn(search: URLSearchParams, sentences: Sentences): string | undefined {
  const reason = search.get('failed') ?? '';
  return Object.hasOwn(sentences, reason) ? sentences[reason] : undefined;
}

/**
 * Why a form failed, which may have been sent without scripts; null if it did not. A request for a code is
 * not a failure.
 */
export function failureOf(
  { error, isIdle }: Sending,
  search: URLSearchParams,
  sentences: Sentences,
): string | null {
  if (isIdle) return failedIn(search, sentences) ?? null;
  return error === null || isCodeAsked(error) ? null : error.message;
}

const accountFailures: Sentences = {
  'taken-username': 'This username is already taken.',
  'taken-email': 'An account with this email address already exists.',
  introduction: 'Please shorten what you wrote about yourself.',
  refused: 'Please look at what you entered.',
  later: 'Please try again later.',
};

/** Why an account could not be made. `over` is the sentence if it cannot be made at all. */
export function accountFailure(
  sending: Sending,
  search: URLSearchParams,
  over = 'Please try again.',
): string | null {
  const reason = failureOf(sending, search, { ...accountFailures, over });
  return reason === null ? null : `Failed to create an account. ${reason}`;
}

export function openidFailures(name: string | null): Sentences {
  const provider = name ?? 'The other site';
  return {
    openid: `Failed to sign in. The answer of ${provider} could not be used. Please try again.`,
    'openid-cancelled': `Failed to sign in. You have cancelled it at ${provider}.`,
    'openid-away': `Failed to sign in. ${provider} cannot be reached. Please try again in a moment.`,
    'openid-address': `Failed to sign in. ${provider} did not share your email address.`,
    'openid-recent': `Failed to connect ${provider}. Please begin again, and confirm that it is you.`,
    'openid-taken': `An account with this email address already exists. Log in to it with your password, then connect ${provider} on your account page.`,
  };
}
