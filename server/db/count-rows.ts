import type { SelectQueryBuilder } from 'kysely';

/** How many rows a query finds. */
export async function countRows<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
): Promise<number> {
  const counting = query.clearSelect().select(({ fn }) => fn.countAll<number>().as('count'));
  // The compiler does not know what a query of any tables selects.
  return ((await counting.executeTakeFirstOrThrow()) as { count: number }).count;
}
