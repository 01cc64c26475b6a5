import { type Kysely, sql } from 'kysely';

/** Lets the job of every minute merge any two parts of the search index, not only four of them. */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'postgres') return;
  await sql`insert into post_search (post_search, rank) values ('usermerge', 2)`.execute(db);
}
