import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqliteRecord } from './changes/sqlite-record.ts';
import { explain, untilUnlocked } from './sqlite-errors.ts';
import { SqliteLog } from './sqlite-log.ts';
import { type Watcher, watchedDriver } from './watched-driver.ts';

/** The most prepared statements of a handle; the application has far fewer. */
const preparedStatements = 500;

class Adapter extends SqliteAdapter {
  // Kysely's own adapter assumes one connection and no DDL in transactions. Ours reads while another handle
  // writes, and SQLite's DDL is transactional, so a failed migration leaves nothing behind.
  override get supportsMultipleConnections(): true {
    return true;
  }
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Kysely on `node:sqlite`: one handle reads, one writes; writers queue in this process, then for other
 * processes.
 */
export function sqliteDialect(path: string, record: SqliteRecord, watcher: Watcher): Dialect {
  return {
    createDriver: () => watchedDriver(new SqliteDriver(path, record), explain, watcher),
    createAdapter: () => new Adapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: db => new SqliteIntrospector(db),
  };
}

class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #record: SqliteRecord;
  #writer: Handle | undefined;
  #reader: Handle | undefined;
  /** Undefined on a file system without support for the log: there SQLite itself syncs. */
  #log: SqliteLog | undefined;
  readonly #writing = new Queue();

  constructor(path: string, record: SqliteRecord) {
    this.#path = path;
    this.#record = record;
  }

  async init(): Promise<void> {
    const writer = new Handle(new DatabaseSync(this.#path, { timeout: 0 }));
    // WAL lets the reader go on while a write is under way. With NORMAL a commit does not wait for the disk:
    // SqliteLog does, so that every acknowledged write outlives a power cut, not only a crash of the process
    // (docs/decisions/0002).
    const mode = writer.database.prepare('pragma journal_mode = wal').get()?.journal_mode;
    if (mode === 'wal') this.#log = new SqliteLog(`${this.#path}-wal`, () => emptyLog(writer.database));
    writer.database.exec(`pragma synchronous = ${this.#log === undefined ? 'full' : 'normal'}`);
    writer.database.exec('pragma foreign_keys = on');
    const reader = new Handle(new DatabaseSync(this.#path, { readOnly: true, timeout: 0 }));
    reader.database.exec('pragma query_only = on');
    for (const { database } of [writer, reader]) {
      database.exec('pragma cache_size = -65536');
      database.exec('pragma temp_store = memory');
      // The file is mapped into memory, so pages that the kernel holds are read without a copy.
      database.exec('pragma mmap_size = 268435456');
    }
    this.#record.open(reader.database);
    this.#writer = writer;
    this.#reader = reader;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#writer === undefined || this.#reader === undefined)
      throw new Error('The database is not open.');
    return new SqliteConnection(this.#writer, this.#reader, this.#writing, isChanged =>
      this.#durable(isChanged),
    );
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as SqliteConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#durable((connection as SqliteConnection).end('commit'));
  }

  async #durable(isChanged: boolean): Promise<void> {
    await (isChanged ? this.#log?.synced() : this.#log?.settled());
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    (connection as SqliteConnection).end('rollback');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const release = await this.#writing.acquire();
    try {
      await this.#log?.close();
    } finally {
      this.#record.close();
      this.#reader?.database.close();
      this.#writer?.database.close();
      release();
    }
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #writer: Handle;
  readonly #reader: Handle;
  readonly #writing: Queue;
  readonly #durable: (isChanged: boolean) => Promise<void>;
  #release: (() => void) | undefined;

  /** `durable` resolves once a commit is on the disk; if it changed nothing, once the data it read are. */
  constructor(
    writer: Handle,
    reader: Handle,
    writing: Queue,
    durable: (isChanged: boolean) => Promise<void>,
  ) {
    this.#writer = writer;
    this.#reader = reader;
    this.#writing = writing;
    this.#durable = durable;
  }

  async begin(): Promise<void> {
    const release = await this.#writing.acquire();
    try {
      // IMMEDIATE takes the write lock now, so that no transaction fails half way because it cannot get it.
      await untilUnlocked(() => this.#writer.execute(CompiledQuery.raw('begin immediate')));
    } catch (error) {
      release();
      throw error;
    }
    this.#release = release;
  }

  /** Returns whether anything was changed. */
  end(how: 'commit' | 'rollback'): boolean {
    // The transaction was committed, though the log could not be synced: one that is open on the handle now
    // is another one.
    if (this.#release === undefined) return false;
    try {
      if (this.#writer.database.isTransaction) this.#writer.execute(CompiledQuery.raw(how));
      return this.#writer.takeChanged();
    } finally {
      if (!this.#writer.database.isTransaction) {
        this.#release?.();
        this.#release = undefined;
      }
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#release !== undefined) return this.#writer.execute<R>(query);
    // A hand-written query is known by its first word.
    if (query.query.kind === 'SelectQueryNode' || /^\s*select\b/i.test(query.sql)) {
      // Another process locks the whole database for a moment when it opens or closes it.
      return await untilUnlocked(() => this.#reader.execute<R>(query));
    }
    const release = await this.#writing.acquire();
    let result: QueryResult<R>;
    let isChanged: boolean;
    try {
      result = await untilUnlocked(() => this.#writer.execute<R>(query));
      isChanged = this.#writer.takeChanged();
    } finally {
      release();
    }
    await this.#durable(isChanged);
    return result;
  }

  streamQuery(): never {
    throw new Error('Rows are read in pages.');
  }
}

type Prepared = { statement: StatementSync; hasRows: boolean; changesRowsAlone: boolean };

/** Statements that change nothing, or only rows, which SQLite counts. */
const rowsAlone = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;

class Handle {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  /** The number of changed rows when {@link takeChanged} was last called. */
  #rowsChanged = 0;
  #mayHaveChanged = false;

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    // `columns()` is called once: it builds its answer each time, which takes longer than a short query.
    const prepared = {
      statement,
      hasRows: statement.columns().length > 0,
      changesRowsAlone: rowsAlone.test(sql),
    };
    if (this.#statements.size >= preparedStatements) this.#statements.clear();
    this.#statements.set(sql, prepared);
    return prepared;
  }

  execute<R>(query: CompiledQuery): QueryResult<R> {
    const { statement, hasRows, changesRowsAlone } = this.#prepare(query.sql);
    const parameters = query.parameters.map(toSqlite);
    if (!changesRowsAlone) this.#mayHaveChanged = true;
    if (hasRows) return { rows: statement.all(...parameters) as R[] };
    return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
  }

  /** Whether anything may have changed since the last call. Rolled back changes count, too. */
  takeChanged(): boolean {
    const rowsChanged = Number(this.#prepare('select total_changes() as rows').statement.get()?.rows);
    const isChanged = this.#mayHaveChanged || rowsChanged !== this.#rowsChanged;
    [this.#rowsChanged, this.#mayHaveChanged] = [rowsChanged, false];
    return isChanged;
  }
}

/**
 * Writes the whole log into the database file, and syncs that to the disk. Returns false if a reader still
 * uses the log.
 */
export function emptyLog(database: DatabaseSync): boolean {
  if (database.isTransaction) return false;
  return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
}

function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  return value as SQLInputValue;
}

/** A lock, first come, first served: `acquire` resolves with the function that releases it. */
class Queue {
  #last: Promise<void> = Promise.resolve();

  async acquire(): Promise<() => void> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    return resolve;
  }
}
