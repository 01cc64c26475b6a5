import type { Expression, Kysely, SqlBool } from 'kysely';
import type { Tables } from './tables.ts';

/** A post as it is found. */
export type SearchEntry = {
  post_id: string;
  /** Milliseconds: newer posts come first. */
  sortedAt: number;
  tag_set_id: number;
  published_at: number | null;
  type: 'short' | 'essay';
  has_pictures: boolean;
  /** Words, each perhaps after one of the signs `_-+`; they hold no space and no quotation mark. */
  tokens: readonly string[];
};

/** Of each group at least one token must be there, or one that begins with it. */
export type SearchQuery = readonly (readonly { token: string; isPrefix: boolean }[])[];

/**
 * The index as it is at one moment. Conditions are on the columns of `entries`, which are those of {@link
 * SearchEntry}.
 */
export type SearchReading = {
  /**
   * The posts that match one of these queries, those of an earlier one first, then the newest. Where a query
   * fills the limit, later ones are not asked.
   */
  best(
    queries: readonly SearchQuery[],
    where: { condition: Expression<SqlBool>; limit: number },
  ): Promise<string[]>;
  /** For each of these lists the place of the first query that a post matches, or -1: the quickest first. */
  matched(lists: readonly (readonly SearchQuery[])[], condition: Expression<SqlBool>): Promise<number[]>;
  /** Those of these tokens that some post has. */
  existing(tokens: readonly string[], condition: Expression<SqlBool>): Promise<string[]>;
};

/** The index by which posts are found, as each engine keeps it. */
export type PostSearch = {
  /** Makes posts findable by these tokens, in place of earlier ones. Within a transaction. */
  write(trx: Kysely<Tables>, entries: readonly SearchEntry[]): Promise<void>;
  /** Several searches; on PostgreSQL they all see the same state. */
  reading<T>(db: Kysely<Tables>, act: (reading: SearchReading) => Promise<T>): Promise<T>;
  /** Posts that are missing from the index, up to `most`: a program that does not write it has saved them. */
  missing(db: Kysely<Tables>, most: number): Promise<string[]>;
  /** Merges the parts in which the index was written: a search looks a word up in each of them. */
  mergeParts(db: Kysely<Tables>, stopping: AbortSignal): Promise<void>;
};

/**
 * Orders entries by time. Posts of the same millisecond share the numbers that follow; in SQLite the number
 * is the key of the entry.
 */
export const numberOf = ({ sortedAt }: SearchEntry) =>
  Math.max(-latest, Math.min(latest, Math.trunc(sortedAt))) * 1_024;
const latest = 2 ** 42;

/** The number with which the entries of a moment begin, for conditions on `entries.number`. */
export const firstNumberAt = (time: number) => time * 1_024;
