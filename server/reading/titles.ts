import { type ExpressionBuilder, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { type DateStyle, formatDate, moment } from '../../contract/date.ts';
import { cutMarks } from '../../contract/marks.ts';
import type { TitledPost } from '../../contract/reading.ts';
import { nameWithoutTitle, unitsWithin } from '../../contract/text.ts';
import { type Keyset, selectPage } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';

/** The length of a short post's title, which is its first words, in characters. */
const titleCharacters = 80;

type TitledRow = { id: string; title: string | null; words: string; publishedAt: number };

/**
 * A page of these posts by publication, with one more if others follow. Words are selected only for the page:
 * PostgreSQL would compute them before it sorts.
 */
export async function readTitled(
  db: Kysely<Tables>,
  listed: SelectQueryBuilder<Tables, 'posts', object>,
  { direction, after, limit }: Pick<Keyset, 'direction' | 'after' | 'limit'>,
): Promise<TitledRow[]> {
  const columns = ['posts.published_at', 'posts.id'] as const;
  const page = listed.select(['posts.id', sql<number>`posts.published_at`.as('publishedAt')]);
  return await db
    .selectFrom(selectPage(page, { columns, direction, after, limit }).as('page'))
    .innerJoin('posts', 'posts.id', 'page.id')
    .select(['posts.id', 'posts.title', 'page.publishedAt'])
    .select(wordsOfShortPost)
    .orderBy('page.publishedAt', direction)
    .orderBy('page.id', direction)
    .execute();
}

/** An essay's text is not read: it can be a book. */
function wordsOfShortPost(eb: ExpressionBuilder<Tables, 'posts'>) {
  const read = unitsWithin(titleCharacters + 1) + 1;
  const start = eb.fn<string>('substr', ['posts.text', eb.lit(1), eb.lit(read)]);
  return eb.case().when('posts.type', '=', 'short').then(start).else('').end().as('words');
}

export function titledPost({ id, title, words, publishedAt }: TitledRow, style: DateStyle): TitledPost {
  const date = moment(publishedAt);
  const publishedOn = formatDate(date, style);
  return {
    postId: id,
    title: cutMarks(title ?? nameWithoutTitle(words, titleCharacters, publishedOn)),
    publishedAt: date,
    publishedOn,
  };
}
