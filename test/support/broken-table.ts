import type { Kysely } from 'kysely';
import { Outage, outages } from '../../server/db/outage.ts';
import type { Tables } from '../../server/db/tables.ts';

/** The same database, but each query whose first table is this one ends with an outage. */
export function brokenTable(db: Kysely<Tables>, table: keyof Tables, breaks = () => true): Kysely<Tables> {
  return db.withPlugin({
    transformQuery: ({ node }) => {
      const [first] = node.kind === 'SelectQueryNode' ? (node.from?.froms ?? []) : [];
      const name = first?.kind === 'TableNode' && 'table' in first ? JSON.stringify(first.table) : '';
      if (name.includes(`"${table}"`) && breaks()) throw new Outage(outages.gone, new Error('terminated'));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}
