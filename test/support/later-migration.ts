import { type Kysely, sql } from 'kysely';
import { migrations } from '../../server/db/migrations/index.ts';
import type { Tables } from '../../server/db/tables.ts';

/** A migration after all others, for what must hold when a database is upgraded. */
export const laterMigration = '9999-word-counts';

const rowsAtOnce = 100;

/** Lets `run` meet the program of a later version, which counts the words of every post. */
export async function withLaterMigration<T>(run: () => Promise<T>): Promise<T> {
  migrations[laterMigration] = { up: countWords };
  try {
    return await run();
  } finally {
    delete migrations[laterMigration];
  }
}

async function countWords(db: Kysely<unknown>): Promise<void> {
  await sql`alter table posts add column word_count integer`.execute(db);
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; text: string }>`
      select id, text from posts where id > ${last} order by id limit ${rowsAtOnce}`.execute(db);
    for (const { id, text } of rows) {
      await sql`update posts set word_count = ${text.split(/\s+/).length} where id = ${id}`.execute(db);
    }
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    last = lastRow.id;
  }
}

/** How many posts there are, and how many of them the later migration has counted. */
export async function countedPosts(db: Kysely<Tables>): Promise<{ posts: number; counted: number }> {
  const { rows } = await sql<{ posts: string | number; counted: string | number }>`
    select count(*) as posts, count(word_count) as counted from posts`.execute(db);
  return { posts: Number(rows[0]?.posts), counted: Number(rows[0]?.counted) };
}
