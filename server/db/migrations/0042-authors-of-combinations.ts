import { type Kysely, sql } from 'kysely';

/**
 * Posts name their authors to viewers who may read posts of several. The index tells for each combination of
 * tags whether one account wrote all its posts, without reading these. A post that loses its author or gets
 * one changes the answer as a published one does, so it is recorded with the same kind.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`create index posts_by_tag_set_author on posts (tag_set_id, author_id) where published_at is not null`.execute(
    db,
  );
  const on = 'after update of author_id on posts';
  const when = 'old.author_id is distinct from new.author_id and new.published_at is not null';
  const record = `insert into changes (kind, key) values ('published', '')`;
  if (engine === 'sqlite') {
    await sql.raw(`create trigger record_author ${on} when ${when} begin ${record}; end`).execute(db);
    return;
  }
  await sql
    .raw(
      `create function record_author() returns trigger language plpgsql as $$
      begin
        ${record};
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw(`create trigger record_author ${on} for each row when (${when}) execute function record_author()`)
    .execute(db);
}
