import { type Kysely, sql } from 'kysely';

/**
 * Searching posts by their words, an index of drafts, and the key that keeps a repeated save from making a second post.
 *
 * The words of a post stand beside it, kept in step by triggers, whoever writes the post. Both engines fold case and
 * accents. Only the first 200,000 characters are searched: what PostgreSQL takes for one post ends at 1 MiB of words.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  await sql`alter table posts add column save_key text`.execute(db);
  await sql`create unique index posts_by_save_key on posts (save_key) where save_key is not null`.execute(db);
  await sql`create index posts_drafts on posts (created_at desc, id desc) where published_at is null`.execute(
    db,
  );
  if (engine === 'sqlite') await searchOnSqlite(db);
  else await searchOnPostgres(db);
}

/** FTS5 keeps only the index. Its rows have numbers of their own, because `vacuum` may renumber those of posts. */
async function searchOnSqlite(db: Kysely<unknown>): Promise<void> {
  const words = (row: string) =>
    sql.raw(`coalesce(${row}.title, ''), coalesce(${row}.description, ''), substr(${row}.text, 1, 200000)`);
  const numberOf = (row: string) =>
    sql.raw(`(select number from post_search_rows where post_id = ${row}.id)`);
  const statements = [
    sql`create table post_search_rows (number integer primary key, post_id text not null unique)`,
    sql`create virtual table post_search using fts5(
      title, description, text,
      content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    )`,
    sql`insert into post_search_rows (post_id) select id from posts`,
    sql`insert into post_search (rowid, title, description, text)
      select post_search_rows.number, ${words('posts')} from posts
      join post_search_rows on post_search_rows.post_id = posts.id`,
    sql`create trigger post_search_insert after insert on posts begin
      insert into post_search_rows (post_id) values (new.id);
      insert into post_search (rowid, title, description, text) values (${numberOf('new')}, ${words('new')});
    end`,
    sql`create trigger post_search_update after update of title, description, text on posts begin
      delete from post_search where rowid = ${numberOf('new')};
      insert into post_search (rowid, title, description, text) values (${numberOf('new')}, ${words('new')});
    end`,
    sql`create trigger post_search_delete after delete on posts begin
      delete from post_search where rowid = ${numberOf('old')};
      delete from post_search_rows where post_id = old.id;
    end`,
  ];
  for (const statement of statements) await statement.execute(db);
}

/** Words are told apart by us and not by a text search parser, so that both engines find the same. */
async function searchOnPostgres(db: Kysely<unknown>): Promise<void> {
  // The database's own collation may be C, for which nothing beyond ASCII has a case.
  const { rows } = await sql`select 1 from pg_collation where collname = 'und-x-icu'`.execute(db);
  const collation = sql.raw(rows.length > 0 ? 'collate "und-x-icu"' : '');
  const statements = [
    sql`create function post_words(title text, description text, body text) returns tsvector
      language sql immutable as $$
        select coalesce(array_to_tsvector(array_agg(distinct word)), ''::tsvector)
        from regexp_split_to_table(
          lower(
            regexp_replace(
              normalize(coalesce(title, '') || ' ' || coalesce(description, '') || ' ' || left(body, 200000), NFD),
              '[\u0300-\u036f]+', '', 'g'
            ) ${collation}
          ) ${collation},
          '[^[:alnum:]]+'
        ) as word
        where length(word) between 1 and 100
      $$`,
    sql`create table post_search (
      post_id text primary key references posts (id) on delete cascade,
      words tsvector not null
    )`,
    sql`insert into post_search (post_id, words) select id, post_words(title, description, text) from posts`,
    sql`create index post_search_words on post_search using gin (words)`,
    sql`create function index_post_words() returns trigger language plpgsql as $$
      begin
        insert into post_search (post_id, words)
        values (new.id, post_words(new.title, new.description, new.text))
        on conflict (post_id) do update set words = excluded.words;
        return null;
      end
    $$`,
    sql`create trigger index_post_words after insert or update of title, description, text on posts
      for each row execute function index_post_words()`,
  ];
  for (const statement of statements) await statement.execute(db);
}
