import { isbot } from 'isbot';
import { describeAudience, type MemberContext } from '../access/effects.ts';
import { readablePosts, readingIn } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';

/**
 * A post that visitors may not read is counted only if more members than this may read it: its author and ten
 * others, so that a number alone does not reveal a reader.
 */
const fewMembers = 10;

/**
 * Counts that a reader has opened a post, if they may read it. Its author and admins are not counted, nor
 * bots, nor readers whose browser asks not to be tracked (docs/decisions/0047-openings.md).
 */
export async function countOpening(
  context: MemberContext & WriteContext,
  viewer: Viewer,
  headers: Headers,
  postId: string,
): Promise<void> {
  const { countsOpenings } = await context.settings();
  if (countsOpenings === 'false' || viewer.role === 'admin' || !mayCount(headers)) return;
  const within = await readingIn(context);
  // Loaded before the transaction, like the catalogue.
  const groups = await context.memberGroups();
  await inTransaction(context, async trx => {
    const deps = { ...within(trx), memberGroups: async () => groups };
    const catalogue = await deps.catalogue();
    const query = readablePosts(trx, catalogue, viewer)
      .select(['posts.tag_set_id', 'posts.author_id'])
      .where('posts.id', '=', postId)
      .where('posts.published_at', 'is not', null);
    // Locked, so that it is not deleted before it is counted.
    const post = await dialectOf(trx).shared(query).executeTakeFirst();
    if (post === undefined || post.author_id === viewer.user?.id) return;
    const { isPublic, memberCount } = await describeAudience(deps, catalogue.namesOf(post.tag_set_id));
    if (!isPublic && memberCount <= fewMembers) return;
    await trx
      .insertInto('openings')
      .values({ post_id: postId, times: 1 })
      .onConflict(conflict =>
        conflict.column('post_id').doUpdateSet(eb => ({ times: eb('openings.times', '+', 1) })),
      )
      .execute();
  });
}

function mayCount(headers: Headers): boolean {
  if (headers.get('sec-gpc') === '1' || headers.get('dnt') === '1') return false;
  const agent = headers.get('user-agent') ?? '';
  return agent !== '' && !isbot(agent);
}
