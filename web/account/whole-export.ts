import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';

/**
 * Everything about the account. Comments come in parts, which are limited by the minute. Rejects once it is
 * not wanted any more, or another account is signed in.
 */
export async function wholeExport(call: Call, isWanted: () => boolean): Promise<Record<string, unknown>> {
  const { userId, data, nextCursor: second } = await call('exportAccount', {});
  const comments = [data.comments];
  for (let after = second; after; ) {
    if (!isWanted()) break;
    const part = await call('exportAccount', { after }).catch(waitUntilAllowed);
    if (part === undefined) continue;
    if (part.userId !== userId) throw new Error('Somebody else has signed in meanwhile.');
    comments.push(part.data.comments);
    after = part.nextCursor;
  }
  if (!isWanted()) throw new Error('The page was left.');
  return { ...data, comments: comments.flat() };
}

/** Waits as long as a refused call says. Throws any other error. */
async function waitUntilAllowed(error: unknown): Promise<undefined> {
  const seconds = error instanceof AppError ? Number(error.details?.retryAfterSeconds) : Number.NaN;
  if (Number.isNaN(seconds)) throw error;
  await new Promise(resolve => setTimeout(resolve, seconds * 1_000));
}
