import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Document } from './entity.ts';

/** Documents per transaction: a commit each would take most of the time. */
const batch = 5_000;

/**
 * The documents of an export, in any order, to be read by collection: a post's comments may be anywhere after
 * it. They are stored in a nameless SQLite file, which is deleted with the process, so that an export of any
 * size needs little memory.
 */
export class Documents {
  readonly #db = new DatabaseSync('');
  readonly #insert: StatementSync;
  readonly #at: StatementSync;
  #open = 0;

  constructor() {
    this.#db.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -16384');
    this.#db.exec(
      'create table documents (collection text, id text, fields text, primary key (collection, id)) without rowid',
    );
    this.#insert = this.#db.prepare('insert or replace into documents values (?, ?, ?)');
    this.#at = this.#db.prepare('select fields from documents where collection = ? and id = ?');
  }

  add({ path, fields }: Document): void {
    const slash = path.lastIndexOf('/');
    if (this.#open === 0) this.#db.exec('begin');
    this.#insert.run(path.slice(0, slash), path.slice(slash + 1), JSON.stringify(fields));
    this.#open += 1;
    if (this.#open === batch) this.#commit();
  }

  /** The documents of a collection (`posts`, `posts/abc/likes`) by id. */
  *in(collection: string): Generator<{ id: string; fields: Record<string, unknown> }> {
    this.#commit();
    // A statement of its own for each call: one list is read while another is still open.
    const statement = this.#db.prepare('select id, fields from documents where collection = ? order by id');
    for (const { id, fields } of statement.iterate(collection)) {
      yield { id: String(id), fields: JSON.parse(String(fields)) as Record<string, unknown> };
    }
  }

  at(collection: string, id: string): Record<string, unknown> | undefined {
    this.#commit();
    const row = this.#at.get(collection, id);
    return row && (JSON.parse(String(row.fields)) as Record<string, unknown>);
  }

  /** How many documents each top-level collection has, and how many are in subcollections by name. */
  count(): ReadonlyMap<string, number> {
    this.#commit();
    const rows = this.#db
      .prepare('select collection, count(*) as documents from documents group by collection')
      .all();
    const counts = new Map<string, number>();
    for (const { collection, documents } of rows) {
      const name = String(collection)
        .split('/')
        .filter((_, index) => index % 2 === 0)
        .join('/');
      counts.set(name, (counts.get(name) ?? 0) + Number(documents));
    }
    return counts;
  }

  close(): void {
    this.#db.close();
  }

  #commit(): void {
    if (this.#open > 0) this.#db.exec('commit');
    this.#open = 0;
  }
}
