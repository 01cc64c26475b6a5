import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely';
import { isDamage, Outage } from './outage.ts';

/** Receives the events of a driver. */
export type Watcher = {
  /** Called after each committed write, once after a transaction that wrote. */
  committed(): void;
  /** Called when a query first finds the database damaged. */
  noteDamage(damage: Outage): void;
};

export const nobody: Watcher = { committed: () => {}, noteDamage: () => {} };

/**
 * Wraps a driver: an error that `explain` has a sentence for is thrown as an {@link Outage}, others
 * unchanged. Once an error says that the database is damaged, nothing is written any more.
 */
export function watchedDriver(
  driver: Driver,
  explain: (error: unknown) => string | undefined,
  watcher: Watcher,
): Driver {
  let damage: Outage | undefined;
  const transactions = new WeakMap<DatabaseConnection, { hasWritten: boolean }>();
  const seen = new WeakSet<DatabaseConnection>();
  const explained = async <T>(run: Promise<T>): Promise<T> => {
    try {
      return await run;
    } catch (error) {
      const message = explain(error);
      if (message === undefined) throw error;
      const outage = new Outage(message, error);
      if (isDamage(outage) && damage === undefined) {
        damage = outage;
        watcher.noteDamage(outage);
      }
      throw outage;
    }
  };
  const refuseDamaged = () => {
    if (damage !== undefined) throw new Outage(damage.message, damage.cause);
  };
  const watch = (connection: DatabaseConnection) => {
    if (seen.has(connection)) return;
    seen.add(connection);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = async <R>(query: CompiledQuery, ...rest: []) => {
      if (isWrite(query)) refuseDamaged();
      const result = await explained(execute<R>(query, ...rest));
      if (isWrite(query)) {
        const transaction = transactions.get(connection);
        if (transaction === undefined) watcher.committed();
        else transaction.hasWritten = true;
      }
      return result;
    };
  };
  return {
    init: options => explained(driver.init(options)),
    destroy: options => driver.destroy(options),
    acquireConnection: async options => {
      const connection = await explained(driver.acquireConnection(options));
      watch(connection);
      return connection;
    },
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    beginTransaction: async (connection, settings) => {
      if (settings.accessMode !== 'read only') refuseDamaged();
      await explained(driver.beginTransaction(connection, settings));
      transactions.set(connection, { hasWritten: false });
    },
    commitTransaction: async connection => {
      await explained(driver.commitTransaction(connection));
      const hasWritten = transactions.get(connection)?.hasWritten;
      transactions.delete(connection);
      if (hasWritten) watcher.committed();
    },
    rollbackTransaction: async connection => {
      transactions.delete(connection);
      await explained(driver.rollbackTransaction(connection));
    },
  };
}

const writes = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode']);
const readingStatement =
  /^\s*(select|pragma|begin|commit|rollback|savepoint|release|with|set|show|explain|start)\b/i;

/** A statement known only by its text counts as a write unless it plainly reads. */
function isWrite({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'RawNode' ? !readingStatement.test(sql) : writes.has(query.kind);
}
