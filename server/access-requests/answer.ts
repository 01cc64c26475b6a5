import { AppError } from '../../contract/errors.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { Output } from '../../contract/operations.ts';
import type { ReadContext } from '../access/context.ts';
import { readingIn } from '../access/posts.ts';
import { oldestRequests, openRequests } from '../access/requests.ts';
import type { Viewer } from '../access/viewer.ts';
import { addApprovedTags, lockUser } from '../accounts/members/decide.ts';
import { countRows } from '../db/count-rows.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { queueMail } from '../mail/write.ts';
import { postNames } from '../posts/read.ts';

const titleCharacters = 80;

/**
 * The oldest open requests, with the tags that would answer each, and how many are open in all. For admins;
 * `viewer` is one.
 */
export async function listAccessRequests(
  deps: ReadContext,
  viewer: Viewer,
  most: number,
): Promise<Output<'listAccessRequests'>> {
  const total = await countRows(openRequests(deps.db));
  const requests = await oldestRequests(deps, most);
  const ids = requests.map(({ postId }) => postId);
  const names = await postNames(deps, viewer, ids, titleCharacters);
  const named = requests.flatMap(request => {
    const name = names.get(request.postId);
    return name === undefined ? [] : [{ ...request, word: cutMarks(request.word), ...name }];
  });
  return { requests: named, total };
}

type Answer = {
  postId: string;
  userId: string;
  isGranted: boolean;
  /** Those that the admin saw, by name and, if they sent them, by id. */
  tags: readonly string[];
  tagIds?: readonly string[] | undefined;
};

/**
 * Gives somebody the tags of a requested post and mails them, or closes the request without a notice. Throws
 * not-found for a request that is not open, aborted if the post now needs other tags than the admin was
 * shown.
 */
export async function answerAccessRequest(
  context: WriteContext & ReadContext,
  { postId, userId, isGranted, tags, tagIds }: Answer,
): Promise<void> {
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    // Nobody else decides about the account until this is done.
    await lockUser(trx, userId);
    const reads = within(trx);
    await reads.loadTagsAgain();
    const [request] = await oldestRequests(reads, 1, { postId, userId });
    if (request === undefined) throw new AppError('not-found', 'This request has been answered already.');
    if (isGranted) {
      const { needed, neededIds } = request;
      const seenIds = tagIds ?? neededIds;
      if (!needed.every(name => tags.includes(name)) || !neededIds.every(id => seenIds.includes(id)))
        throw new AppError('aborted', 'The post asks for other tags by now. Please reload the page.');
      await addApprovedTags(trx, context, userId, neededIds);
      await queueMail(trx, context.clock(), { kind: 'let-in', userId, postId });
    }
    await trx
      .deleteFrom('access_requests')
      .where('post_id', '=', postId)
      .where('user_id', '=', userId)
      .execute();
  });
}
