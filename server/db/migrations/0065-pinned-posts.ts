import { type Kysely, sql } from 'kysely';

/**
 * Pinned posts stand before all others in the timeline. The indexes by date stay: the archive, the feed and
 * neighbours are by date alone.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  // Its number is the index of the trigger in the array of 0041-first-release. This adds the column that
  // changes the order of the timeline.
  const name = 'record_change_5';
  const when = `(old.published_at is not null or new.published_at is not null) and
    (old.tag_set_id is distinct from new.tag_set_id or old.published_at is distinct from new.published_at
      or old.is_pinned is distinct from new.is_pinned)`;
  const [dropped, body] =
    engine === 'sqlite'
      ? [name, `begin insert into changes (kind, key) select 'timeline', ''; end`]
      : [`${name} on posts`, `execute function ${name}()`];
  for (const statement of [
    'alter table posts add column is_pinned boolean not null default false',
    `create index posts_pinned_first on posts (is_pinned desc, published_at desc, id desc, tag_set_id)
      where published_at is not null`,
    `create index posts_pinned_first_by_tag_set on posts (tag_set_id, is_pinned desc, published_at desc, id desc)
      where published_at is not null`,
    `drop trigger ${dropped}`,
    `create trigger ${name} after update of tag_set_id, published_at, is_pinned on posts
      for each row when (${when}) ${body}`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
