import { createHmac } from 'node:crypto';
import type { Insertable, Kysely } from 'kysely';
import { sql } from 'kysely';
import { digestOf } from '../../base/secrets.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { ImportedRow, Tables } from '../../db/tables.ts';

/** Bytes of a name that fit into an index of PostgreSQL with the rest of its row. */
const longestName = 2_000;

/** The stored form of a name: a long one is stored as its digest. */
function storedName(source: string): string {
  if (Buffer.byteLength(source) <= longestName) return source;
  return `sha256:${digestOf(source)}`;
}

/**
 * The records of imports, by which an import can be repeated: by the source's name and the item's id within
 * it.
 */
export async function findImported(db: Kysely<Tables>, source: string): Promise<ImportedRow | undefined> {
  return await db
    .selectFrom('imported')
    .selectAll()
    .where('source', '=', storedName(source))
    .executeTakeFirst();
}

/** The sources of this list that were imported before. */
export async function alreadyImported(db: Kysely<Tables>, sources: readonly string[]): Promise<Set<string>> {
  if (sources.length === 0) return new Set();
  const rows = await db
    .selectFrom('imported')
    .select('source')
    .where(dialectOf(db).inList(sql.ref('source'), sources.map(storedName)))
    .execute();
  const known = new Set(rows.map(row => row.source));
  return new Set(sources.filter(source => known.has(storedName(source))));
}

/** Whether a stored name belongs to a source; earlier versions named some sources nothing. */
export const isOfSource = (stored: string, source: string) =>
  source === '' ? !/^[^/]*:/.test(stored) : stored.startsWith(`${source}/`);

type Note = Omit<Insertable<Tables['imported']>, 'digest' | 'version'> &
  Partial<Pick<ImportedRow, 'digest' | 'version'>>;

/** Records what was imported, within the transaction that saves it. */
export async function noteImported(trx: Kysely<Tables>, note: Note | readonly Note[]): Promise<void> {
  const notes = [note].flat().map(one => ({
    digest: '',
    version: null,
    ...one,
    source: storedName(one.source),
  }));
  // PostgreSQL cannot write a row twice in one statement.
  const rows = [...new Map(notes.map(one => [one.source, one])).values()];
  if (rows.length === 0) return;
  await trx
    .insertInto('imported')
    .values(rows)
    .onConflict(conflict =>
      conflict.column('source').doUpdateSet(eb => ({
        target_id: eb.ref('excluded.target_id'),
        digest: eb.ref('excluded.digest'),
        version: eb.ref('excluded.version'),
      })),
    )
    .execute();
}

export async function renameImported(trx: Kysely<Tables>, from: string, to: string): Promise<void> {
  await trx
    .updateTable('imported')
    .set({ source: storedName(to) })
    .where('source', '=', storedName(from))
    .execute();
}

/**
 * The id of a post or an account that is imported for the first time: the one in programs and links
 * (`keepId`), unless something of another origin has it; otherwise {@link importedId}.
 */
export async function freeId(
  { db, secret }: { db: Kysely<Tables>; secret: string },
  table: 'posts' | 'users',
  source: string,
  keepId: string | undefined,
): Promise<string> {
  if (keepId === undefined || !/^[A-Za-z0-9_-]{1,64}$/.test(keepId)) return importedId(secret, source);
  const taken = await db.selectFrom(table).select('id').where('id', '=', keepId).executeTakeFirst();
  return taken === undefined ? keepId : importedId(secret, source);
}

/**
 * The id that an item of a source gets here: it looks random to anybody without the site's secret
 * (decision 3), and is the same each time, so that a link to a post can be written before that post is
 * imported.
 */
export function importedId(secret: string, source: string): string {
  return createHmac('sha256', secret).update(`import ${source}`).digest('base64url').slice(0, 16);
}
