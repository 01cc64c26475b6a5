import type { AppError } from '../../contract/errors.ts';

/**
 * The fields that the page shows again. Never a password, and not the introduction: what is meant for the admins must
 * not be in an address.
 */
const shownAgain = ['username', 'name', 'email'];

/**
 * The address of the page to which a refused sign-up or invitation form leads back: it contains the reason, and what
 * was typed.
 */
export function backToForm(
  path: string,
  query: Record<string, string>,
  form: URLSearchParams,
  error: AppError,
): string {
  const back = new URLSearchParams({ ...query, failed: reasonOf(error) });
  for (const name of shownAgain) {
    const value = form.get(name);
    if (value !== null) back.set(name, value);
  }
  return `${path}?${back}`;
}

/**
 * A reason code for which the page has a sentence. The address holds no sentence, because anybody could make a link
 * with one.
 */
function reasonOf({ code, details }: AppError): string {
  const field = Object.keys(details?.fields ?? {})[0];
  if (code === 'already-exists') return `taken-${field ?? 'email'}`;
  if (code === 'invalid-argument') return field === 'introduction' ? 'introduction' : 'refused';
  return code === 'failed-precondition' ? 'over' : 'later';
}
