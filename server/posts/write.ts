import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import type { Post } from '../../contract/post.ts';
import type { AttachmentInput, PostInput } from '../../contract/post-input.ts';
import { tagKey } from '../../contract/tag-name.ts';
import { tagRefs } from '../access/audience.ts';
import { refuseTagsOfOthers } from '../access/author-tags.ts';
import type { ReadContext } from '../access/context.ts';
import { lockEditable, readingIn } from '../access/posts.ts';
import { accountOf, type Viewer } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import { readWrittenDate } from '../base/written-date.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction } from '../db/transaction.ts';
import { removeUnusedFiles } from '../files/remove.ts';
import type { FileContext } from '../files/uploads/write.ts';
import { movePublished, tagsByTheirIds } from '../tags/write.ts';
import { announceAgain, announcePost, countAnnouncement } from './announce.ts';
import { requireFewerDrafts } from './drafts.ts';
import { getPost } from './read.ts';
import { recordDeletion, recordRetagging } from './record.ts';
import {
  findSavedPost,
  insertPost,
  type PostText,
  postColumns,
  renderContent,
  replacePost,
  type SavedPost,
  writtenColumns,
} from './save.ts';

export type PostContext = FileContext & ReadContext & { log: Logger };

/**
 * Publishes a new post, or saves it as a draft. Returns it as saved. If a post with the same key exists, that
 * one is saved instead, unless somebody has saved it since: so a browser that did not get the answer can try
 * again. Throws invalid-argument for content that cannot be rendered and for others' files; aborted and
 * already-exists for a used key.
 */
export async function createPost(
  context: PostContext,
  viewer: Viewer,
  input: PostInput,
  saveKey?: string,
): Promise<Post> {
  const author = accountOf(viewer).id;
  const id = createId();
  const now = context.clock();
  const text = await writtenText(input, id, author);
  const within = await readingIn(context);
  const { comments, timeZone } = await context.settings();
  const post = await inTransaction(context, async trx => {
    // Checked first: an existing post keeps its tags, whatever has become of them since.
    if (saveKey !== undefined && (await isKeyUsed(trx, saveKey))) return undefined;
    if (input.isDraft && viewer.role === 'author') await requireFewerDrafts(trx, author);
    const tags = await tagsByTheirIds(trx, tagRefs(input.tags, input.tagIds));
    await refuseTagsOfOthers(trx, viewer, { before: undefined, after: tags });
    const made = await insertPost(
      trx,
      {
        id,
        author_id: author,
        created_at: now,
        updated_at: null,
        published_at: publicationOf(input, now, timeZone),
        save_key: saveKey ?? null,
        comments_closed: comments === 'off',
      },
      { ...text, tags: tags.map(({ name }) => name), attachments: input.attachments ?? [] },
    );
    if (!made) return undefined;
    if (!input.isDraft && !input.isQuiet && isInTimeline(text)) {
      await countAnnouncement(trx, context, viewer);
      await announcePost(trx, id, now);
    }
    // Read in this transaction: the editor sends its version with the next save, so it must not be that of a
    // slightly later save by somebody else.
    return await getPost(within(trx), viewer, id, { withContent: true });
  });
  if (post !== undefined) return post;
  if (saveKey === undefined) throw new Error(`The post ${id} was there before it was made.`);
  return await saveAgain(context, viewer, input, saveKey);
}

async function isKeyUsed(trx: Kysely<Tables>, saveKey: string): Promise<boolean> {
  const made = trx.selectFrom('posts').select('id').where('save_key', '=', saveKey);
  return (await made.executeTakeFirst()) !== undefined;
}

/**
 * Saves a post whose key was used before: the same save again, or a later one of a browser that got no answer
 * to the first.
 */
