import { type Kysely, sql } from 'kysely';

/**
 * Each update of a post is recorded but those of its counts, whatever columns later migrations add. So a
 * statement that changes a count changes nothing else that is shown.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  // Its number is the index of the trigger in the array of 0041-first-release.
  const name = 'record_change_4';
  const isSame = ['like_count', 'comment_count', 'comments_version'].map(
    count => `old.${count} = new.${count}`,
  );
  const [dropped, body] =
    engine === 'sqlite'
      ? [name, `begin insert into changes (kind, key) select 'post', new.id; end`]
      : [`${name} on posts`, `execute function ${name}()`];
  await sql.raw(`drop trigger ${dropped}`).execute(db);
  await sql
    .raw(`create trigger ${name} after update on posts for each row when (${isSame.join(' and ')}) ${body}`)
    .execute(db);
}
