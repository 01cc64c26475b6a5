import type { CompiledQuery, DatabaseConnection, Driver, RootOperationNode } from 'kysely';
import type { Tables } from './tables.ts';

export type TableName = keyof Tables;

/** How often the writes of other processes are looked for while somebody waits for changes, in milliseconds. */
const lookEveryMs = 200;

/**
 * Tells caches when what they hold may be stale. Every committed write is noted by the tables that it touched, so
 * nobody has to remember to drop a cache: {@link trackWrites} sees each statement, and the engine reports what other
 * processes commit.
 */
export class Changes {
  readonly #counts = new Map<TableName, number>();
  #everything = 0;
  readonly #listeners = new Set<() => void>();
  #looking: NodeJS.Timeout | undefined;
  #isTelling = false;
  /** Set by an engine that has to look for the writes of other processes; calls `noteAll` when it finds any. */
  lookForForeignWrites: () => void = () => {};
  /** Since when the writes of other processes go unnoticed, in milliseconds: then nothing may be served from a cache. */
  blindSince: number | undefined;
  #looksInTheDark = 0;

  note(tables: Iterable<TableName>): void {
    for (const table of tables) this.#counts.set(table, (this.#counts.get(table) ?? 0) + 1);
    this.#tell();
  }

  noteAll(): void {
    this.#everything += 1;
    this.#tell();
  }

  /**
   * Calls `listener` soon after anything may have changed, once for changes that come together; `version` then tells
   * whether it concerns the listener. Returns the function that ends it.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    // Also while the line to the database is down: then every look counts as a change.
    this.#looking ??= setInterval(() => this.version([]), lookEveryMs).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    };
  }

  #tell(): void {
    if (this.#isTelling || this.#listeners.size === 0) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      for (const listener of this.#listeners) listener();
    });
  }

  /** A number that is never the same again once any of the tables may have changed. */
  version(tables: readonly TableName[]): number {
    this.lookForForeignWrites();
    if (this.blindSince !== undefined) {
      this.#looksInTheDark += 1;
      this.#tell();
    }
    return this.heard(tables) + this.#looksInTheDark;
  }

  /** As `version`, of what has been heard of: it stays while nothing can be heard, and is another afterwards. */
  heard(tables: readonly TableName[]): number {
    let version = this.#everything;
    for (const table of tables) version += this.#counts.get(table) ?? 0;
    return version;
  }
}

/** What a delete also changes, by foreign keys. SQLite tells nobody of it. */
const reachedByDelete: Partial<Record<TableName, readonly TableName[]>> = {
  users: ['sessions', 'access_tokens', 'approved_tags', 'posts', 'likes', 'comments'],
  posts: ['attachments', 'likes', 'comments'],
};

/** Wraps a driver so that committed writes are noted; those of a transaction only once it commits. */
export function trackWrites(driver: Driver, changes: Changes): Driver {
  const pending = new WeakMap<DatabaseConnection, Set<TableName | 'all'>>();
  const seen = new WeakSet<DatabaseConnection>();

  const noteTables = (tables: Iterable<TableName | 'all'>) => {
    for (const table of tables) {
      if (table === 'all') changes.noteAll();
      else changes.note([table]);
    }
  };
  const watch = (connection: DatabaseConnection) => {
    if (seen.has(connection)) return;
    seen.add(connection);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = async <R>(query: CompiledQuery, ...rest: []) => {
      const result = await execute<R>(query, ...rest);
      const tables = writtenTables(query.query, query.sql);
      const transaction = pending.get(connection);
      if (transaction === undefined) noteTables(tables);
      else for (const table of tables) transaction.add(table);
      return result;
    };
  };

  return {
    init: options => driver.init(options),
    destroy: options => driver.destroy(options),
    acquireConnection: async options => {
      const connection = await driver.acquireConnection(options);
      watch(connection);
      return connection;
    },
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    beginTransaction: async (connection, settings) => {
      await driver.beginTransaction(connection, settings);
      pending.set(connection, new Set());
    },
    commitTransaction: async connection => {
      await driver.commitTransaction(connection);
      const tables = pending.get(connection);
      pending.delete(connection);
      if (tables !== undefined) noteTables(tables);
    },
    rollbackTransaction: async connection => {
      pending.delete(connection);
      await driver.rollbackTransaction(connection);
    },
    ...(driver.savepoint && { savepoint: driver.savepoint.bind(driver) }),
    ...(driver.rollbackToSavepoint && { rollbackToSavepoint: driver.rollbackToSavepoint.bind(driver) }),
    ...(driver.releaseSavepoint && { releaseSavepoint: driver.releaseSavepoint.bind(driver) }),
  };
}

/** The tables that a statement writes to; `all` for one whose text alone is known; none for one that only reads. */
function writtenTables(node: RootOperationNode, sql: string): readonly (TableName | 'all')[] {
  if (node.kind === 'SelectQueryNode') return [];
  if (node.kind === 'InsertQueryNode') return [tableName(node.into)];
  if (node.kind === 'UpdateQueryNode') return [tableName(node.table)];
  if (node.kind === 'DeleteQueryNode') {
    const table = tableName(node.from.froms[0]);
    return [table, ...((table !== 'all' && reachedByDelete[table]) || [])];
  }
  return /^\s*(select|pragma|begin|commit|rollback|savepoint|release|with|set|show|explain|start)\b/i.test(
    sql,
  )
    ? []
    : ['all'];
}

function tableName(node: unknown): TableName | 'all' {
  const name = (node as { table?: { identifier?: { name?: string } } } | undefined)?.table?.identifier?.name;
  return (name as TableName | undefined) ?? 'all';
}
