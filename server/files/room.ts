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

/**
 * Throws resource-exhausted where `wanted` bytes more would take more than the site's room for files, with all files and the
 * parts of uploads that are not finished.
 */
export async function requireRoom(
  { db, config }: { db: Kysely<Tables>; config: Pick<Config, 'filesQuotaBytes'> },
  wanted: number,
): Promise<void> {
  const { received } = await db
    .selectFrom('upload_sessions')
    .select(eb => eb.fn.sum<string | number | null>('received').as('received'))
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow();
  if ((await usedBytes(db)) + Number(received ?? 0) + wanted > config.filesQuotaBytes) {
    throw new AppError('resource-exhausted', 'There is no space left for files.');
  }
}
