import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { Config } from '../../config.ts';
import type { Tables } from '../../db/tables.ts';

type QuotaDeps = { db: Kysely<Tables>; config: Pick<Config, 'filesQuotaBytes'> };

/** The bytes of all files together. */
export async function usedBytes(db: Kysely<Tables>): Promise<number> {
  const total = await db
    .selectFrom('totals')
    .select('value')
    .where('name', '=', 'file-bytes')
    .executeTakeFirst();
  return total?.value ?? 0;
}

/** The bytes of the site's quota that neither files nor parts of unfinished uploads use; at least 0. */
export async function freeBytes({ db, config }: QuotaDeps): Promise<number> {
  const { received } = await db
    .selectFrom('upload_sessions')
    .select(eb => eb.fn.sum<string | number | null>('received').as('received'))
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow();
  return Math.max(0, config.filesQuotaBytes - (await usedBytes(db)) - Number(received ?? 0));
}

/** Throws resource-exhausted if `wanted` bytes are more than are left ({@link freeBytes}). */
export async function requireQuota(deps: QuotaDeps, wanted: number): Promise<void> {
  if (wanted > (await freeBytes(deps))) throw quotaExceeded();
}

export const quotaExceeded = () => new AppError('resource-exhausted', 'There is no space left for files.');
