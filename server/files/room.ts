import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import type { Tables } from '../db/tables.ts';

/** Bytes that all files have together; checked again when a file is finished, because others have been meanwhile. */
export async function usedBytes(db: Kysely<Tables>): Promise<number> {
  const total = await db
    .selectFrom('totals')
    .select('value')
    .where('name', '=', 'file-bytes')
    .executeTakeFirst();
  return total?.value ?? 0;
}

/** The bytes that are left of the site's room by all files and the parts of uploads that are not finished; 0 at least. */
export async function freeBytes({
  db,
  config,
}: {
  db: Kysely<Tables>;
  config: Pick<Config, 'filesQuotaBytes'>;
}): Promise<number> {
  const { received } = await db
    .selectFrom('upload_sessions')
    .select(eb => eb.fn.sum<string | number | null>('received').as('received'))
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Math.max(0, config.filesQuotaBytes - (await usedBytes(db)) - Number(received ?? 0));
}

/** Throws resource-exhausted where `wanted` bytes are more than are left ({@link freeBytes}). */
export async function requireRoom(deps: Parameters<typeof freeBytes>[0], wanted: number): Promise<void> {
  if (wanted > (await freeBytes(deps))) {
    throw new AppError('resource-exhausted', 'There is no space left for files.');
  }
}
