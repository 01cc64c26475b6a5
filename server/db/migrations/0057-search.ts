import { type Kysely, sql } from 'kysely';

/**
 * One index for the search of readers and of those who manage posts (docs/decisions/0033-search.md), which a
 * start fills (search/index-posts.ts). Programs that do not know it would save posts that are not found.
 */
export const endsOlder = true;

export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const statement of engine === 'sqlite' ? onSqlite : onPostgres) await sql.raw(statement).execute(db);
}

const onSqlite = [
  'drop trigger post_search_delete',
  'drop table post_search',
  'drop table post_search_rows',
  // The numbers order the entries by time, newest last.
  `create table post_search_rows (
    number integer primary key,
    post_id text not null unique,
    tag_set_id integer not null,
    published_at bigint,
    type text not null,
    has_pictures boolean not null
  )`,
  // For this tokenizer everything beyond ASCII is a letter. A search needs no places of words, but the posts
  // with words that begin with one, two or three letters at once.
  `create virtual table post_search using fts5(
    tokens, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3',
    tokenize = "ascii tokenchars '_-+'"
  )`,
  `create trigger post_search_delete after delete on posts begin
    delete from post_search where rowid = (select number from post_search_rows where post_id = old.id);
    delete from post_search_rows where post_id = old.id;
  end`,
];

const onPostgres = [
  'drop function posts_with_words',
  'drop table post_search',
  `create table post_search (
    post_id text primary key references posts (id) on delete cascade,
    number bigint not null,
    tag_set_id integer not null,
    published_at bigint,
    type text not null,
    has_pictures boolean not null,
    tokens tsvector not null
  )`,
  // A search reads the short columns of many rows, and the tokens of none: they are kept beside the table.
  'alter table post_search alter column tokens set storage external',
  'alter table post_search set (toast_tuple_target = 128)',
  'create index post_search_tokens on post_search using gin (tokens)',
  'create index post_search_by_number on post_search (number)',
];
