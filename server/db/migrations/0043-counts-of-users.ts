import { type Kysely, sql } from 'kysely';

/**
 * The tables from which a large site answers lists of accounts and "who can read this": how many accounts
 * have the same approved tags, and by which letters an account is found. Triggers note which accounts have
 * changed, whichever program changes them, and `accounts/members/count-users.ts` counts them a few at a time.
 * So this migration only notes all accounts, and the site does not wait for the counting
 * (docs/decisions/0025-counts-of-users.md).
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  // Locks both tables first: a writer waits here, and not later for a lock that this migration already has.
  if (engine === 'postgres')
    await sql`lock table approved_tags, users in share row exclusive mode`.execute(db);
  // Admins are few among many accounts.
  await sql`create index users_admins on users (username, id) where is_admin`.execute(db);
  // Each new count gets a number.
  const counted = sql.raw(
    engine === 'sqlite'
      ? 'integer primary key autoincrement'
      : 'bigint primary key generated always as identity',
  );
  await sql`create table stale_users (user_id text primary key, marks integer not null default 1)`.execute(
    db,
  );
  // The key is a digest of the list and the tags, which can be too long for an index.
  await sql`create table user_counts (
    id ${counted},
    key text not null unique,
    list text not null,
    tags text not null,
    users integer not null
  )`.execute(db);
  await sql`create table counted_users (
    number ${counted},
    user_id text not null unique,
    count_id bigint not null
  )`.execute(db);
  for (const statement of engine === 'sqlite' ? onSqlite : onPostgres) await sql.raw(statement).execute(db);
  await sql`insert into stale_users (user_id) select id from users order by id`.execute(db);
}

/** The columns of an account that counts, lists and searches use. */
const usersEvents = [
  ['insert', 'new.id'],
  ['update of status, is_admin, username, name, email', 'new.id'],
  ['delete', 'old.id'],
] as const;
const tagsEvents = [
  ['insert', 'new.user_id'],
  ['delete', 'old.user_id'],
] as const;

/** An existing mark is written again, so that the counting waits for this transaction or comes after it. */
const mark = (id: string) =>
  `insert into stale_users (user_id) values (${id}) on conflict (user_id) do update set marks = stale_users.marks + 1;`;

const triggers = [
  ...usersEvents.map(([event, id]) => ({ table: 'users', event, id })),
  ...tagsEvents.map(([event, id]) => ({ table: 'approved_tags', event, id })),
].map((trigger, index) => ({ ...trigger, name: `note_stale_user_${index}` }));

const onSqlite = [
  // The index holds sequences of one to three letters, each written in hexadecimal digits.
  `create virtual table user_search using fts5(
    letters, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  ...triggers.map(
    ({ table, event, id, name }) => `create trigger ${name} after ${event} on ${table} begin ${mark(id)} end`,
  ),
];

const onPostgres = [
  'create table user_search (user_id text primary key, letters text[] not null)',
  'create index user_search_letters on user_search using gin (letters)',
  // As `posts_with_words`: the planner must not look through all accounts.
  `create function users_with_letters(wanted text[], most integer) returns setof text
    language sql stable set enable_seqscan = off
    as $$ select user_id from user_search where letters @> wanted limit most $$`,
  ...triggers.flatMap(({ table, event, id, name }) => [
    `create function ${name}() returns trigger language plpgsql as $$
    begin
      ${mark(id)}
      return null;
    end $$`,
    `create trigger ${name} after ${event} on ${table} for each row execute function ${name}()`,
  ]),
];