async function saveAgain(
  context: PostContext,
  viewer: Viewer,
  input: PostInput,
  saveKey: string,
): Promise<Post> {
  const made = await context.db
    .selectFrom('posts')
    .selectAll()
    .where('save_key', '=', saveKey)
    .executeTakeFirst();
  if (made === undefined) throw new AppError('aborted', 'This post has been deleted since it was saved.');
  if (made.author_id !== accountOf(viewer).id)
    throw new AppError('already-exists', 'This post belongs to somebody else.');
  const { attachments = [], isDraft } = input;
  const tags = (await tagsByTheirIds(context.db, tagRefs(input.tags, input.tagIds))).map(({ name }) => name);
  const isSame =
    isWrittenAs(made, writtenColumns(input)) &&
    (made.published_at === null) === isDraft &&
    (await hasTagsAndFiles(context.db, made, { tags, attachments }));
  // The first save made version 1. A higher version is another person's, or another save of the same editor.
  if (!isSame) return await updatePost(context, viewer, made.id, input, { version: 1 });
  return await getPost(context, viewer, made.id, { withContent: true });
}

/**
 * Whether a row equals the input, field for field. A field that the row does not have counts as different: an
 * unnecessary save loses nothing, but mistaking a different text for the same one would.
 */
function isWrittenAs(row: object, written: object): boolean {
  return Object.entries(written).every(([name, value]) => {
    if (value === undefined || !(name in row)) return value === undefined;
    const before: unknown = row[name as keyof typeof row];
    // SQLite has 0 and 1.
    return (typeof value === 'boolean' ? Boolean(before) : before) === value;
  });
}

async function hasTagsAndFiles(
  db: Kysely<Tables>,
  { id, tag_set_id }: { id: string; tag_set_id: number },
  { tags, attachments }: { tags: readonly string[]; attachments: readonly AttachmentInput[] },
): Promise<boolean> {
  const [carriedTags, carriedFiles] = await Promise.all([
    db
      .selectFrom('tag_set_tags')
      .innerJoin('tags', 'tags.id', 'tag_set_tags.tag_id')
      .select('tags.key')
      .where('tag_set_id', '=', tag_set_id)
      .execute(),
    db.selectFrom('attachments').selectAll().where('post_id', '=', id).orderBy('position').execute(),
  ]);
  const keys = new Set(tags.map(tagKey));
  return (
    keys.size === carriedTags.length &&
    carriedTags.every(({ key }) => keys.has(key)) &&
    attachments.length === carriedFiles.length &&
    carriedFiles.every((row, index) => isWrittenAs(row, attachments[index] ?? {}))
  );
}

/**
 * Saves a post and returns it as saved; counts, creation and publication dates stay (specification section
 * 4). Throws not-found; permission-denied and invalid-argument for an author with others' posts and tags
 * (`author-tags.ts`); aborted if `version` is given and somebody has saved since; failed-precondition for a
 * published post saved as a draft; invalid-argument for others' files and for a future date.
 * `tellsNewReaders` mails a published post to subscribers who were not told about it and may read it now.
 */
export async function updatePost(
  context: PostContext,
  viewer: Viewer,
  id: string,
  input: PostInput,
  {
    version,
    tellsNewReaders = false,
  }: { version?: number | undefined; tellsNewReaders?: boolean | undefined },
): Promise<Post> {
  const now = context.clock();
  const text = await writtenText(input, id, accountOf(viewer).id);
  const within = await readingIn(context);
  const { timeZone } = await context.settings();
  const { lost, post } = await inTransaction(context, async trx => {
    const reads = within(trx);
    await lockEditable(reads, viewer, id);
    const before = await lockPost(trx, id);
    const tags = await tagsByTheirIds(trx, tagRefs(input.tags, input.tagIds));
    await refuseTagsOfOthers(trx, viewer, { before: before.tag_set_id, after: tags });
    if (version !== undefined && version !== before.version) {
      throw new AppError('aborted', 'This post was saved elsewhere since you opened it.', {
        version: before.version,
        postId: id,
      });
    }
    if (input.isDraft && before.published_at !== null) {
      throw new AppError('failed-precondition', 'Cannot save published post as draft');
    }
    if (!input.isDraft && isInTimeline(text, before)) {
      const isNew = before.published_at === null && !input.isQuiet;
      if (isNew || tellsNewReaders) await countAnnouncement(trx, context, viewer);
      if (isNew) await announcePost(trx, id, now);
      else if (tellsNewReaders) await announceAgain(trx, id, now);
    }
    const published_at = before.published_at ?? publicationOf(input, now, timeZone);
    const dates = { created_at: before.created_at, updated_at: now, published_at };
    const written = { ...text, tags: tags.map(({ name }) => name) };
    const { lost, tagSetId, tagIds } = await replacePost(trx, before, dates, written);
    if (before.published_at !== null && tagSetId !== before.tag_set_id)
      await recordRetagging(trx, context, before, tagIds);
    return { lost, post: await getPost(reads, viewer, id, { withContent: true }) };
  });
  await removeFiles(context, lost);
  return post;
}

