import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';

/** Everything about the account. Comments come in parts, which are limited by the minute. */
export async function wholeExport(call: Call): Promise<Record<string, unknown>> {
  const { data, nextCursor: second } = await call('exportAccount', {});
  const comments = [data.comments];
  for (let after = second; after; ) {
    const part = await call('exportAccount', { after }).catch(waitUntilAllowed);
    if (part === undefined) continue;
    comments.push(part.data.comments);
    after = part.nextCursor;
  }
  return { ...data, comments: comments.flat() };
}

/** Waits as long as a refused call says. Throws any other error. */
async function waitUntilAllowed(error: unknown): Promise<undefined> {
  const seconds = error instanceof AppError ? Number(error.details?.retryAfterSeconds) : Number.NaN;
  if (Number.isNaN(seconds)) throw error;
  await new Promise(resolve => setTimeout(resolve, seconds * 1_000));
}
