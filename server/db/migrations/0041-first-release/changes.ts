import { type Kysely, sql } from 'kysely';

/**
 * The record of changes: triggers add what each write changes, by its row, in the same transaction, so that
 * no code can forget it. Later migrations have replaced some of these triggers and added others:
 * docs/decisions/0015 lists them as they stand.
 *
 * On PostgreSQL sequence numbers are not the order of commits, so each row has its transaction: a reader
 * takes the rows of all transactions that its last poll could not see.
 */
export async function recordChanges(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  if (engine === 'sqlite') {
    await sql`create table changes (
      seq integer primary key autoincrement,
      kind text not null,
      key text not null default '',
      at integer not null default (cast(unixepoch('subsec') * 1000 as integer))
    )`.execute(db);
  } else {
    await sql`create table changes (
      seq bigint not null generated always as identity,
      xid xid8 not null default pg_current_xact_id(),
      kind text not null,
      key text not null default '',
      at bigint not null default (extract(epoch from clock_timestamp()) * 1000),
      primary key (xid, seq)
    )`.execute(db);
  }
  for (const [index, trigger] of triggers.entries()) {
    if (engine === 'sqlite') await createOnSqlite(db, trigger, index);
    else await createOnPostgres(db, trigger, index);
  }
}

type Trigger = {
  table: string;
  on: string;
  when?: string;
  /** What is inserted into `changes (kind, key)`. */
  rows: string;
};

const row = (kind: string, key = "''") => `select '${kind}', ${key}`;
const both = (...rows: string[]) => rows.join(' union all ');
const isPublished = (of: 'new' | 'old') => `${of}.published_at is not null`;

/**
 * All columns except the counts, which change far more often. Since 0064 the trigger names the counts
 * instead, so that later columns need not be listed.
 */
const shownOfPosts =
  'type, title, description, tag_set_id, author_id, published_at, created_at, updated_at, version, content, html, text';

const triggers: Trigger[] = [
  { table: 'posts', on: 'insert', rows: row('post', 'new.id') },
  { table: 'posts', on: 'insert', when: isPublished('new'), rows: row('timeline') },
  { table: 'posts', on: 'delete', rows: row('post', 'old.id') },
  { table: 'posts', on: 'delete', when: isPublished('old'), rows: row('timeline') },
  { table: 'posts', on: `update of ${shownOfPosts}`, rows: row('post', 'new.id') },
  {
    table: 'posts',
    on: 'update of tag_set_id, published_at',
    when: `(${isPublished('old')} or ${isPublished('new')}) and
      (old.tag_set_id is distinct from new.tag_set_id or old.published_at is distinct from new.published_at)`,
    rows: row('timeline'),
  },
  {
    table: 'posts',
    on: 'update of like_count, comment_count',
    when: 'old.like_count <> new.like_count or old.comment_count <> new.comment_count',
    rows: row('counts', 'new.id'),
  },
  ...everyWrite('attachments', of => row('post', `${of}.post_id`)),
  ...everyWrite('post_files', of => row('post', `${of}.post_id`)),
  {
    table: 'files',
    on: 'update of width, height, placeholder',
    rows: "select 'post', post_id from post_files where file_id = new.id",
  },
  ...everyWrite('likes', of => row('likes', `${of}.user_id`)),
  ...everyWrite('comments', of => row('comment', `${of}.post_id || '/' || ${of}.id`)),
  { table: 'users', on: 'update', rows: row('viewer', 'new.id') },
  { table: 'users', on: 'delete', rows: row('viewer', 'old.id') },
  ...everyWrite('approved_tags', of => row('viewer', `${of}.user_id`)),
  { table: 'sessions', on: 'update', rows: row('session', 'new.id') },
  { table: 'sessions', on: 'delete', rows: row('session', 'old.id') },
  {
    table: 'access_tokens',
    on: 'update',
    // All columns except the time of its last use, which changes no answer.
    when: 'old.last_used_at is not distinct from new.last_used_at',
    rows: row('token', 'new.id'),
  },
  { table: 'access_tokens', on: 'delete', rows: row('token', 'old.id') },
  ...everyWrite('tags', () => row('tags')),
  ...everyWrite('default_tags', () => row('tags')),
  ...everyWrite('tag_set_tags', () => row('tags')),
  { table: 'tag_sets', on: 'insert', rows: both(row('tags'), row('published')) },
  { table: 'tag_sets', on: 'delete', rows: both(row('tags'), row('published')) },
  {
    table: 'tag_sets',
    on: 'update of published_count',
    when: 'old.published_count <> new.published_count',
    rows: row('published'),
  },
  ...everyWrite('settings', () => row('settings')),
];

function everyWrite(table: string, rows: (of: 'new' | 'old') => string): Trigger[] {
  return [
    { table, on: 'insert', rows: rows('new') },
    { table, on: 'update', rows: rows('new') },
    { table, on: 'delete', rows: rows('old') },
  ];
}

async function createOnSqlite(db: Kysely<unknown>, { table, on, when, rows }: Trigger, index: number) {
  await sql
    .raw(
      `create trigger record_change_${index} after ${on} on ${table} ${when === undefined ? '' : `when ${when}`}
      begin insert into changes (kind, key) ${rows}; end`,
    )
    .execute(db);
}

async function createOnPostgres(db: Kysely<unknown>, { table, on, when, rows }: Trigger, index: number) {
  await sql
    .raw(
      `create function record_change_${index}() returns trigger language plpgsql as $$
      begin
        insert into changes (kind, key) ${rows};
        return null;
      end $$`,
    )
    .execute(db);
  await sql
    .raw(
      `create trigger record_change_${index} after ${on} on ${table} for each row
      ${when === undefined ? '' : `when (${when})`} execute function record_change_${index}()`,
    )
    .execute(db);
}
