import type { Kysely } from 'kysely';
import type { AttachmentInput, PostInput } from '../../contract/posts.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { withPictureSizes } from '../files/picture-html.ts';
import type { Rendered } from '../markdown/render.ts';
import { renderText } from '../markdown/render-text.ts';
import { ensureTagSet, ensureTags, movePublished } from '../tags/write.ts';
import { carryFiles } from './attachments.ts';

/** What a post says, as its row holds it: the last three are made from `content`. */
export type PostWords = Pick<
  PostRow,
  'type' | 'title' | 'description' | 'content' | 'html' | 'text' | 'readable'
>;

/** What the editor and an import hand to the one writer of posts. */
export type PostText = {
  words: PostWords;
  tags: readonly string[];
  /** In order; undefined keeps those that the post has. */
  attachments: readonly AttachmentInput[] | undefined;
  /** The account that saves: only files that it uploaded may be added. Null for an import that names no author. */
  savedBy: string | null;
  /** A file that somebody else uploaded: refuses the save, or is left where it is, so that its own posts decide who sees it. */
  othersFiles: 'refuse' | 'leave';
};

/** What a post's row holds beside its words. */
export type NewPost = Pick<
  PostRow,
  'id' | 'author_id' | 'created_at' | 'updated_at' | 'published_at' | 'save_key'
>;

/** What an update has to know of the post that it changes. */
export type SavedPost = Pick<
  PostRow,
  'id' | 'version' | 'tag_set_id' | 'published_at' | 'created_at' | 'updated_at'
>;

/** Renders the text of a post. Throws invalid-argument for one that cannot be rendered, with a sentence for its author. */
export async function renderContent(content: string, postId: string): Promise<Rendered> {
  // The post's id in every anchor: several posts stand on one page of the timeline.
  return await renderText(content, { idPrefix: `${postId}-` });
}

/** What the row of a post says that was written like this. */
export function wordsOf(input: PostInput, { html, text, readable }: Rendered): PostWords {
  const { title, description } = input.type === 'essay' ? input : { title: null, description: null };
  return { type: input.type, title, description, content: input.content, html, text, readable };
}

/** The post as it is now; held as it is until the transaction ends, where there is one. */
export async function findSavedPost(db: Kysely<Tables>, id: string): Promise<SavedPost | undefined> {
  const query = db
    .selectFrom('posts')
    .select(['id', 'version', 'published_at', 'tag_set_id', 'created_at', 'updated_at'])
    .where('id', '=', id);
  return await (db.isTransaction ? dialectOf(db).forUpdate(query) : query).executeTakeFirst();
}

/**
 * Adds a post with its tags, words to be found by, count and files. Call within a transaction. Returns false, and does
 * nothing, when there is a post with this id or save key. Throws invalid-argument for files of others.
 */
export async function insertPost(trx: Kysely<Tables>, post: NewPost, text: PostText): Promise<boolean> {
  const tagSetId = await ensureTagSet(trx, await ensureTags(trx, text.tags));
  const html = await withPictureSizes(trx, text.words.html);
  const made = await trx
    .insertInto('posts')
    .values({ ...text.words, ...post, html, tag_set_id: tagSetId })
    .onConflict(conflict => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (made === undefined) return false;
  await settle(trx, post.id, { from: null, to: post.published_at === null ? null : tagSetId }, text);
  return true;
}

/**
 * Replaces what a post says and carries; `before` is the row as {@link findSavedPost} has locked it. Call within the same
 * transaction. Returns the files that the post has lost, whose bytes go once the transaction has committed. Throws
 * invalid-argument for files of others.
 */
export async function replacePost(
  trx: Kysely<Tables>,
  before: SavedPost,
  dates: Pick<PostRow, 'created_at' | 'updated_at' | 'published_at'>,
  text: PostText,
): Promise<string[]> {
  const tagSetId = await ensureTagSet(trx, await ensureTags(trx, text.tags));
  const html = await withPictureSizes(trx, text.words.html);
  await trx
    .updateTable('posts')
    .set({ ...text.words, ...dates, html, tag_set_id: tagSetId, version: before.version + 1 })
    .where('id', '=', before.id)
    .execute();
  const counted = {
    from: before.published_at === null ? null : before.tag_set_id,
    to: dates.published_at === null ? null : tagSetId,
  };
  return await settle(trx, before.id, counted, text);
}

/** What posts are found by: whoever writes one calls this in the same transaction. */
export async function indexPosts(
  trx: Kysely<Tables>,
  posts: readonly Pick<PostRow, 'id' | 'title' | 'description' | 'text'>[],
): Promise<void> {
  const texts = posts.map(({ id, title, description, text }) => ({
    postId: id,
    text: [title, description, text].join('\n'),
  }));
  await dialectOf(trx).indexWords(trx, texts);
}

/** What follows from a post's row: what it is found by, the combination of tags that counts it, the files that it carries. */
async function settle(
  trx: Kysely<Tables>,
  postId: string,
  counted: { from: number | null; to: number | null },
  { words, attachments, savedBy, othersFiles }: PostText,
): Promise<string[]> {
  await indexPosts(trx, [{ id: postId, ...words }]);
  await movePublished(trx, counted.from, counted.to);
  const shown = `${words.content} ${words.html}`;
  return await carryFiles(trx, { postId, savedBy, othersFiles, shown, attachments });
}
