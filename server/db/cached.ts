import type { Changes, TableName } from './changes.ts';

/**
 * A value computed from tables, computed again when one of them has changed. Callers that ask while it is being
 * computed share the answer.
 */
export function cached<T>(
  changes: Changes,
  tables: readonly TableName[],
  compute: () => Promise<T>,
): () => Promise<T> {
  let current: { version: number; value: Promise<T> } | undefined;
  return () => {
    const version = changes.version(tables);
    if (current?.version !== version) {
      const value = compute();
      const entry = { version, value };
      current = entry;
      value.catch(() => {
        if (current === entry) current = undefined;
      });
    }
    return current.value;
  };
}
