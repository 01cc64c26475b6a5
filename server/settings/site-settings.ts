import type { Kysely } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import {
  initialSettings,
  type SettingName,
  SiteSettings,
  type SomeSettings,
  settingNames,
  siteSettings,
} from '../../contract/site-settings.ts';
import type { ReadContext } from '../access/context.ts';
import type { Config } from '../config.ts';
import { cached } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { lockSetting, readSetting, writeSetting } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';
import { inTransaction, type WriteContext } from '../db/transaction.ts';
import { recordHistory } from '../history/write.ts';
import { removeSitePictures, requireSitePictures } from './pictures.ts';

type Values = Partial<Record<SettingName, unknown>>;

/** The settings that admins have changed, as stored in the row `site`. */
const Stored = z.object({
  /** Rises with each change, so that nobody overwrites one that they have not seen. */
  version: z.int().default(0),
  values: z.record(z.string(), z.unknown()).default({}),
  /** The values before the last change, for undo. */
  before: z.object({ values: z.record(z.string(), z.unknown()), at: z.number(), by: z.string() }).nullish(),
});
export type StoredSettings = z.output<typeof Stored>;

/** The current settings, also within a transaction; loads them again when they have changed. */
export function currentSettings(
  db: Kysely<Tables>,
  changes: ChangeRecord,
  config: Pick<Config, 'fixedSettings'>,
): ReadContext['settings'] {
  const current = cached(changes, async dependsOn => {
    dependsOn('settings');
    return effective(await readStored(db), config);
  });
  return async trx => (trx === undefined ? await current() : effective(await readStored(trx), config));
}

export async function readStored(db: Kysely<Tables>): Promise<StoredSettings> {
  return Stored.parse(JSON.parse((await readSetting(db, 'site')) ?? '{}'));
}

/**
 * The environment takes precedence over admins' choices (decision 47); values of another version that
 * this one would refuse are ignored.
 */
export function effective(
  { values }: Pick<StoredSettings, 'values'>,
  { fixedSettings }: Pick<Config, 'fixedSettings'>,
): SiteSettings {
  const valid = settingNames.filter(name => siteSettings[name].schema.safeParse(values[name]).success);
  const chosen = Object.fromEntries(valid.map(name => [name, values[name]]));
  return SiteSettings.parse({ ...initialSettings, ...chosen, ...fixedSettings });
}

/**
 * Changes settings. Throws failed-precondition for one that the environment sets, and aborted if somebody has
 * changed any since the admin read them.
 */
export async function saveSettings(
  context: WriteContext & { config: Pick<Config, 'fixedSettings'> },
  changed: SomeSettings,
  version: number,
): Promise<void> {
  refuseFixed(context.config, Object.keys(changed));
  await change(context, version, ({ values }) => ({ ...values, ...changed }));
}

/**
 * Restores the settings before the last change. Throws failed-precondition if there are none, and if the
 * environment has set them since.
 */
export async function undoSettings(
  context: WriteContext & { config: Pick<Config, 'fixedSettings'> },
  version: number,
): Promise<void> {
  const isChanged = await change(context, version, ({ before }) => {
    if (!before) throw new AppError('failed-precondition', 'There is no earlier change to go back to.');
    return before.values;
  });
  if (!isChanged)
    throw new AppError('failed-precondition', 'The environment of the server decides what was changed last.');
}

/**
 * Sets what nobody has decided yet, also in the values for undo, because it is no admin's change. Within a
 * transaction.
 */
export async function setUnlessDecided(trx: Kysely<Tables>, given: SomeSettings): Promise<void> {
  const { values: decided } = await readStored(trx);
  if (Object.keys(given).every(name => name in decided)) return;
  await amendSettings(trx, values => ({ ...given, ...values }));
}

/** Amends the settings and the values for undo, where no admin changes a setting. Within a transaction. */
export async function amendSettings(trx: Kysely<Tables>, amend: (values: Values) => Values): Promise<void> {
  await lockSetting(trx, 'site', '{}');
  const stored = await readStored(trx);
  const { values, before } = stored;
  const saved: StoredSettings = {
    ...stored,
    values: amend(values),
    before: before && { ...before, values: amend(before.values) },
  };
  await writeSetting(trx, 'site', JSON.stringify(saved));
}

function refuseFixed({ fixedSettings }: Pick<Config, 'fixedSettings'>, names: readonly string[]): void {
  const fixed = settingNames.find(name => names.includes(name) && fixedSettings[name] !== undefined);
  if (fixed === undefined) return;
  throw new AppError(
    'failed-precondition',
    `The environment of the server decides “${siteSettings[fixed].label}”.`,
  );
}

/** Returns whether any effective setting has changed. */
async function change(
  context: WriteContext & { config: Pick<Config, 'fixedSettings'> },
  version: number,
  next: (stored: StoredSettings) => Values,
): Promise<boolean> {
  return await inTransaction(context, async trx => {
    await lockSetting(trx, 'site', '{}');
    const stored = await readStored(trx);
    if (stored.version !== version) {
      throw new AppError('aborted', 'Somebody else has changed the settings in the meantime.');
    }
    const values = next(stored);
    const old = effective(stored, context.config);
    const now = effective({ values }, context.config);
    const differing = changesOf(old, now);
    if (differing.length === 0) return false;
    await recordHistory(
      trx,
      context,
      ...differing.map(({ name, label, before, after }) => ({
        kind: 'setting-changed' as const,
        thing: { id: name, name: label },
        before,
        after,
      })),
    );
    await requireSitePictures(trx, picturesIn(now));
    // Turning the setting off deletes all, as the page Settings says.
    if (now.keepsOpened === 'false') await trx.deleteFrom('opened_posts').execute();
    const before = { values: stored.values, at: context.clock(), by: context.by?.user?.username ?? '' };
    const saved: StoredSettings = { version: stored.version + 1, values, before };
    await writeSetting(trx, 'site', JSON.stringify(saved));
    // The former ones are kept for undo.
    await removeSitePictures(trx, [...picturesIn(old), ...picturesIn(now)], context.clock());
    return true;
  });
}

const picturesIn = ({ icon, cover }: SiteSettings) => [icon, cover].filter(name => name !== '');

/** What differs between the settings before and after a change, in words. */
export function changesOf(old: SiteSettings, now: SiteSettings) {
  return settingNames
    .map(name => ({
      name,
      label: siteSettings[name].label,
      before: wordsOf(old[name]),
      after: wordsOf(now[name]),
    }))
    .filter(({ before, after }) => before !== after);
}

/** A value in words for the history. */
const wordsOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
