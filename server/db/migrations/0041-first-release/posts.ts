import { type Kysely, sql } from 'kysely';
import type { Spelling } from './spelling.ts';

/** Tags, who may read them, and the combinations of tags that posts refer to (docs/decisions/0003). */
export const tags = ({ yes, counted }: Spelling) => [
  sql`create table tags (
    id text primary key,
    name text not null check (length(name) between 1 and 50),
    key text not null unique,
    is_listed boolean not null default ${yes}
  )`,
  sql`create table default_tags (
    tag_id text primary key references tags (id) on delete cascade
  )`,
  sql`create table approved_tags (
    user_id text not null references users (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (user_id, tag_id)
  )`,
  sql`create index approved_tags_by_tag on approved_tags (tag_id)`,
  sql`create table withheld_tags (
    user_id text not null references users (id) on delete cascade,
    tag_id text not null references tags (id) on delete cascade,
    primary key (user_id, tag_id)
  )`,

  sql`create table tag_sets (
    id ${counted},
    key text not null unique,
    published_count integer not null default 0 check (published_count >= 0)
  )`,
  // A tag of a post cannot be removed from the database: deleting a tag unlists it (decision 5).
  sql`create table tag_set_tags (
    tag_set_id integer not null references tag_sets (id) on delete cascade,
    tag_id text not null references tags (id) on delete restrict,
    primary key (tag_set_id, tag_id)
  )`,
  sql`create index tag_set_tags_by_tag on tag_set_tags (tag_id)`,
];

/** Posts, likes and comments. */
export const posts = [
  // The long texts are the last columns: SQLite can read the others without them.
  sql`create table posts (
    id text primary key,
    type text not null check (type in ('short', 'essay')),
    title text,
    description text,
    tag_set_id integer not null references tag_sets (id) on delete restrict,
    author_id text references users (id) on delete set null,
    published_at bigint,
    created_at bigint not null,
    updated_at bigint,
    like_count integer not null default 0 check (like_count >= 0),
    comment_count integer not null default 0 check (comment_count >= 0),
    save_key text,
    version integer not null default 1,
    content text not null,
    html text not null,
    readable text,
    text text not null,
    check ((type = 'essay') = (title is not null)),
    check ((type = 'essay') = (description is not null))
  )`,
  // The timeline uses the first index; for a viewer who may read little of a large site, the second.
  sql`create index posts_timeline on posts (published_at desc, id desc, tag_set_id) where published_at is not null`,
  sql`create index posts_by_tag_set on posts (tag_set_id, published_at desc, id desc) where published_at is not null`,
  // The lists of admins: all posts, drafts, and those of one author.
  sql`create index posts_by_creation on posts (created_at desc, id desc)`,
  sql`create index posts_drafts on posts (created_at desc, id desc) where published_at is null`,
  sql`create index posts_by_author on posts (author_id)`,
  sql`create index posts_by_author_created on posts (author_id, created_at, id)`,
  // A save that is repeated finds the post that the first one made.
  sql`create unique index posts_by_save_key on posts (save_key) where save_key is not null`,

  sql`create table likes (
    post_id text not null references posts (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    created_at bigint not null,
    primary key (post_id, user_id)
  )`,
  sql`create index likes_by_user on likes (user_id, created_at desc, post_id)`,

  sql`create table comments (
    id text primary key,
    post_id text not null references posts (id) on delete cascade,
    user_id text references users (id) on delete set null,
    author_name text,
    key text,
    content text not null check (length(content) between 1 and 5000),
    created_at bigint not null
  )`,
  sql`create index comments_by_post on comments (post_id, created_at desc, id desc)`,
  sql`create index comments_by_user on comments (user_id, created_at desc, id desc)`,
  sql`create unique index comments_by_key on comments (user_id, key)`,

  sql`create table old_addresses (
    address text primary key,
    post_id text not null references posts (id) on delete cascade
  )`,
  sql`create index old_addresses_by_post on old_addresses (post_id)`,
];

/**
 * The words of posts, for search. The program makes them (`words.ts`), so that both engines find the same:
 * neither engine's parser knows the marks of Indic, Thai and other scripts.
 */
export async function createSearch(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  for (const statement of engine === 'sqlite' ? searchOnSqlite : searchOnPostgres)
    await statement.execute(db);
}

/**
 * FTS5 stores only the index. Its rows have separate numbers, because `vacuum` may renumber those of posts.
 */
const searchOnSqlite = [
  sql`create table post_search_rows (number integer primary key, post_id text not null unique)`,
  // For this tokenizer everything beyond ASCII is a letter, so it gets words separated by spaces.
  sql`create virtual table post_search using fts5(
    words, content = '', contentless_delete = 1, tokenize = 'ascii'
  )`,
  sql`create trigger post_search_delete after delete on posts begin
    delete from post_search where rowid = (select number from post_search_rows where post_id = old.id);
    delete from post_search_rows where post_id = old.id;
  end`,
];

const searchOnPostgres = [
  sql`create table post_search (
    post_id text primary key references posts (id) on delete cascade,
    words tsvector not null
  )`,
  sql`create index post_search_words on post_search using gin (words)`,
  // The planner estimates a scan of all posts as cheaper than the index of words, because it does not count
  // that the words of long posts are stored outside their rows. A search for a rare word then read the words
  // of 100,000 posts, for half a second. Within this function it cannot choose that. Returns at most `most`
  // posts that hold all words of a query.
  sql`create function posts_with_words(query tsquery, most integer) returns setof text
    language sql stable set enable_seqscan = off
    as $$ select post_id from post_search where words @@ query limit most $$`,
];
