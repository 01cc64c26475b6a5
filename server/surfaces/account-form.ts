import type { AppError } from '../../contract/errors.ts';

/** What a page is given back to show again; a password never, and what is meant for the admins stands in no address. */
const shownAgain = ['username', 'name', 'email'];

/** The address of a page whose form asked for an account that was refused: it says why, and holds what was typed. */
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

/** A word that the page has a sentence for: a sentence in an address could be anybody's. */
function reasonOf({ code, details }: AppError): string {
  const field = Object.keys(details?.fields ?? {})[0];
  if (code === 'already-exists') return `taken-${field ?? 'email'}`;
  if (code === 'invalid-argument') return field === 'introduction' ? 'introduction' : 'refused';
  return code === 'failed-precondition' ? 'over' : 'later';
}
