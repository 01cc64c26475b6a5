import type { Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { type SitePicture, sitePictures } from '../../contract/site-pictures.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import { dayMs } from '../base/clock.ts';
import { versionOf } from '../base/version.ts';
import { readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { decode } from '../files/media/processes.ts';

/** The bytes of each size, in base64, by its width. */
type Sizes = Record<string, string>;
/** The JSON in the row of a picture. */
type Stored = { sizes: Sizes; uploadedAt: number };

/** An admin who has chosen a picture must save the form within this time, or choose it again. */
const unsavedMs = dayMs;

const rowOf = (digest: string) => `picture:${digest}` as const;

/**
 * Stores a picture of the site in all its sizes, without metadata. Returns the name by which a setting refers
 * to it. Throws invalid-argument if it is not a picture.
 */
export async function storeSitePicture(
  context: WriteContext,
  kind: SitePicture,
  bytes: Buffer,
): Promise<string> {
  const { sizes, ratio, type } = sitePictures[kind];
  const made: Sizes = {};
  for (const width of sizes) {
    made[width] = (
      await decode(context.by?.user?.id, 'croppedPicture', bytes, { width, ratio, type })
    ).toString('base64');
  }
  const digest = versionOf(made);
  const stored: Stored = { sizes: made, uploadedAt: context.clock() };
  await inTransaction(context, trx => writeSetting(trx, rowOf(digest), JSON.stringify(stored)));
  return digest;
}

const storedIn = (value: string): Stored => JSON.parse(value);

/** The pictures on pages, by name, as long as the settings that name them are cached. */
const shown = new WeakMap<SiteSettings, Map<string, Sizes>>();

/**
 * The bytes of one size; undefined if the site has no such picture. `onRead` is called before the database is
 * queried for one that no page shows: it was chosen and not saved yet, replaced, or made up.
 */
export async function readSitePicture(
  db: Kysely<Tables>,
  site: SiteSettings,
  digest: string,
  width: number,
  onRead: () => Promise<void>,
): Promise<Buffer | undefined> {
  const kept = shown.get(site) ?? new Map<string, Sizes>();
  shown.set(site, kept);
  const isShown = digest === site.icon || digest === site.cover;
  if (!isShown) await onRead();
  const sizes = kept.get(digest) ?? (await readSizes(db, digest));
  if (isShown && sizes !== undefined) kept.set(digest, sizes);
  const encoded = sizes?.[width];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
}

async function readSizes(db: Kysely<Tables>, digest: string): Promise<Sizes | undefined> {
  const value = await readSetting(db, rowOf(digest));
  return value === undefined ? undefined : storedIn(value).sizes;
}

/** Throws invalid-argument unless all these pictures are stored. */
export async function requireSitePictures(db: Kysely<Tables>, digests: readonly string[]): Promise<void> {
  for (const digest of digests) {
    const row = db.selectFrom('settings').select('name').where('name', '=', rowOf(digest));
    if ((await row.executeTakeFirst()) === undefined) {
      throw new AppError('invalid-argument', 'This picture is not there any more. Please choose it again.');
    }
  }
}

/**
 * Removes pictures that no setting refers to, except those uploaded within a day: another admin may be about
 * to save one.
 */
export async function removeSitePictures(
  trx: Kysely<Tables>,
  kept: readonly string[],
  now: number,
): Promise<void> {
  const rows = await trx.selectFrom('settings').selectAll().where('name', 'like', 'picture:%').execute();
  const names = new Set<string>(kept.map(rowOf));
  const unused = rows
    .filter(({ name, value }) => !names.has(name) && now >= storedIn(value).uploadedAt + unsavedMs)
    .map(({ name }) => name);
  if (unused.length > 0) await trx.deleteFrom('settings').where('name', 'in', unused).execute();
}
