import type { KyselyPlugin, RootOperationNode } from 'kysely';

/** A plugin of a database, and the syntax trees of the queries that it has seen. */
export function recordQueries(): { plugin: KyselyPlugin; queries: RootOperationNode[] } {
  const queries: RootOperationNode[] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      queries.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { plugin, queries };
}

/** A plugin of a database that acts once: when such a row has been read, and before its reader goes on. */
export function onceRead(
  isRow: (row: Record<string, unknown>) => boolean,
  act: () => Promise<unknown>,
): { plugin: KyselyPlugin; isDone: () => boolean } {
  let isDone = false;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (isDone || !result.rows.some(isRow)) return result;
      isDone = true;
      await act();
      return result;
    },
  };
  return { plugin, isDone: () => isDone };
}
