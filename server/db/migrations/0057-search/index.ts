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
    await addPosts(db, engine, await entriesOf(db, posts, tags));
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

type Entry = Pick<Post, 'type' | 'tag_set_id' | 'published_at'> & {
  post_id: string;
  number: number;
  has_pictures: boolean;
  tokens: string;
};

async function entriesOf(
  db: Kysely<unknown>,
  posts: readonly Post[],
  tags: ReadonlyMap<number, readonly { tag_id: string }[]>,
): Promise<Entry[]> {
  const [first, last] = [posts[0], posts.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { rows } = await sql<{ post_id: string; name: string; description: string | null; type: string }>`
    select post_id, name, description, type from attachments
    where post_id between ${first.id} and ${last.id}`.execute(db);
  const attachments = Map.groupBy(rows, row => row.post_id);
  return posts.map(({ id, type, tag_set_id, published_at, created_at, shows_pictures, ...words }) => {
    const attached = attachments.get(id) ?? [];
    const latest = 2 ** 42;
    const moment = Math.max(-latest, Math.min(latest, Math.trunc(Number(published_at ?? created_at))));
    return {
      post_id: id,
      number: moment * 1_024,
      type,
      tag_set_id,
      published_at,
      has_pictures: Boolean(shows_pictures) || attached.some(file => file.type.startsWith('image/')),
      tokens: tokensOfPost({
        ...words,
        attachments: attached.flatMap(({ name, description }) => [name, description ?? '']),
        tagIds: (tags.get(tag_set_id) ?? []).map(tag => tag.tag_id),
      }).join(' '),
    };
  });
}

async function addPosts(
  db: Kysely<unknown>,
  engine: 'sqlite' | 'postgres',
  entries: readonly Entry[],
): Promise<void> {
  if (engine === 'sqlite') {
    for (const entry of entries) await addOnSqlite(db, entry);
    return;
  }
  for (const some of inStatements(entries)) {
    await sql`insert into post_search (post_id, number, tag_set_id, published_at, type, has_pictures, tokens)
      select post_id, number, tag_set_id, published_at, type, has_pictures,
        array_to_tsvector(string_to_array(tokens, ' '))
      from jsonb_to_recordset(cast(${JSON.stringify(some.map(withBlock))} as jsonb)) as rows (
        post_id text, number bigint, tag_set_id integer, published_at bigint, type text, has_pictures boolean,
        tokens text)`.execute(db);
  }
}

const withBlock = (entry: Entry): Entry => ({
  ...entry,
  tokens: `${entry.tokens} @${Math.floor(entry.number / 2 ** 41)}`,
});

/** Tokens that one statement takes, in UTF-16 units: a long post has a million. */
const statementLength = 4_000_000;

function* inStatements(entries: readonly Entry[]): Generator<Entry[]> {
  let some: Entry[] = [];
  let length = 0;
  for (const entry of entries) {
    some.push(entry);
    length += entry.tokens.length;
    if (length < statementLength) continue;
    yield some;
    some = [];
    length = 0;
  }
  if (some.length > 0) yield some;
}

async function addOnSqlite(db: Kysely<unknown>, entry: Entry): Promise<void> {
  const { post_id, number, tag_set_id, published_at, type, has_pictures, tokens } = entry;
  for (let free = number, isAdded = false; !isAdded; free += 1) {
    const { rows } = await sql`insert into post_search_rows
      (number, post_id, tag_set_id, published_at, type, has_pictures)
      values (${free}, ${post_id}, ${tag_set_id}, ${published_at}, ${type}, ${has_pictures ? 1 : 0})
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
