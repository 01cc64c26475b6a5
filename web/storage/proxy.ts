import { AppError } from '../../contract/errors.ts';

/**
 * The sentence for an upload that a proxy in front of the site refuses for its size, with the setting for its
 * operator.
 */
export const tooLargeForProxy =
  'This is more than the web server in front of this site accepts. Whoever runs it can raise the limit (client_max_body_size in nginx).';

/**
 * Whether an answer redirects to another page: a proxy with a log-in of its own does so when that has
 * expired. For a redirect that it does not follow a browser reports no status.
 */
export function leadsElsewhere({ type, status }: Pick<Response, 'type' | 'status'>): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/**
 * The error for an expired log-in at such a proxy. A retry cannot help: only a page load is redirected to log
 * in.
 */
export function loggedOutBefore(): AppError {
  return new AppError(
    'failed-precondition',
    'You are no longer logged in to what protects this site. Please load this page again.',
  );
}

/** Whether the site is behind such a proxy whose log-in has expired. */
export async function isLoggedOutBefore(): Promise<boolean> {
  try {
    const answer = await fetch('/api/getViewer', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"data":{}}',
      redirect: 'manual',
    });
    return leadsElsewhere(answer) || answer.status === 401 || answer.status === 403;
  } catch {
    // There is no connection.
    return false;
  }
}
