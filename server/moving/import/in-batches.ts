/** Rows that one statement inserts: PostgreSQL takes 65,535 parameters, SQLite 32,766. */
const batch = 500;

/** Inserts rows, so many in one statement; `insert` returns those that are new. Returns all of these. */
export async function inBatches<Row, Inserted>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<readonly Inserted[]>,
): Promise<Inserted[]> {
  const inserted: Inserted[] = [];
  for (let start = 0; start < rows.length; start += batch)
    inserted.push(...(await insert(rows.slice(start, start + batch))));
  return inserted;
}
