import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { type Filling, fillInBulk } from '../../db/fill.ts';
import { applyMigrations } from '../../db/migrate.ts';
import { columnsOf, listTables, type Row } from '../../db/table-columns.ts';
import type { Tables } from '../../db/tables.ts';
import { indexMissing } from '../../search/index-posts.ts';
import { readEntries, readPart } from './archive-reader.ts';
import { damaged, isStoredKey, kindOfPart, type Manifest, manifestName, storedKind } from './format.ts';
import type { ArchiveSource } from './source.ts';
import { keysOfRow } from './stored-files.ts';
import { archivedTables } from './tables.ts';

/** Lines that one statement takes, in UTF-16 units. */
const statementLength = 1024 * 1024;
/** What archives hold, under their names of today and of before 0094. No sessions, for example. */
const restoredKinds: ReadonlySet<string> = new Set([
  ...archivedTables.map(({ name }) => name),
  'accounts',
  storedKind,
]);
const searchTables = ['post_search', 'post_search_rows'];

/**
 * Fills a database that has the schema of the archive and no rows, brings it to the newest one, and makes the
 * index of words. Throws invalid-argument for rows that the schema does not know, the engine does not take or
 * no archive has.
 */
export async function restoreTables(
  trx: Transaction<Tables>,
  archive: ArchiveSource,
  manifest: Manifest,
): Promise<void> {
  const foreign = Object.keys(manifest.kinds).find(kind => !restoredKinds.has(kind));
  if (foreign !== undefined)
    throw new AppError('invalid-argument', `This archive has ${foreign}, which no archive of a site has.`);
  const tables = await listTables(trx);
  const kinds = Object.keys(manifest.kinds).filter(kind => tables.includes(kind));
  await fillInBulk(trx, kinds, async filling => {
    // The archive has the rows that migrations insert, too.
    for (const kind of kinds) await sql`delete from ${sql.table(kind)}`.execute(trx);
    await fillTables(trx, filling, archive, manifest);
  }).catch(error => {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid-argument', `The rows of the archive do not go together: ${error.message}`);
  });
  await applyMigrations(trx);
  const searched = (await listTables(trx)).filter(table => searchTables.includes(table));
  await fillInBulk(trx, searched, () => indexMissing(trx));
}

async function fillTables(
  trx: Transaction<Tables>,
  filling: Filling,
  archive: ArchiveSource,
  manifest: Manifest,
): Promise<void> {
  let left = Object.values(manifest.kinds).reduce((sum, { parts }) => sum + parts.length, 0);
  left -= manifest.kinds[storedKind]?.parts.length ?? 0;
  if (left === 0) return;
  for await (const entry of readEntries(archive)) {
    const kind = kindOfPart(entry.name);
    if (kind === undefined || kind === storedKind) continue;
    const { lines, sha256 } = await readPart(entry);
    const { columns: names = [], parts } = manifest.kinds[kind] ?? {};
    if (parts?.find(({ name }) => name === entry.name)?.sha256 !== sha256) throw damaged(entry.name);
    const columns = await columnsOf(trx, kind);
    if (columns.map(({ name }) => name).join() !== names.join()) {
      throw new AppError(
        'invalid-argument',
        `${manifestName} names other columns of ${kind} than ${manifest.schema} has.`,
      );
    }
    requirePlainIds(kind, lines, entry.name);
    for (const some of inStatements(lines)) {
      await filling.insert(kind, columns, some).catch((error: Error) => {
        if (error instanceof AppError) throw error;
        throw new AppError('invalid-argument', `${entry.name} could not be taken up: ${error.message}`);
      });
    }
    left -= 1;
    // The tables come first: what follows are the files.
    if (left === 0) return;
  }
}

/** Ids become names of files and keys of the store, which may lead to no other folder. */
function requirePlainIds(kind: string, lines: readonly string[], part: string): void {
  for (const line of lines) {
    const row = JSON.parse(line) as Row;
    const names = [
      String(row.id ?? 'none'),
      ...(kind === 'files' ? keysOfRow(row).map(({ key }) => key) : []),
    ];
    if (!names.every(isStoredKey)) throw damaged(part);
  }
}

function* inStatements(lines: readonly string[]): Generator<string[]> {
  let some: string[] = [];
  let length = 0;
  for (const line of lines) {
    some.push(line);
    length += line.length;
    if (length < statementLength) continue;
    yield some;
    some = [];
    length = 0;
  }
  if (some.length > 0) yield some;
}
