import { join } from 'node:path';
import type { Site } from './site.ts';
import { newFolder } from './temporary-folder.ts';

/** A folder that an export can make. */
export async function target(): Promise<string> {
  const folder = await newFolder();
  return join(folder, 'site');
}

/** The columns of a post that differ afterwards. */
const notExported = {
  ...{ tag_set_id: 0, author_id: '', created_at: 0, version: 0, save_key: '' },
  ...{ like_count: 0, comments_version: 0 },
};

/** Everything that a post is, with files by what they hold instead of by ids, which are the site's own. */
export async function contentOf({ deps: { db, catalogue } }: Site) {
  const tags = await catalogue();
  const files = await db.selectFrom('files').selectAll().execute();
  const digests = new Map(files.map(({ id, digest }) => [id, digest]));
  const named = (text: string | null) =>
    text?.replaceAll(/\/files\/([\w-]{16})(?:\/[\w.]*)?/g, (_, id) => `file ${digests.get(id)}`) ?? null;
  const posts = await db.selectFrom('posts').selectAll().orderBy('id').execute();
  const comments = await db
    .selectFrom('comments')
    .leftJoin('users', 'users.id', 'comments.user_id')
    .selectAll('comments')
    .select('users.name as user')
    .orderBy('comments.id')
    .execute();
  const attachments = await db
    .selectFrom('attachments')
    .selectAll()
    .orderBy('post_id')
    .orderBy('position')
    .execute();
  return {
    posts: posts.map(({ html: _html, text: _text, readable: _readable, ...post }) => ({
      ...post,
      ...notExported,
      content: named(post.content),
      card_picture: named(post.card_picture),
      tags: tags
        .tagIdsIn(post.tag_set_id)
        .flatMap(id => tags.tags.get(id)?.name ?? [])
        .sort(),
    })),
    comments: comments.map(
      ({ id, post_id, parent_id, content, created_at, hidden_reason, author_name, user }) => ({
        id,
        post_id,
        parent_id,
        content,
        created_at,
        hidden_reason,
        name: user ?? author_name,
      }),
    ),
    attachments: attachments.map(({ post_id, url, description, alt }) => [
      post_id,
      named(url),
      description,
      alt,
    ]),
    files: files.map(({ digest, name }) => [digest, name]).sort(),
  };
}
