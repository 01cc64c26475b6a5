import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { PostInput } from '../../contract/posts.ts';
import type { Clock } from '../clock.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { createId } from '../id.ts';
import { announcePost } from '../mail/write.ts';
import { renderMarkdown } from '../markdown/render.ts';
import { countPublished, ensureTagSet, ensureTags } from '../tags/write.ts';

export type Writing = { db: Kysely<Tables>; clock: Clock };

/** Publishes a new post, or keeps it as a draft. Returns its id. Throws invalid-argument for content too deeply nested. */
export async function createPost(
  { db, clock }: Writing,
  authorId: string,
  input: PostInput,
): Promise<string> {
  const id = createId();
  const now = clock();
  const fields = writtenFields(input, id);
  await db.transaction().execute(async trx => {
    const tagSetId = await ensureTagSet(trx, await ensureTags(trx, input.tags));
    await trx
      .insertInto('posts')
      .values({
        ...fields,
        id,
        tag_set_id: tagSetId,
        author_id: authorId,
        created_at: now,
        updated_at: null,
        published_at: input.isDraft ? null : now,
      })
      .execute();
    if (input.isDraft) return;
    await countPublished(trx, tagSetId, 1);
    await announcePost(trx, id, now);
  });
  return id;
}

/**
 * Saves a post; counts, creation and publication dates stay (specification section 4). Throws not-found; aborted when
 * `version` is given and somebody has saved since; failed-precondition for a published post saved as a draft.
 */
export async function updatePost(
  { db, clock }: Writing,
  id: string,
  input: PostInput,
  version: number | undefined,
): Promise<void> {
  const now = clock();
  const fields = writtenFields(input, id);
  await db.transaction().execute(async trx => {
    const before = await lockPost(trx, id);
    if (version !== undefined && version !== before.version) {
      throw new AppError('aborted', 'Somebody else has saved this post since you opened it.', {
        version: before.version,
      });
    }
    if (input.isDraft && before.published_at !== null) {
      throw new AppError('failed-precondition', 'Cannot save published post as draft');
    }
    const tagSetId = await ensureTagSet(trx, await ensureTags(trx, input.tags));
    await trx
      .updateTable('posts')
      .set({
        ...fields,
        tag_set_id: tagSetId,
        updated_at: now,
        published_at: input.isDraft ? null : (before.published_at ?? now),
        version: before.version + 1,
      })
      .where('id', '=', id)
      .execute();
    if (before.published_at !== null) await countPublished(trx, before.tag_set_id, -1);
    if (!input.isDraft) await countPublished(trx, tagSetId, 1);
    if (!input.isDraft && before.published_at === null) await announcePost(trx, id, now);
  });
}

/** Deletes a post with its comments, likes and attachments, or nothing (decisions.md 11). Throws not-found. */
export async function deletePost({ db }: { db: Kysely<Tables> }, id: string): Promise<void> {
  await db.transaction().execute(async trx => {
    const before = await lockPost(trx, id);
    await trx.deleteFrom('posts').where('id', '=', id).execute();
    if (before.published_at !== null) await countPublished(trx, before.tag_set_id, -1);
  });
}

async function lockPost(trx: Kysely<Tables>, id: string) {
  const post = await dialectOf(trx)
    .locked(trx.selectFrom('posts').select(['version', 'published_at', 'tag_set_id']).where('id', '=', id))
    .executeTakeFirst();
  if (post === undefined) throw new AppError('not-found', 'Post not found');
  return post;
}

function writtenFields(input: PostInput, id: string) {
  // The post's id in every anchor: several posts stand on one page of the timeline.
  const { html, text } = renderMarkdown(input.content, { idPrefix: `${id}-` });
  return {
    type: input.type,
    title: input.type === 'essay' ? input.title : null,
    description: input.type === 'essay' ? input.description : null,
    content: input.content,
    html,
    text,
  };
}
