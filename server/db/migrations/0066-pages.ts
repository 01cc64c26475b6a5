import { type Kysely, sql } from 'kysely';

/**
 * Essays that stand in the navigation or the footer, and in no list by date. The indexes of such lists end
 * with the column, so that they still answer without reading a post.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const indexes = {
    posts_timeline: 'published_at desc, id desc, tag_set_id',
    posts_by_tag_set: 'tag_set_id, published_at desc, id desc',
    posts_pinned_first: 'is_pinned desc, published_at desc, id desc, tag_set_id',
    posts_pinned_first_by_tag_set: 'tag_set_id, is_pinned desc, published_at desc, id desc',
  };
  await sql`alter table posts add column shown_in text not null default 'timeline'`.execute(db);
  for (const [name, columns] of Object.entries(indexes)) {
    await sql.raw(`drop index ${name}`).execute(db);
    await sql
      .raw(`create index ${name} on posts (${columns}, shown_in) where published_at is not null`)
      .execute(db);
  }
  await sql`create index posts_pages on posts (published_at, id, tag_set_id) where shown_in <> 'timeline'`.execute(
    db,
  );
  const on = 'after update of shown_in on posts';
  const when = 'old.shown_in <> new.shown_in and new.published_at is not null';
  const record = `insert into changes (kind, key) values ('timeline', '')`;
  if (engine === 'sqlite') {
    await sql.raw(`create trigger record_shown_in ${on} when ${when} begin ${record}; end`).execute(db);
    return;
  }
  await sql
    .raw(
      `create function record_shown_in() returns trigger language plpgsql as $$
      begin
        ${record};
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger record_shown_in ${on} for each row when (${when}) execute function record_shown_in()`,
    )
    .execute(db);
}
