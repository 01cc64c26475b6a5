import type { Kysely } from 'kysely';
import type { AccessRequest } from '../../contract/access-requests.ts';
import { moment } from '../../contract/date.ts';
import type { Tables } from '../db/tables.ts';
import { catalogueOf, neededTags, type TagCatalogue } from './audience.ts';
import type { ReadContext } from './context.ts';
import { previewApprovedTags } from './effects.ts';

type OpenRequest = Omit<AccessRequest, 'postTitle' | 'isCut'>;

/**
 * The open requests. A request of a denied account is not open, nor one of an account that now has the tags.
 */
export function openRequests(db: Kysely<Tables>) {
  return (
    db
      .selectFrom('access_requests')
      .innerJoin('users', 'users.id', 'access_requests.user_id')
      .innerJoin('posts', 'posts.id', 'access_requests.post_id')
      .where('users.status', '=', 'approved')
      .where('users.is_admin', '=', false)
      // The account lacks one of its tags, which is no default tag either.
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('tag_set_tags')
            .leftJoin('default_tags', 'default_tags.tag_id', 'tag_set_tags.tag_id')
            .leftJoin('approved_tags', join =>
              join
                .onRef('approved_tags.tag_id', '=', 'tag_set_tags.tag_id')
                .onRef('approved_tags.user_id', '=', 'access_requests.user_id'),
            )
            .select('tag_set_tags.tag_id')
            .whereRef('tag_set_tags.tag_set_id', '=', 'posts.tag_set_id')
            .where('default_tags.tag_id', 'is', null)
            .where('approved_tags.tag_id', 'is', null),
        ),
      )
  );
}

/** The oldest open requests, at most `most`, with the tags that each needs; with `of`, only that one. */
export async function oldestRequests(
  deps: ReadContext,
  most: number,
  of?: { postId: string; userId: string },
): Promise<OpenRequest[]> {
  const { db } = deps;
  const rows = await openRequests(db)
    .selectAll('access_requests')
    .select(['users.display_username as username', 'users.name', 'posts.tag_set_id'])
    .$if(of !== undefined, one =>
      one
        .where('access_requests.post_id', '=', of?.postId ?? '')
        .where('access_requests.user_id', '=', of?.userId ?? ''),
    )
    .orderBy('access_requests.created_at')
    .orderBy('access_requests.user_id')
    .limit(most)
    .execute();
  const catalogue = await catalogueOf(db, await deps.catalogue(), rows);
  const requests: OpenRequest[] = [];
  for (const { post_id: postId, user_id: userId, username, name, word, created_at, tag_set_id } of rows) {
    const approved = await approvedTagIds(deps, userId);
    const ids = neededTagIds(catalogue, tag_set_id, approved);
    if (ids.length === 0) continue;
    const namesOf = (tagIds: readonly string[]) => tagIds.map(id => catalogue.tags.get(id)?.name ?? '');
    const { gained: opens } = await previewApprovedTags(deps, userId, namesOf([...approved, ...ids]));
    const needed = namesOf(ids);
    const createdAt = moment(created_at);
    requests.push({ postId, userId, username, name, word, createdAt, needed, neededIds: ids, opens });
  }
  return requests;
}

/** The tags of a combination that an account still lacks. */
function neededTagIds(catalogue: TagCatalogue, tagSetId: number, held: readonly string[]): string[] {
  return neededTags(catalogue.tagIdsIn(tagSetId), catalogue.defaultTagIds).filter(id => !held.includes(id));
}

/** An account's tags besides the default ones. */
async function approvedTagIds({ db }: Pick<ReadContext, 'db'>, userId: string): Promise<string[]> {
  const held = db.selectFrom('approved_tags').select('tag_id').where('user_id', '=', userId);
  return (await held.execute()).map(row => row.tag_id);
}
