import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { tokensOfPost } from './tokens.ts';

/** Makes posts findable as they are now. Call in the transaction that writes them, with their attachments. */
export async function indexPosts(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const { inList, postSearch } = dialectOf(trx);
  const posts = await trx
    .selectFrom('posts')
    .select(['id', 'type', 'title', 'description', 'text', 'tag_set_id', 'published_at', 'created_at'])
    .select(eb => eb('html', 'like', '%<img %').as('shows_pictures'))
    .where(inList(sql.ref('id'), ids))
    .execute();
  const attachments = await trx
    .selectFrom('attachments')
    .select(['post_id', 'name', 'description', 'alt', 'type'])
    .where(inList(sql.ref('post_id'), ids))
    .execute();
  const tags = await trx
    .selectFrom('tag_set_tags')
    .selectAll()
    .where(inList(sql.ref('tag_set_id'), [...new Set(posts.map(post => post.tag_set_id))]))
    .execute();
  const attachmentsOf = Map.groupBy(attachments, attachment => attachment.post_id);
  const tagsOf = Map.groupBy(tags, tag => tag.tag_set_id);
  await postSearch.write(
    trx,
    posts.map(({ id, type, tag_set_id, published_at, created_at, shows_pictures, ...words }) => {
      const attached = attachmentsOf.get(id) ?? [];
      return {
        post_id: id,
        type,
        tag_set_id,
        published_at,
        sortedAt: published_at ?? created_at,
        has_pictures: Boolean(shows_pictures) || attached.some(file => file.type.startsWith('image/')),
        tokens: tokensOfPost({
          ...words,
          attachments: attached.flatMap(({ name, description, alt }) => [name, description ?? '', alt ?? '']),
          tagIds: (tagsOf.get(tag_set_id) ?? []).map(({ tag_id }) => tag_id),
        }),
      };
    }),
  );
}
