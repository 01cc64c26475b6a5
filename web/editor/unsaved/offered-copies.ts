import { AppError } from '../../../contract/errors.ts';
import type { Call } from '../../../contract/operations.ts';
import { copiesOf, postsWithCopies, type StoredCopy } from './browser-copy.ts';
import { loadPost } from './draft.ts';

/**
 * The copies that an editor offers: those of its post. For a new post also those of posts that have been
 * deleted since.
 */
export async function offeredCopies(
  call: Call,
  userId: string,
  postId: string | null,
): Promise<StoredCopy[]> {
  const own = await copiesOf(userId, postId);
  if (postId !== null) return own;
  const deleted = (await postsWithCopies(userId)).map(id => copiesOfDeleted(call, userId, id));
  return [...own, ...(await Promise.all(deleted)).flat()];
}

/**
 * The copies of a post that has been deleted. None of a post that is there or that the author may not read
 * any more, and none as long as the server cannot be asked.
 */
export async function copiesOfDeleted(call: Call, userId: string, postId: string): Promise<StoredCopy[]> {
  const isDeleted = await loadPost(call, postId).then(
    () => false,
    (error: unknown) => error instanceof AppError && error.code === 'not-found',
  );
  if (!isDeleted) return [];
  return (await copiesOf(userId, postId)).map(copy => ({ ...copy, isOfDeletedPost: true }));
}
