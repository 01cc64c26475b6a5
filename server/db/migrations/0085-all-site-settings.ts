import { type QueryExecutorProvider, sql } from 'kysely';

type Row = { name: string; value: string };
type Values = Record<string, unknown>;
type Stored = { values?: Values; before?: { values: Values } | null };

/** It ends older programs, which would look for the rows that go. */
export const endsOlder = true;

/**
 * Whether posts name their authors, and when comments close, are kept with the other settings; also in the
 * values to step back to, because the last change was of others.
 */
export async function up(db: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<Row>`select name, value from settings
    where name in ('names-authors', 'comments-close-after', 'site')`.execute(db);
  const {
    'names-authors': namesAuthors,
    'comments-close-after': days,
    site,
  } = Object.fromEntries(rows.map(({ name, value }): [string, string | undefined] => [name, value]));
  const moved = { ...(namesAuthors && { namesAuthors }), ...(days && { commentsCloseAfter: days }) };
  const { values, before, ...rest }: Stored = JSON.parse(site ?? '{}');
  const stored: Stored = {
    ...rest,
    values: { ...values, ...moved },
    ...(before && { before: { ...before, values: { ...before.values, ...moved } } }),
  };
  await sql`delete from settings where name in ('names-authors', 'comments-close-after')`.execute(db);
  if (Object.keys(moved).length === 0) return;
  await sql`insert into settings (name, value) values ('site', ${JSON.stringify(stored)})
    on conflict (name) do update set value = excluded.value`.execute(db);
}
