import { sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Before the first release the schema grew in migrations 0001 to 0040. They are one now, which makes the
 * same, and a database or an archive that had all of them goes on as one that had this one.
 */
const firstRelease = '0041-first-release';
const lastBefore = '0040-session-length';
/** The last commit that has these migrations. */
const commit = '58b6a0e';

/**
 * Whether these are all the migrations from before the release; each of them was only applied after those
 * before it.
 */
export const isAllBeforeRelease = (applied: readonly string[]) => applied.at(-1) === lastBefore;

/**
 * Whether a migration, not the last of them, is one from before the release: a number is never used again.
 */
export const isBeforeRelease = (name: string) => name < firstRelease && name !== lastBefore;

/** The migration of this program that makes the schema which another version calls by this name. */
export const nameSinceRelease = (name: string) => (name === lastBefore ? firstRelease : name);

/** What to do with a schema from before the release that lacks some of its migrations. */
export const adviceBeforeRelease =
  `It is from before the first release. Start Coterie of commit ${commit} on it once, then this version; ` +
  'an archive: restore it with that version and export it again.';

/**
 * Notes the one migration in place of those before the release. A process that comes second finds it done.
 */
export async function renameMigrations(trx: Transaction<Tables>): Promise<void> {
  const { numAffectedRows } = await sql`
    update migrations set name = ${firstRelease} where name = ${lastBefore}`.execute(trx);
  if (numAffectedRows === 1n) await sql`delete from migrations where name <> ${firstRelease}`.execute(trx);
}
