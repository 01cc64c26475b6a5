import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely';

/** Wraps a driver so that `note` is called after each committed write, and once after a transaction that wrote. */
export function noteWrites(driver: Driver, note: () => void): Driver {
  const transactions = new WeakMap<DatabaseConnection, { hasWritten: boolean }>();
  const seen = new WeakSet<DatabaseConnection>();
  const watch = (connection: DatabaseConnection) => {
    if (seen.has(connection)) return;
    seen.add(connection);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = async <R>(query: CompiledQuery, ...rest: []) => {
      const result = await execute<R>(query, ...rest);
      if (isWrite(query)) {
        const transaction = transactions.get(connection);
        if (transaction === undefined) note();
        else transaction.hasWritten = true;
      }
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
      transactions.set(connection, { hasWritten: false });
    },
    commitTransaction: async connection => {
      await driver.commitTransaction(connection);
      const hasWritten = transactions.get(connection)?.hasWritten;
      transactions.delete(connection);
      if (hasWritten) note();
    },
    rollbackTransaction: async connection => {
      transactions.delete(connection);
      await driver.rollbackTransaction(connection);
    },
  };
}

const writes = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode']);
const readingStatement =
  /^\s*(select|pragma|begin|commit|rollback|savepoint|release|with|set|show|explain|start)\b/i;

/** A statement of which only the text is known counts as a write unless it plainly reads. */
function isWrite({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'RawNode' ? !readingStatement.test(sql) : writes.has(query.kind);
}
