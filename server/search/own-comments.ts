import { type Selectable, sql } from 'kysely';
import { type DateStyle, formatDate, moment } from '../../contract/date.ts';
import type { FoundComment } from '../../contract/search.ts';
import { nameWithoutTitle, unitsWithin } from '../../contract/text.ts';
import type { ReadContext } from '../access/context.ts';
import { readablePosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import { type Page, readPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { excerptOf, markedText } from './excerpt.ts';
import { fold, spansOf } from './words.ts';

/**
 * How much of somebody's newest comments is searched. Each is compared with the words, which blocks the whole
 * site: 400,000 characters can be written so that they take a tenth of a second.
 */
const lookedThrough = { comments: 2_000, characters: 400_000 };
const readAtOnce = 500;
/** Three are wanted: for a word in most comments, not all need to be compared. */
const comparedAtOnce = 50;
const mostFound = 3;
/** The length of the title of a short post, in characters. */
const titleLength = 80;

/**
 * The viewer's own newest comments with all words, on posts that they may still read. They are few, so no
 * index is needed. Visitors, and accounts that are not approved, have none (decision 13).
 */
export async function findOwnComments(
  deps: ReadContext,
  viewer: Viewer,
  words: readonly string[],
  dates: DateStyle,
): Promise<FoundComment[]> {
  const { db } = deps;
  if (viewer.user === null || viewer.role === 'visitor') return [];
  const comments = db
    .selectFrom('comments')
    .select(['id', 'post_id', 'content', 'created_at'])
    .where('user_id', '=', viewer.user.id);
  const found: FoundComment[] = [];
  const left = { ...lookedThrough };
  let after: string | null = null;
  do {
    const { rows, nextCursor }: Page<OwnComment> = await readPage(
      comments,
      { columns: ['created_at', 'id'], direction: 'desc', after, limit: readAtOnce },
      row => ({ sortedBy: row.created_at, id: row.id }),
    );
    for (let at = 0; at < rows.length && found.length < mostFound; at += comparedAtOnce) {
      const some = rows.slice(at, at + comparedAtOnce).filter(({ content }) => {
        left.characters -= content.length;
        return left.characters >= 0 && holdsAll(content, words);
      });
      const titles = await readableTitles(
        deps,
        viewer,
        some.map(row => row.post_id),
      );
      for (const { id, post_id, content, created_at } of some) {
        const title = titles.get(post_id);
        if (title === undefined || found.length === mostFound) continue;
        found.push({
          id,
          postId: post_id,
          postTitle: title,
          excerpt: excerptOf(content, words) ?? markedText(content, words),
          createdOn: formatDate(moment(created_at), dates),
        });
      }
    }
    left.comments -= rows.length;
    after = nextCursor;
  } while (after !== null && found.length < mostFound && left.comments > 0 && left.characters > 0);
  return found;
}

type OwnComment = Pick<Selectable<Tables['comments']>, 'id' | 'post_id' | 'content' | 'created_at'>;

/** The titles of those of these posts that the viewer may read, or the beginnings of their texts. */
async function readableTitles(
  deps: ReadContext,
  viewer: Viewer,
  postIds: readonly string[],
): Promise<Map<string, string>> {
  if (postIds.length === 0) return new Map();
  const { db } = deps;
  const posts = await readablePosts(db, await deps.catalogue(), viewer)
    .select(['posts.id', 'posts.title', 'posts.published_at'])
    .select(eb =>
      eb.fn<string>('substr', ['posts.text', eb.lit(1), eb.lit(unitsWithin(titleLength + 1))]).as('start'),
    )
    .where(dialectOf(db).inList(sql.ref('posts.id'), [...new Set(postIds)]))
    .execute();
  const dates = await deps.settings();
  const nameOf = ({ start, published_at }: (typeof posts)[number]) =>
    nameWithoutTitle(start, titleLength, formatDate(moment(published_at), dates));
  return new Map(posts.map(post => [post.id, post.title ?? nameOf(post)]));
}

function holdsAll(text: string, words: readonly string[]): boolean {
  // Most comments contain none of them, not even within other words.
  const folded = fold(text);
  if (!words.every(word => folded.includes(word))) return false;
  const missing = new Set(words.keys());
  for (const { word } of spansOf(text, words)) {
    missing.delete(word);
    if (missing.size === 0) return true;
  }
  return false;
}
