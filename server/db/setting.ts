import type { Kysely } from 'kysely';
import { dialectOf } from './dialect.ts';
import type { Tables } from './tables.ts';

type Name = Tables['settings']['name'];

/** A setting in the site's database; undefined if it was never set. */
export async function readSetting(db: Kysely<Tables>, name: Name): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

export async function writeSetting(db: Kysely<Tables>, name: Name, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict(conflict => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Locks a setting until the transaction ends; sets it first if it was never set. */
export async function lockSetting(trx: Kysely<Tables>, name: Name, initial: string): Promise<void> {
  await writeSettingOnce(trx, name, initial);
  const row = trx.selectFrom('settings').select('value').where('name', '=', name);
  await dialectOf(trx).forUpdate(row).execute();
}

/** Locks a setting against changes until the transaction ends, if it was set; others may hold it, too. */
export async function holdSetting(trx: Kysely<Tables>, name: Name): Promise<void> {
  const row = trx.selectFrom('settings').select('value').where('name', '=', name);
  await dialectOf(trx).shared(row).execute();
}

/** Sets a setting unless it is set. Another process may be first. */
export async function writeSettingOnce(db: Kysely<Tables>, name: Name, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict(conflict => conflict.column('name').doNothing())
    .execute();
}
