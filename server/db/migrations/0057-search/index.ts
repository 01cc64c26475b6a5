import { type Kysely, sql } from 'kysely';
import { tokensOfPost } from './tokens.ts';

/**
 * One index for the search of readers and of those who manage posts (docs/decisions/0033-search.md). Programs
 * that do not know it would save posts that are not found.
 */
export const endsOlder = true;

type Post = {
  id: string;
  type: string;
  title: string | null;
  description: string | null;
  text: string;
  tag_set_id: number;
  published_at: number | null;
  created_at: number;
  shows_pictures: boolean | 0 | 1;
};

const postsAtOnce = 200;

export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const statement of engine === 'sqlite' ? onSqlite : onPostgres) await sql.raw(statement).execute(db);
  const tags = Map.groupBy(
    (
      await sql<{ tag_set_id: number; tag_id: string }>`select tag_set_id, tag_id from tag_set_tags`.execute(
        db,
      )
    ).rows,
    row => row.tag_set_id,
  );
  for (let after = ''; ; ) {
    const { rows: posts } =
      await sql<Post>`select id, type, title, description, text, tag_set_id, published_at,
      created_at, html like '%<img %' as shows_pictures
      from posts where id > ${after} order by id limit ${postsAtOnce}`.execute(db);
    for (const post of posts) await addPost(db, engine, post, tags.get(post.tag_set_id) ?? []);
    const last = posts.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  // After the rows: built at once, it takes a fraction of the time.
  if (engine === 'postgres') {
    await sql`create index post_search_tokens on post_search using gin (tokens)`.execute(db);
    await sql`create index post_search_by_number on post_search (number)`.execute(db);
  }
}

async function addPost(
  db: Kysely<unknown>,
  engine: 'sqlite' | 'postgres',
  { id, type, tag_set_id, published_at, created_at, shows_pictures, ...words }: Post,
  tags: readonly { tag_id: string }[],
): Promise<void> {
  const { rows: attachments } = await sql<{ name: string; description: string | null; type: string }>`
    select name, description, type from attachments where post_id = ${id}`.execute(db);
  const tokens = tokensOfPost({
    ...words,
    attachments: attachments.flatMap(({ name, description }) => [name, description ?? '']),
    tagIds: tags.map(tag => tag.tag_id),
  }).join(' ');
  const hasPictures = Boolean(shows_pictures) || attachments.some(file => file.type.startsWith('image/'));
  const latest = 2 ** 42;
  const number = Math.max(-latest, Math.min(latest, Math.trunc(Number(published_at ?? created_at)))) * 1_024;
  if (engine === 'postgres') {
    await sql`insert into post_search (post_id, number, tag_set_id, published_at, type, has_pictures, tokens)
      values (${id}, ${number}, ${tag_set_id}, ${published_at}, ${type}, ${hasPictures},
        array_to_tsvector(string_to_array(${`${tokens} @${Math.floor(number / 2 ** 41)}`}, ' ')))`.execute(
      db,
    );
    return;
  }
  for (let free = number, isAdded = false; !isAdded; free += 1) {
    const { rows } = await sql`insert into post_search_rows
      (number, post_id, tag_set_id, published_at, type, has_pictures)
      values (${free}, ${id}, ${tag_set_id}, ${published_at}, ${type}, ${hasPictures ? 1 : 0})
      on conflict (number) do nothing returning number`.execute(db);
    isAdded = rows.length > 0;
    if (isAdded) await sql`insert into post_search (rowid, tokens) values (${free}, ${tokens})`.execute(db);
  }
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
];
