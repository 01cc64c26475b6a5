import { type Kysely, sql } from 'kysely';

/**
 * Answers to comments, changed, deleted and hidden comments, reports of them, members who may not comment,
 * and posts that take no more comments. It ends older programs, which would show what is hidden.
 */
export const endsOlder = true;

export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`alter table comments
    add column parent_id text references comments (id) on delete set null`.execute(db);
  await sql`alter table comments add column edited_at bigint`.execute(db);
  await sql`alter table comments add column is_deleted boolean not null default false`.execute(db);
  await sql`alter table comments add column hidden_at bigint`.execute(db);
  await sql`alter table comments add column hidden_reason text`.execute(db);
  await sql`create index comments_by_parent on comments (parent_id, created_at, id)
    where parent_id is not null`.execute(db);
  await sql`create index comments_hidden on comments (hidden_at desc, id desc)
    where hidden_at is not null`.execute(db);
  await sql`create table comment_reports (
    comment_id text not null references comments (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    word text not null,
    created_at bigint not null,
    primary key (comment_id, user_id)
  )`.execute(db);
  await sql`create index comment_reports_by_user on comment_reports (user_id)`.execute(db);
  await sql`alter table users add column is_muted boolean not null default false`.execute(db);
  await sql`alter table posts add column comments_closed boolean not null default false`.execute(db);
  await sql`alter table posts add column comments_version integer not null default 0`.execute(db);
  await recordClosing(db, engine);
}

/** Open pages hear of a post that is closed to comments as they hear of its counts. */
async function recordClosing(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const on = 'after update of comments_closed on posts';
  const when = 'old.comments_closed <> new.comments_closed';
  const record = `insert into changes (kind, key) values ('counts', new.id)`;
  if (engine === 'sqlite') {
    await sql
      .raw(`create trigger record_comments_closed ${on} when ${when} begin ${record}; end`)
      .execute(db);
    return;
  }
  await sql
    .raw(
      `create function record_comments_closed() returns trigger language plpgsql as $$
      begin
        ${record};
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger record_comments_closed ${on} for each row when (${when})
      execute function record_comments_closed()`,
    )
    .execute(db);
}
