import { type Kysely, sql } from 'kysely';

const postsAtOnce = 200;

type Post = { id: string; title: string | null; description: string | null; text: string };

/**
 * Words are made by the program and no longer by each engine in its own way: SQLite took the marks of Indic, Thai and
 * other scripts for the end of a word, PostgreSQL too, and a search term lost them, so nothing in these scripts was
 * found. All posts are indexed anew.
 */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const statements =
    engine === 'sqlite'
      ? [
          sql`drop trigger post_search_insert`,
          sql`drop trigger post_search_update`,
          sql`drop trigger post_search_delete`,
          sql`drop table post_search`,
          sql`delete from post_search_rows`,
          // Everything beyond ASCII is a letter to this tokenizer: it gets words with spaces between them.
          sql`create virtual table post_search using fts5(
            words, content = '', contentless_delete = 1, tokenize = 'ascii'
          )`,
          sql`create trigger post_search_delete after delete on posts begin
            delete from post_search where rowid = (select number from post_search_rows where post_id = old.id);
            delete from post_search_rows where post_id = old.id;
          end`,
        ]
      : [
          sql`drop trigger index_post_words on posts`,
          sql`drop function index_post_words()`,
          sql`drop function post_words(text, text, text)`,
          sql`delete from post_search`,
        ];
  for (const statement of statements) await statement.execute(db);

  for (let last = ''; ; ) {
    const { rows } = await sql<Post>`select id, title, description, substr(text, 1, 200000) as text
      from posts where id > ${last} order by id limit ${postsAtOnce}`.execute(db);
    for (const { id, title, description, text } of rows) {
      const words = wordsOf([title, description, text].join('\n'));
      if (engine === 'postgres') {
        await sql`insert into post_search (post_id, words)
          values (${id}, array_to_tsvector(cast(${[...new Set(words)]} as text[])))`.execute(db);
        continue;
      }
      await sql`insert into post_search_rows (post_id) values (${id})`.execute(db);
      await sql`insert into post_search (rowid, words)
        values ((select number from post_search_rows where post_id = ${id}), ${words.join(' ')})`.execute(db);
    }
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    last = lastRow.id;
  }
}

function wordsOf(text: string): string[] {
  const folded = text
    .slice(0, 200_000)
    .toWellFormed()
    .replaceAll(/(\p{M}{30})\p{M}+/gu, '$1')
    .normalize('NFD')
    .replaceAll(
      /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g,
      '',
    )
    .normalize('NFC')
    .slice(0, 200_000)
    .toLowerCase()
    .replaceAll('ς', 'σ');
  return folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]{0,99}/gu) ?? [];
}
