import { sql } from 'kysely';
import type { Output } from '../../contract/operations.ts';
import { untitled } from '../../contract/text.ts';
import type { ReadContext } from '../access/context.ts';
import { readablePosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';

/** More would fill the screen. */
const mostSitePages = 50;

/** The essays of the navigation and the footer that the viewer may read, oldest first; no drafts. */
export async function listSitePages(
  { db, catalogue }: ReadContext,
  viewer: Viewer,
): Promise<Output<'getPages'>['pages']> {
  const rows = await readablePosts(db, await catalogue(), viewer)
    .select(['posts.id', 'posts.title', 'posts.shown_in'])
    // As in the index: it has only them.
    .where(sql<boolean>`posts.shown_in <> 'timeline'`)
    .where('posts.published_at', 'is not', null)
    .orderBy('posts.published_at')
    .orderBy('posts.id')
    .limit(mostSitePages)
    .execute();
  return rows.map(({ id, title, shown_in }) => ({ postId: id, title: title ?? untitled, shownIn: shown_in }));
}
