import { AppError } from '../../contract/errors.ts';

/** The sentence for what a proxy before the site refuses for its size, with the setting for who runs it. */
export const tooLargeForProxy =
  'This is more than the web server in front of this site accepts. Whoever runs it can raise the limit (client_max_body_size in nginx).';

/**
 * Whether an answer leads to another page: a proxy that has people log in before they reach the site does so
 * when that log-in has ended. For a redirect that it does not follow a browser gives no status.
 */
export function leadsElsewhere({ type, status }: Pick<Response, 'type' | 'status'>): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

/**
 * The error for a log-in of such a proxy that has ended. Trying again cannot help: only a page is led to log
 * in.
 */
export function loggedOutBefore(): AppError {
  return new AppError(
    'failed-precondition',
    'You are no longer logged in to what protects this site. Please load this page again.',
  );
}

/** Whether the site is behind such a proxy whose log-in has ended. */
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
