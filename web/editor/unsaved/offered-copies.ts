import type { Call } from '../../../contract/operations.ts';
import { copiesOf, postsWithCopies, type StoredCopy } from './browser-copy.ts';
import { isDeleted, loadPost } from './draft.ts';

/** The copies that an editor offers: those of its post. For a new post also those of posts that have been deleted since. */
export async function offeredCopies(
  call: Call,
  { userId, postId, now }: { userId: string; postId: string | null; now: number },
): Promise<StoredCopy[]> {
  const own = await copiesOf(userId, postId, now);
  if (postId !== null) return own;
  const deleted = (await postsWithCopies(userId)).map(id =>
    copiesOfDeleted(call, { userId, postId: id, now }),
  );
  return [...own, ...(await Promise.all(deleted)).flat()];
}

/** The copies of a post that has been deleted, and none of a post that is there or that the author may not read. */
export async function copiesOfDeleted(
  call: Call,
  { userId, postId, now }: { userId: string; postId: string; now: number },
): Promise<StoredCopy[]> {
  if (!(await wasDeleted(call, postId))) return [];
  return (await copiesOf(userId, postId, now)).map(copy => ({ ...copy, isOfDeletedPost: true }));
}

/** False also for a post that the author may not read any more, and as long as the server cannot be asked. */
async function wasDeleted(call: Call, postId: string): Promise<boolean> {
  return await loadPost(call, postId).then(() => false, isDeleted);
}
