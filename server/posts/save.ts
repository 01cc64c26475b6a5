import type { Kysely } from 'kysely';
import { shortPostMaxCharacters } from '../../contract/constants.ts';
import type { AttachmentInput, PostInput } from '../../contract/post-input.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { withPictureSizes } from '../files/pictures/picture-html.ts';
import type { Rendered, RenderOptions } from '../markdown/render.ts';
import { renderText } from '../markdown/render-text.ts';
import { indexedColumns, indexPost } from '../search/index-posts.ts';
import { setUnlessDecided } from '../settings/site-settings.ts';
import { ensureTagSet, ensureTags, movePublished } from '../tags/write.ts';
import { findFiles, linkFiles } from './attachments.ts';

/**
 * The columns that an author writes, and those that are made from `content`. An undefined one keeps its
 * value; in a new post the database gives it one.
 */
export type PostColumns = ReturnType<typeof writtenColumns> & Pick<Rendered, 'html' | 'text' | 'readable'>;

/** The input of the functions that write posts, from the editor and from imports. */
export type PostText = {
  columns: PostColumns;
  /** By name; missing ones are made. */
  tags: readonly string[];
  /** By id, because each may be renamed meanwhile: tags that an import has made for groups of its source. */
  audienceTagIds: readonly string[];
  /** In order; undefined leaves the post's attachments unchanged. */
  attachments: readonly AttachmentInput[] | undefined;
  /**
   * The files that may be added to the post's own. In the editor: this account's uploads; a save with any
   * other file is refused. In an import: the files that it has placed for this post, by id; any other file
   * that its text names stays where it is.
   */
  addable: { uploadedBy: string } | { placed: ReadonlySet<string> };
};

export type NewPost = Pick<
  PostRow,
  'id' | 'author_id' | 'created_at' | 'updated_at' | 'published_at' | 'save_key'
> & { is_pinned?: boolean | undefined; comments_closed?: boolean | undefined };

/** The part of a post that an update needs to know. */
export type SavedPost = Pick<
  PostRow,
  'id' | 'version' | 'tag_set_id' | 'published_at' | 'created_at' | 'updated_at' | 'shown_in'
>;

/**
 * Renders the text of a post for the waiting account `by`; an import has other work meanwhile (`isAside`).
 * Throws invalid-argument with a sentence for the author if it cannot be rendered.
 */
export async function renderContent(
  { type, content }: Pick<PostColumns, 'type' | 'content'>,
  postId: string,
  { by, isAside }: Pick<RenderOptions, 'by' | 'isAside'>,
): Promise<Rendered> {
  // Every anchor contains the post's id, because a page of the timeline shows several posts.
  const isShort = type === 'short';
  const mostCharacters = isShort ? shortPostMaxCharacters : undefined;
  return await renderText(content, {
    idPrefix: `${postId}-`,
    by,
    isAside,
    keepsLines: isShort,
    mostCharacters,
  });
}

/** What a short post has in place of the fields of an essay. */
const ofShortPost = { title: null, description: null, shownIn: 'timeline', cardPicture: null } as const;

/** The columns that an author writes. A field that is named as its column needs no line here. */
export function writtenColumns(input: PostInput) {
  const { attachments, tags, tagIds, isDraft, date, isQuiet, ...written } = input;
  const { shownIn, cardPicture, mailsBeginning, ...columns } =
    written.type === 'essay' ? written : { ...written, ...ofShortPost };
  return { ...columns, shown_in: shownIn, card_picture: cardPicture, mails_beginning: mailsBeginning };
}

export function postColumns(input: PostInput, { html, text, readable }: Rendered): PostColumns {
  return { ...writtenColumns(input), html, text, readable };
}

/** The current post; within a transaction it is locked until the transaction ends. */
export async function findSavedPost(db: Kysely<Tables>, id: string): Promise<SavedPost | undefined> {
  const query = db
    .selectFrom('posts')
    .select(['id', 'version', 'published_at', 'tag_set_id', 'created_at', 'updated_at', 'shown_in'])
    .where('id', '=', id);
  return await (db.isTransaction ? dialectOf(db).forUpdate(query) : query).executeTakeFirst();
}

