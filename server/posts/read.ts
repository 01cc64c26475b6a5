import { sql } from 'kysely';
import { pageExcerpt } from '../../contract/constants.ts';
import { formatDate, moment } from '../../contract/date.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { NamedPost, Post } from '../../contract/post.ts';
import { cutAtWord, firstCharacters, nameWithoutTitle } from '../../contract/text.ts';
import { catalogueOf, mayEdit, type TagCatalogue } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { readablePosts, refusal } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { shownHtml } from '../markdown/stored.ts';
import {
  attachmentsOf,
  bylineColumns,
  contentFormFor,
  contentIn,
  describedColumns,
  fieldsForReaders,
  languagesOf,
  likedBy,
} from './describe.ts';
import { previewOf } from './preview.ts';

/**
 * A post with its text, and its Markdown if asked for. Throws not-found for a post that does not exist or is
 * somebody's draft, permission-denied for one that is not shared with the viewer: the page answers the two
 * differently (decision 7).
 */
export async function getPost(
  deps: ReadContext,
  viewer: Viewer,
  id: string,
  { withContent = false }: { withContent?: boolean } = {},
): Promise<Post> {
  const catalogue = await deps.catalogue();
  const [post, liked] = await Promise.all([
    readPost(deps, viewer, { id, withContent, catalogue }),
    likedBy(deps.db, viewer, [id]),
  ]);
  return { ...post, isLiked: liked.has(id) };
}

type Reading = { withContent: boolean; catalogue: TagCatalogue };

/** Like `getPost`, with `isLiked` false: the part that all viewers who may read the same posts share. */
export async function readPost(
  deps: ReadContext,
  viewer: Viewer,
  { id, ...reading }: Reading & { id: string },
): Promise<Post> {
  const [post] = await readPosts(deps, viewer, [id], reading);
  if (post === undefined) throw await refusal(deps, viewer, id);
  return post;
}

/** Those of these posts that the viewer may read, in this order, as `readPost` returns them. */
export async function readPosts(
  deps: ReadContext,
  viewer: Viewer,
  ids: readonly string[],
  { withContent, catalogue }: Reading,
): Promise<Post[]> {
  const rows = await readablePosts(deps.db, catalogue, viewer)
    .select(describedColumns)
    .select(['posts.html', 'posts.text', 'posts.version', 'posts.mails_beginning', 'posts.card_picture'])
    .select(bylineColumns)
    .$if(withContent, query => query.select(['posts.content', 'posts.readable']))
    .where(dialectOf(deps.db).inList(sql.ref('posts.id'), ids))
    .execute();
  if (rows.length === 0) return [];
  const attachments = await attachmentsOf(deps.db, rows);
  if (attachments.size < rows.length) return await readPosts(deps, viewer, ids, { withContent, catalogue });
  const settings = await deps.settings();
  const tags = await catalogueOf(deps.db, catalogue, rows);
  const posts = new Map<string, Post>();
  for (const row of rows) {
    const content = contentFormFor(viewer, withContent, row.author_id);
    const common = {
      ...fieldsForReaders(row, { catalogue: tags, attachments, settings }, viewer),
      ...contentIn(content, row),
      html: shownHtml(row.html),
      excerpt: cutAtWord(row.text, pageExcerpt),
      version: row.version,
      ...(content === 'written' && {
        tagIds: tags.sortedIdsOf(row.tag_set_id),
        mailsBeginning: Boolean(row.mails_beginning),
        cardPicture: row.card_picture,
      }),
      can: { edit: mayEdit(viewer, row.author_id) },
    };
    const words = { title: cutMarks(row.title ?? ''), description: cutMarks(row.description ?? '') };
    const essay = {
      ...words,
      ...languagesOf(words, row.html),
      hidesPicture: row.card_picture === 'none',
    };
    posts.set(
      row.id,
      row.type === 'essay'
        ? { ...common, type: 'essay', ...essay, ...previewOf(row.html, row.text.length, row.card_picture) }
        : { ...common, type: 'short', title: null, description: null },
    );
  }
  return ids.flatMap(id => posts.get(id) ?? []);
}

/** The text of a post for a mail, and whether the mail has only its beginning. Throws as `getPost` does. */
export async function textOfPost(
  deps: ReadContext,
  viewer: Viewer,
  id: string,
): Promise<{ text: string; isBeginning: boolean }> {
  const row = await readablePosts(deps.db, await deps.catalogue(), viewer)
    .select(['posts.text', 'posts.mails_beginning'])
    .where('posts.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw await refusal(deps, viewer, id);
  return { text: row.text, isBeginning: Boolean(row.mails_beginning) };
}

/** A list's name for a post: the title of an essay, the first characters of a short post. */
export type PostName = Omit<NamedPost, 'postId'>;

/**
 * The names of those of these posts that the viewer may read, by id. A text is cut after `most` characters.
 */
export async function postNames(
  deps: ReadContext,
  viewer: Viewer,
  ids: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, PostName>> {
  if (ids.length === 0) return new Map();
  const rows = await readablePosts(deps.db, await deps.catalogue(), viewer)
    .select(['posts.id', 'posts.title', 'posts.published_at'])
    // An essay's text is not read: it can be a book, and only its title is shown.
    .select(eb =>
      eb.case().when('posts.type', '=', 'short').then(eb.ref('posts.text')).else('').end().as('words'),
    )
    .where(dialectOf(deps.db).inList(sql.ref('posts.id'), ids))
    .execute();
  const dates = await deps.settings();
  const nameOf = ({ title, words, published_at }: (typeof rows)[number]): PostName => {
    if (title !== null) return { postTitle: cutMarks(title), isCut: false };
    const beginning = firstCharacters(words, most);
    const postTitle = beginning || nameWithoutTitle('', most, formatDate(moment(published_at), dates));
    return { postTitle, isCut: beginning.length < words.length };
  };
  return new Map(rows.map(row => [row.id, nameOf(row)]));
}
