import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from './tables.ts';

export type SearchEntry = {
  post_id: string;
  /** Milliseconds: newer posts come first. */
  sortedAt: number;
  tag_set_id: number;
  published_at: number | null;
  type: 'short' | 'essay';
  has_pictures: boolean;
  /** Words, possibly with one of the signs `_-+` before; they contain no space and no quotation mark. */
  tokens: readonly string[];
};

/** Each group must match: a post needs at least one of its tokens, or a token that begins with one. */
export type SearchQuery = readonly (readonly { token: string; isPrefix: boolean }[])[];

/**
 * The index at one moment. Conditions are on the columns of `entries`, which are those of
 * {@link SearchEntry}, or made by {@link PostSearch.isBetween}.
 */
export type SearchReading = {
  /** Whether any post meets a condition, without a span of time, whatever words it has. */
  hasAny(condition: Expression<SqlBool>): Promise<boolean>;
  /** The newest posts that meet a condition, whatever words they have. */
  newest(where: { condition: Expression<SqlBool>; limit: number }): Promise<string[]>;
  /**
   * The posts that match one of these queries: those of an earlier query first, then the newest. If a query
   * fills the limit, later ones are not run.
   */
  best(
    queries: readonly SearchQuery[],
    where: { condition: Expression<SqlBool>; limit: number },
  ): Promise<string[]>;
  /**
   * For each of these lists the index of the first query that a post matches, or -1: the cheapest test first.
   */
  matched(lists: readonly (readonly SearchQuery[])[], condition: Expression<SqlBool>): Promise<number[]>;
  /** The tokens of this list that some post has. */
  existing(tokens: readonly string[], condition: Expression<SqlBool>): Promise<string[]>;
};

/** The search index of posts, as each engine stores it. */
export type PostSearch = {
  /** Makes posts findable by these tokens, replacing earlier ones. Within a transaction. */
  write(trx: Kysely<Tables>, entries: readonly SearchEntry[]): Promise<void>;
  /** Gives the entries of posts another combination of tags, without their tokens. Within a transaction. */
  move(trx: Kysely<Tables>, postIds: readonly string[], tagSetId: number): Promise<void>;
  /** A condition: the post is of this span of time. Milliseconds, without the end. */
  isBetween(from: number, until: number): Expression<SqlBool>;
  /** Several searches; on PostgreSQL they all see the same state. */
  reading<T>(db: Kysely<Tables>, act: (reading: SearchReading) => Promise<T>): Promise<T>;
  /**
   * Posts that are missing from the index, in the order of their ids, after one of them and up to `most`: a
   * migration or a restore has made it anew.
   */
  missing(db: Kysely<Tables>, after: string, most: number): Promise<string[]>;
  /** Merges the parts in which the index was written, because a search looks up a word in each part. */
  mergeParts(db: Kysely<Tables>, stopping: AbortSignal): Promise<void>;
};

/**
 * Orders entries by time. Posts of the same millisecond get consecutive numbers; in SQLite the number is the
 * key of the entry.
 */
export const numberOf = ({ sortedAt }: SearchEntry) =>
  Math.max(-latest, Math.min(latest, Math.trunc(sortedAt))) * numbersOfMoment;
const latest = 2 ** 42;
/** How many numbers a millisecond has. */
const numbersOfMoment = 1_024;

/** Whether the number of an entry, in this column, is of a span of time: {@link PostSearch.isBetween}. */
export const isNumberBetween = (column: RawBuilder<unknown>, from: number, until: number) =>
  sql<SqlBool>`${column} >= ${from * numbersOfMoment} and ${column} < ${until * numbersOfMoment}`;
