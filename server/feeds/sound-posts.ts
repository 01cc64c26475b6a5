import { sql } from 'kysely';
import type { ReadContext } from '../access/context.ts';
import { listedPosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { isPlayed } from '../files/played.ts';

/**
 * The ids of the newest posts of the timeline that a viewer may read and that carry a sound or a video,
 * possibly one that the post does not show.
 */
export async function listSoundPosts(deps: ReadContext, viewer: Viewer, most: number): Promise<string[]> {
  const rows = await (await listedPosts(deps, viewer))
    .select('posts.id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('post_files')
          .innerJoin('files', 'files.id', 'post_files.file_id')
          .select('files.id')
          .whereRef('post_files.post_id', '=', sql.ref('posts.id'))
          .where(isPlayed),
      ),
    )
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}
