import type { Context } from 'hono';
import { answerError } from '../http/errors.ts';
import type { RequestVariables } from '../http/request.ts';
import { callFailure } from './callable/callable.ts';
import { pageFailure } from './pages/document.ts';
import { storageFailure } from './storage/answers.ts';

/**
 * The answer to a failed request, in the form that its sender understands: that of the storage protocol, a page for a
 * person at a browser, and that of the callable protocol for all others.
 */
export function answerFailure(error: unknown, c: Context<RequestVariables>): Response {
  if (c.req.path.startsWith('/v0/')) return storageFailure(error, c.var.log);
  const answer = answerError(error, c.var.log);
  return isNavigation(c) ? pageFailure(answer) : callFailure(c, answer);
}

/** Whether a browser opens an address or sends a form, so that a person sees the answer. */
function isNavigation(c: Context): boolean {
  if (c.req.path.startsWith('/api/')) return false;
  const mode = c.req.header('sec-fetch-mode');
  return mode === undefined ? (c.req.header('accept') ?? '').includes('text/html') : mode === 'navigate';
}