/**
 * Adds a post with its tags, its words for search, its count and its files, within a transaction. False,
 * without adding a post, if one with this id or save key exists. Throws invalid-argument for others' files.
 */
export async function insertPost(trx: Kysely<Tables>, post: NewPost, text: PostText): Promise<boolean> {
  const { tagSetId, tagIds } = await tagSetOf(trx, text);
  const found = await findFiles(trx, { id: post.id, isNew: true }, text);
  const html = withPictureSizes(text.columns.html, found.files);
  const made = await trx
    .insertInto('posts')
    .values({ ...text.columns, ...post, html, tag_set_id: tagSetId })
    .onConflict(conflict => conflict.doNothing())
    .returning(indexedColumns)
    .executeTakeFirst();
  if (made === undefined) return false;
  await settle(trx, post.id, { from: null, to: post.published_at === null ? null : tagSetId });
  await linkFiles(trx, post.id, found);
  await indexPost(trx, { ...made, tagIds, attachments: found.attachments });
  return true;
}

/**
 * Replaces the words, tags and files of a post, within the transaction in which {@link findSavedPost} has
 * locked `before`. Returns its new tags, and the files that it has lost, whose bytes must be deleted after
 * the commit. Throws invalid-argument for others' files.
 */
export async function replacePost(
  trx: Kysely<Tables>,
  before: SavedPost,
  dates: Pick<PostRow, 'created_at' | 'updated_at' | 'published_at'>,
  text: PostText,
): Promise<{ tagSetId: number; tagIds: string[]; lost: string[] }> {
  const { tagSetId, tagIds } = await tagSetOf(trx, text, before.tag_set_id);
  const found = await findFiles(trx, { id: before.id, isNew: false }, text);
  const html = withPictureSizes(text.columns.html, found.files);
  const saved = await trx
    .updateTable('posts')
    .set({ ...text.columns, ...dates, html, tag_set_id: tagSetId, version: before.version + 1 })
    .where('id', '=', before.id)
    .returning(indexedColumns)
    .executeTakeFirstOrThrow();
  await settle(trx, before.id, {
    from: before.published_at === null ? null : before.tag_set_id,
    to: dates.published_at === null ? null : tagSetId,
  });
  const lost = await linkFiles(trx, before.id, found);
  // The row as it is now, because what the save leaves out is still found by its words.
  await indexPost(trx, { ...saved, tagIds, attachments: found.attachments });
  return { tagSetId, tagIds, lost };
}

/** The tags of a post and their combination; `carried` is its current one. */
async function tagSetOf(
  trx: Kysely<Tables>,
  { tags, audienceTagIds }: PostText,
  carried?: number,
): Promise<{ tagSetId: number; tagIds: string[] }> {
  const tagIds = [...(await ensureTags(trx, tags, carried)), ...audienceTagIds];
  return { tagSetId: await ensureTagSet(trx, tagIds), tagIds };
}

/** Updates what depends on a published post: the count of its tags, and whether posts name authors. */
async function settle(
  trx: Kysely<Tables>,
  postId: string,
  counted: { from: number | null; to: number | null },
): Promise<void> {
  await movePublished(trx, counted.from, counted.to);
  if (counted.from === null && counted.to !== null) await nameAuthors(trx, postId);
}

/**
 * Makes posts name their authors once somebody other than the first admin publishes, unless an admin has
 * decided about it (docs/decisions/0027).
 */
export async function nameAuthors(trx: Kysely<Tables>, postId: string): Promise<void> {
  const firstAdmin = trx
    .selectFrom('users')
    .select('id')
    .where('is_admin', '=', true)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1);
  const ofAnother = await trx
    .selectFrom('posts')
    .select('id')
    .where('id', '=', postId)
    .where('author_id', '<>', firstAdmin)
    .executeTakeFirst();
  if (ofAnother !== undefined) await setUnlessDecided(trx, { namesAuthors: 'true' });
}
