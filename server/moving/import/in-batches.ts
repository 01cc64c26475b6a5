/** Rows that one statement inserts: PostgreSQL allows 65,535 parameters, SQLite 32,766. */
const batch = 500;

/** Inserts rows, {@link batch} per statement; `insert` returns the new ones. Returns all of these. */
export async function inBatches<Row, Inserted>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<readonly Inserted[]>,
): Promise<Inserted[]> {
  const inserted: Inserted[] = [];
  for (let start = 0; start < rows.length; start += batch)
    inserted.push(...(await insert(rows.slice(start, start + batch))));
  return inserted;
}
