import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { formatDate, moment } from '../../contract/date.ts';
import { languageOfHtml } from '../../contract/language.ts';
import type { Attachment } from '../../contract/post.ts';
import { faceAt } from '../../contract/site-pictures.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import { mayEdit, type TagCatalogue } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { PostRow, Tables } from '../db/tables.ts';
import { fileIdOf } from '../files/address.ts';
import { languageBeside } from '../markdown/language.ts';

export const describedColumns = [
  'posts.id',
  'posts.type',
  'posts.title',
  'posts.description',
  'posts.tag_set_id',
  'posts.author_id',
  'posts.published_at',
  'posts.is_pinned',
  'posts.shown_in',
  'posts.created_at',
  'posts.updated_at',
  'posts.like_count',
  'posts.comment_count',
] as const;

function authorOf(eb: ExpressionBuilder<Tables, 'posts'>) {
  return eb.selectFrom('users').whereRef('users.id', '=', 'posts.author_id');
}

const nameOf = (eb: ExpressionBuilder<Tables, 'posts'>) => authorOf(eb).select('users.display_username');

/** The author of a post; null if the account is deleted. */
export function authorColumn(eb: ExpressionBuilder<Tables, 'posts'>) {
  return nameOf(eb).as('author_username');
}

/** The author and their picture, which `fieldsForReaders` shows if posts name their authors. */
export function bylineColumns(eb: ExpressionBuilder<Tables, 'posts'>) {
  return [authorColumn(eb), authorOf(eb).select('users.image').as('author_image')] as const;
}

/** The author of a post if it is not this account: in lists for managing posts. */
export function otherAuthorColumn(accountId: string) {
  return (eb: ExpressionBuilder<Tables, 'posts'>) =>
    nameOf(eb).where('users.id', '<>', accountId).as('author_username');
}

/** Characters: the start tag of the first block, with the longest id of a heading. */
const startCharacters = 500;

/**
 * The text of short posts. An essay's text is not read, because a list shows its title and description; its
 * first tag has its language.
 */
export function shortPostColumns(eb: ExpressionBuilder<Tables, 'posts'>) {
  const ofShortPost = (column: 'posts.content' | 'posts.readable' | 'posts.html') =>
    eb.case().when('posts.type', '=', 'short').then(eb.ref(column)).end();
  return [
    ofShortPost('posts.content').as('content'),
    ofShortPost('posts.readable').as('readable'),
    ofShortPost('posts.html').as('html'),
    eb
      .case()
      .when('posts.type', '=', 'essay')
      .then(sql<string>`substr(${eb.ref('posts.html')}, 1, ${sql.lit(startCharacters)})`)
      .end()
      .as('html_start'),
  ] as const;
}

/** The languages of an essay's title and description, as their letters or else the start of its HTML tell. */
export function languagesOf({ title, description }: { title: string; description: string }, html: string) {
  const ofText = languageOfHtml(html);
  return {
    language: languageBeside(title, ofText),
    descriptionLanguage: languageBeside(description, ofText),
  };
}

type DescribedRow = Omit<
  PostRow,
  | 'content'
  | 'readable'
  | 'html'
  | 'text'
  | 'version'
  | 'save_key'
  | 'comments_version'
  | 'comments_closed'
  | 'mails_beginning'
  | 'card_picture'
> & { author_username: string | null };

/** Which Markdown an answer contains: the original, the part that readers may see, or none. */
export type ContentForm = 'written' | 'readable' | 'none';

/**
 * The form of Markdown for a viewer: editors of a post get the original, which they save again. In lists of
 * posts of all authors only admins do.
 */
export function contentFormFor(
  viewer: Viewer,
  withContent: boolean,
  authorId: string | null = null,
): ContentForm {
  if (!withContent) return 'none';
  return mayEdit(viewer, authorId) ? 'written' : 'readable';
}

/** The Markdown of a post, as the fields of an answer. */
export function contentIn(
  form: ContentForm,
  { content, readable }: Partial<Record<'content' | 'readable', string | null>>,
): { content?: string } {
  if (form === 'none' || content == null) return {};
  return { content: form === 'written' ? content : (readable ?? '') };
}

type Described = {
  catalogue: TagCatalogue;
  attachments: ReadonlyMap<string, Attachment[]>;
  settings: SiteSettings;
};

/** The fields of a post in the timeline, on a tag's page and in the managed list. */
export function summaryOf(row: DescribedRow, catalogue: TagCatalogue) {
  return {
    id: row.id,
    tags: catalogue.namesOf(row.tag_set_id),
    isDraft: row.published_at === null,
    isPinned: Boolean(row.is_pinned),
    shownIn: row.shown_in,
    likeCount: row.like_count,
    commentCount: row.comment_count,
    authorUsername: row.author_username,
    createdAt: moment(row.created_at),
    updatedAt: moment(row.updated_at),
    publishedAt: moment(row.published_at),
  };
}

/**
 * The fields of a post in the timeline and on its page; `isLiked` is always false here. Where posts do not
 * name their authors, only those who may edit the post learn the account, whose id its comments have beside a
 * name. `viewer` is null for an answer that viewers share.
 */
export function fieldsForReaders(
  row: DescribedRow & { author_image: string | null },
  { catalogue, attachments, settings }: Described,
  viewer: Viewer | null,
) {
  const namesAuthor = settings.namesAuthors === 'true';
  return {
    ...summaryOf(row, catalogue),
    authorUsername: namesAuthor ? row.author_username : null,
    isLiked: false,
    authorId: namesAuthor || (viewer !== null && mayEdit(viewer, row.author_id)) ? row.author_id : null,
    authorFace: faceAt(row.author_id, namesAuthor ? row.author_image : null),
    publishedOn: formatDate(moment(row.published_at), settings),
    attachments: attachments.get(row.id) ?? [],
  };
}

/**
 * The attachments of these posts, which were read before. A post whose combination of tags has changed since
 * is left out: a reader of the former post may not see its current attachments, so the caller reads it again.
 */
export async function attachmentsOf(
  db: Kysely<Tables>,
  posts: readonly Pick<PostRow, 'id' | 'tag_set_id'>[],
): Promise<Map<string, Attachment[]>> {
  const tagSets = new Map(posts.map(post => [post.id, post.tag_set_id]));
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('posts', 'posts.id', 'attachments.post_id')
    // Joined for files of this site; other addresses match none. A video has the dimensions of its poster.
    .leftJoin('files', join =>
      join.on(eb =>
        eb('files.id', '=', fileIdOf(eb.fn.coalesce('attachments.thumbnail', 'attachments.url'))),
      ),
    )
    .select(['post_id', 'attachments.name', 'url', 'attachments.type', 'attachments.size'])
    .select(['attachments.description', 'alt', 'thumbnail', 'width', 'height', 'placeholder', 'tag_set_id'])
    .where(dialectOf(db).inList(sql.ref('post_id'), [...tagSets.keys()]))
    .orderBy('position')
    .execute();
  const found = new Map<string, Attachment[]>(posts.map(post => [post.id, []]));
  for (const { post_id, tag_set_id, ...attachment } of rows) {
    if (tag_set_id === tagSets.get(post_id)) found.get(post_id)?.push(attachment);
    else found.delete(post_id);
  }
  return found;
}

export async function likedBy(
  db: Kysely<Tables>,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<Set<string>> {
  if (viewer.user === null) return new Set();
  const rows = await db
    .selectFrom('likes')
    .select('post_id')
    .where('user_id', '=', viewer.user.id)
    .where(dialectOf(db).inList(sql.ref('post_id'), postIds))
    .execute();
  return new Set(rows.map(row => row.post_id));
}
