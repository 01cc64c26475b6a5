import type { AccessRequest } from '../../contract/access-requests.ts';
import { moment } from '../../contract/date.ts';
import { neededTags, type TagCatalogue } from './audience.ts';
import type { ReadContext } from './context.ts';
import { previewApprovedTags } from './effects.ts';

/** Rows read at once. Some wait no more, because their tags were given in another way. */
const requestsRead = 1_000;

type OpenRequest = Omit<AccessRequest, 'postTitle' | 'isCut'>;

/**
 * The oldest requests for posts that still wait, at most so many, with what would answer them; `of` is the
 * only one that is looked for. Who has been given the tags meanwhile waits no more, nor does who was denied.
 */
export async function openRequests(
  deps: ReadContext,
  most: number,
  of?: { postId: string; userId: string },
): Promise<OpenRequest[]> {
  const { db } = deps;
  const rows = await db
    .selectFrom('access_requests')
    .innerJoin('users', 'users.id', 'access_requests.user_id')
    .innerJoin('posts', 'posts.id', 'access_requests.post_id')
    .selectAll('access_requests')
    .select(['users.display_username as username', 'posts.tag_set_id'])
    .where('users.status', '=', 'approved')
    .where('users.is_admin', '=', false)
    .$if(of !== undefined, one =>
      one
        .where('access_requests.post_id', '=', of?.postId ?? '')
        .where('access_requests.user_id', '=', of?.userId ?? ''),
    )
    .orderBy('access_requests.created_at')
    .orderBy('access_requests.user_id')
    .limit(requestsRead)
    .execute();
  const catalogue = await deps.catalogue();
  const requests: OpenRequest[] = [];
  for (const { post_id: postId, user_id: userId, username, word, created_at, tag_set_id } of rows) {
    const approved = await approvedTagIds(deps, userId);
    const ids = neededTagIds(catalogue, tag_set_id, approved);
    if (ids.length === 0) continue;
    if (requests.length === most) break;
    const namesOf = (tagIds: readonly string[]) => tagIds.map(id => catalogue.tags.get(id)?.name ?? '');
    const { gained: opens } = await previewApprovedTags(deps, userId, namesOf([...approved, ...ids]));
    const needed = namesOf(ids);
    requests.push({ postId, userId, username, word, createdAt: moment(created_at), needed, opens });
  }
  return requests;
}

/** The tags of a combination that an account would need beside those that it holds. */
function neededTagIds(catalogue: TagCatalogue, tagSetId: number, held: readonly string[]): string[] {
  return neededTags(catalogue.tagIdsIn(tagSetId), catalogue.defaultTagIds).filter(id => !held.includes(id));
}

/** The tags that an account holds beside the default ones. */
async function approvedTagIds({ db }: Pick<ReadContext, 'db'>, userId: string): Promise<string[]> {
  const held = db.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId);
  return (await held.execute()).map(row => row.tag_id);
}