/**
 * The date of a post that was not published before, in milliseconds; null for a draft. Throws
 * invalid-argument for a future date.
 */
function publicationOf({ isDraft, date }: PostInput, now: number, timeZone: string): number | null {
  if (isDraft) return null;
  const at = date === undefined ? now : readWrittenDate(date, timeZone);
  if (at === undefined || at > now)
    throw new AppError('invalid-argument', 'The date of a post must be a past one.');
  return at;
}

/**
 * Pins a post before all others in the timeline, or unpins it. Throws not-found, and permission-denied for
 * others' posts.
 */
export async function setPinned(
  context: PostContext,
  viewer: Viewer,
  id: string,
  isPinned: boolean,
): Promise<void> {
  const within = await readingIn(context);
  await inTransaction(context, async trx => {
    await lockEditable(within(trx), viewer, id);
    await trx.updateTable('posts').set({ is_pinned: isPinned }).where('id', '=', id).execute();
  });
}

/**
 * Deletes a post with its comments, likes, attachments and files, all or nothing (decision 11). Throws
 * not-found; permission-denied for an author with others' posts.
 */
export async function deletePost(context: PostContext, viewer: Viewer, id: string): Promise<void> {
  const within = await readingIn(context);
  const lost = await inTransaction(context, async trx => {
    await lockEditable(within(trx), viewer, id);
    const before = await lockPost(trx, id);
    // Others' comments are deleted with it, which cannot be undone.
    if (await hasComments(trx, id)) await context.requireRecentSignIn(trx);
    const carried = await trx.selectFrom('post_files').select('file_id').where('post_id', '=', id).execute();
    await recordDeletion(trx, context, viewer, id);
    await trx.deleteFrom('posts').where('id', '=', id).execute();
    if (before.published_at !== null) await movePublished(trx, before.tag_set_id, null);
    return carried.map(row => row.file_id);
  });
  await removeFiles(context, lost);
}

async function hasComments(trx: Kysely<Tables>, postId: string): Promise<boolean> {
  const comments = trx.selectFrom('comments').select('id').where('post_id', '=', postId).limit(1);
  return (await comments.executeTakeFirst()) !== undefined;
}

/**
 * Removes files after the commit. An error is only logged: the post is saved, and nobody can reach the files
 * any more.
 */
async function removeFiles(context: PostContext, ids: readonly string[]): Promise<void> {
  try {
    const { db, clock, files } = context;
    await removeUnusedFiles({ db, clock, files }, ids);
  } catch (error) {
    context.log.error({ err: error, files: ids }, 'files of a post were not removed');
  }
}

const isInTimeline = ({ columns }: PostText, before?: SavedPost) =>
  (columns.shown_in ?? before?.shown_in ?? 'timeline') === 'timeline';

async function lockPost(trx: Kysely<Tables>, id: string): Promise<SavedPost> {
  const post = await findSavedPost(trx, id);
  if (post === undefined) throw new AppError('not-found', 'Post not found');
  return post;
}

async function writtenText(input: PostInput, id: string, author: string): Promise<PostText> {
  return {
    columns: postColumns(input, await renderContent(input, id, { by: author })),
    tags: input.tags,
    audienceTagIds: [],
    attachments: input.attachments,
    addable: { uploadedBy: author },
  };
}
