import { sql } from 'kysely';
import type { ReadContext } from '../access/context.ts';
import { listedPosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { fileIdOf } from '../files/address.ts';
import { isPlayed } from '../files/played.ts';

/** The newest posts of the timeline that a viewer may read and that show a sound or a video, by their ids. */
export async function listSoundPosts(deps: ReadContext, viewer: Viewer, most: number): Promise<string[]> {
  const placeInText = dialectOf(deps.db).positionIn(sql.ref('posts.html'), sql.ref<string>('files.id'));
  const rows = await (await listedPosts(deps, viewer))
    .select('posts.id')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('post_files')
          .innerJoin('files', 'files.id', 'post_files.file_id')
          .select('files.id')
          .whereRef('post_files.post_id', '=', sql.ref('posts.id'))
          .where(isPlayed)
          // What its author names only in notes that do not show is carried as well.
          .where(eb =>
            eb.or([
              eb(placeInText, '>', 0),
              eb.exists(
                eb
                  .selectFrom('attachments')
                  .select('attachments.id')
                  .whereRef('attachments.post_id', '=', 'post_files.post_id')
                  .whereRef('files.id', '=', fileIdOf(sql.ref('attachments.url'))),
              ),
            ]),
          ),
      ),
    )
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ id }) => id);
}
