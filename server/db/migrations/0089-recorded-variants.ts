import { type Kysely, sql } from 'kysely';

/**
 * What was made of a file is recorded as a change of the posts that carry it: the podcast named the type and
 * the size of a sound as it was uploaded, which is not what its address answers once it is prepared.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const name = 'record_file_variants';
  const record = `insert into changes (kind, key) select 'post', post_id from post_files where file_id = new.id;`;
  if (engine === 'postgres') {
    const body = `begin ${record} return null; end`;
    await sql.raw(`create function ${name}() returns trigger language plpgsql as $$ ${body} $$`).execute(db);
  }
  const does = engine === 'sqlite' ? `begin ${record} end` : `for each row execute function ${name}()`;
  await sql.raw(`create trigger ${name} after update of variants on files ${does}`).execute(db);
}
