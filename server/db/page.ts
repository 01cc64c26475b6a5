import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { Moment } from '../../contract/values.ts';

/** A position in a list sorted by a value and then by id. */
export type Cursor = { isLeading?: boolean; sortedBy: number | string; id: string };

/** The order of a list, and the requested part. */
export type Keyset = {
  /** The columns that it is sorted by: a time or a name, or an expression; then the id that breaks ties. */
  columns: readonly [sortedBy: string | RawBuilder<unknown>, id: string];
  /** A flag whose rows come before all others, as pinned posts do (`is_pinned`). */
  leadingFlag?: string;
  direction: 'asc' | 'desc';
  /**
   * The type of the first column, so that no cursor compares it with another type, which PostgreSQL refuses.
   */
  sortedBy?: 'number' | 'text' | 'time';
  /** The `nextCursor` of the previous page; nothing for the first page. */
  after?: string | null | undefined;
  /** Rows on a page. */
  limit: number;
};

/** Some rows of a list, and where the next ones begin: null on the last page. */
export type Page<Row> = { rows: Row[]; nextCursor: string | null };

/**
 * One page of a list by keyset: rows that are added or deleted meanwhile make it neither skip nor repeat
 * others, and page 1,000 costs what page 1 does. `cursorOf` returns the position of a row. Throws
 * invalid-argument for an invalid cursor.
 */
export async function readPage<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  keyset: Keyset,
  cursorOf: (row: Row) => Cursor,
): Promise<Page<Row>> {
  return pageOf(await selectPage(query, keyset).execute(), keyset.limit, cursorOf);
}

/**
 * The query of {@link readPage}, for lists that select more about its rows. It selects one row more than the
 * page has.
 */
export function selectPage<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  { leadingFlag, columns, direction, sortedBy: kind = 'number', after, limit }: Keyset,
): SelectQueryBuilder<DB, Table, Row> {
  const keys = [...(leadingFlag === undefined ? [] : [leadingFlag]), ...columns].map(column =>
    typeof column === 'string' ? sql.ref(column) : column,
  );
  const order = sql.raw(direction);
  const sorted = keys.reduce((rows, key) => rows.orderBy(sql`${key} ${order}`), query.limit(limit + 1));
  if (!after) return sorted;
  const { isLeading, sortedBy, id } = decodeCursor(after, kind);
  const place = [...(leadingFlag === undefined ? [] : [Number(isLeading)]), sortedBy, id];
  const follows = sql.raw(direction === 'asc' ? '>' : '<');
  return sorted.where(sql<SqlBool>`(${sql.join(keys)}) ${follows} (${sql.join(place)})`);
}

/** The page that the rows of {@link selectPage} make. */
export function pageOf<Row>(found: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows,
    nextCursor: found.length > limit && last !== undefined ? encodeCursor(cursorOf(last)) : null,
  };
}

/** Ends a page before the first row that is one too many. Its first row always stays. */
export function pageUntil<Row>(
  page: Page<Row>,
  isTooMuch: (row: Row) => boolean,
  cursorOf: (row: Row) => Cursor,
): Page<Row> {
  const end = page.rows.findIndex((row, index) => isTooMuch(row) && index > 0);
  const last = page.rows[end - 1];
  return last === undefined
    ? page
    : { rows: page.rows.slice(0, end), nextCursor: encodeCursor(cursorOf(last)) };
}

/** The cursor of the rows after this position. */
export function encodeCursor({ isLeading = false, sortedBy, id }: Cursor): string {
  const place =
    typeof sortedBy === 'number' ? sortedBy.toString(36) : `~${Buffer.from(sortedBy).toString('base64url')}`;
  return `${isLeading ? '!' : ''}${place}.${id}`;
}

/** Whether a value may be compared with a column of each type. A time is ISO 8601, after 1970. */
const isComparable = {
  number: (value: Cursor['sortedBy']) => typeof value === 'number' && Number.isSafeInteger(value),
  text: (value: Cursor['sortedBy']) => typeof value === 'string' && !value.includes('\0'),
  time: (value: Cursor['sortedBy']) => Moment.safeParse(value).success && Date.parse(String(value)) > 0,
};

function decodeCursor(text: string, kind: keyof typeof isComparable): Cursor {
  const [, mark, time, name, id] =
    /^(!?)(?:(-?[0-9a-z]{1,11})|~([A-Za-z0-9_-]{0,200}))\.([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
  const sortedBy =
    name === undefined ? Number.parseInt(time ?? '', 36) : Buffer.from(name, 'base64url').toString();
  if (id === undefined || !isComparable[kind](sortedBy))
    throw new AppError('invalid-argument', 'Invalid cursor.');
  return { isLeading: mark === '!', sortedBy, id };
}
