import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { moment } from '../../../contract/date.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { type DatabaseLocation, openBare } from '../../db/connect.ts';
import { applyMigrations } from '../../db/migrate.ts';
import type { MailKind, Tables } from '../../db/tables.ts';
import { type FileStore, openFileStore } from '../../files/store/store.ts';
import { checked, readEntries, readPart } from './archive-reader.ts';
import { noteRestored } from './backup-state.ts';
import { digestOfFile, kindOfPart, type Manifest, parseStored, storedKind } from './format.ts';
import { type Place, takePlace } from './restore-place.ts';
import { restoreTables } from './restore-tables.ts';
import type { ArchiveSource } from './source.ts';
import { type Verified, verifyArchive } from './verify.ts';

type RestoreOptions = {
  isForced?: boolean;
  keepsAccess?: boolean;
  clock?: Clock;
  /** Throws if the archive needs more space than there is. */
  requireRoom?: (verified: Verified) => Promise<void>;
};

/**
 * Restores an archive into an empty site, on either engine and with either store of files, and upgrades it to
 * the newest schema. The archive is verified before anything is changed. A killed restore can be started
 * again, with the same result. Access tokens, open invitations, and the addresses of feeds and of posts by
 * mail are revoked unless `keepsAccess`, which is for a site that moves.
 *
 * Throws failed-precondition for a place that is not empty, and for a store with files unless `isForced`;
 * invalid-argument for a damaged archive; SchemaError for one of a newer program. Then nothing was changed.
 */
export async function restoreSite(
  config: Config,
  archive: ArchiveSource,
  { isForced = false, keepsAccess = false, clock = Date.now, requireRoom }: RestoreOptions = {},
): Promise<Manifest> {
  const verified = await verifyArchive(archive);
  await requireRoom?.(verified);
  const place = await takePlace(config, verified.manifest, isForced);
  if (place === 'restored already') return verified.manifest;
  try {
    await fill(config, place, archive, verified, keepsAccess ? undefined : clock());
  } catch (error) {
    await place.giveUp();
    throw error;
  }
  await place.leave();
  return verified.manifest;
}

/**
 * Moves the files first and the database last: after a kill between the two the place is not mistaken for a
 * site.
 */
async function fill(
  config: Config,
  place: Place,
  archive: ArchiveSource,
  { manifest, repeated }: Verified,
  restoredAt: number | undefined,
) {
  const { work, target } = place;
  const isFolder = config.filesUrl === undefined;
  const store = await openFileStore(isFolder ? { ...config, dataDir: work } : config, null);
  await restoreFiles(store, join(work, 'objects'), archive, repeated);
  if (isFolder) {
    await mkdir(join(work, 'files'), { recursive: true });
    await rename(join(work, 'files'), join(target, 'files'));
  }
  await fillDatabase({ ...config, dataDir: work }, archive, manifest, restoredAt);
  if (config.databaseUrl === undefined) await rename(join(work, 'coterie.db'), join(target, 'coterie.db'));
  await rm(join(work, 'objects'), { recursive: true, force: true });
}

/** Restores the files of an archive into a store. `folder` keeps each until no more keys can name it. */
async function restoreFiles(
  store: FileStore,
  folder: string,
  archive: ArchiveSource,
  repeated: ReadonlySet<string>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for await (const entry of readEntries(archive)) {
    const sha256 = digestOfFile(entry.name);
    if (sha256 !== undefined) {
      await pipeline(checked(entry, sha256), createWriteStream(join(folder, sha256), { mode: 0o600 }));
    } else if (kindOfPart(entry.name) === storedKind) {
      const { lines } = await readPart(entry);
      const stored = lines.map(line => parseStored(line, entry.name));
      await store.putMany(stored.map(({ key, sha256 }) => ({ key, path: join(folder, sha256) })));
      for (const { sha256: named } of stored) {
        if (!repeated.has(named)) await rm(join(folder, named), { force: true });
      }
    }
  }
}

async function fillDatabase(
  location: DatabaseLocation,
  archive: ArchiveSource,
  manifest: Manifest,
  restoredAt: number | undefined,
): Promise<void> {
  await using db = openBare(location);
  await db.transaction().execute(async trx => {
    await applyMigrations(trx, manifest.schema);
    await restoreTables(trx, archive, manifest);
    // Its folders are new: the first start marks them.
    await trx.deleteFrom('settings').where('name', '=', 'folders').execute();
    // A site that moves stays as it was.
    if (restoredAt === undefined) return;
    await revokeAccess(trx, restoredAt);
    const { createdAt } = manifest;
    await noteRestored(trx, { at: moment(restoredAt), name: basename(archive.name), createdAt });
  });
}

/** The mails with a link that opens or changes an account. */
const mailsWithLinks: readonly MailKind[] = ['invitation', 'reset', 'confirm', 'sign-in'];

/**
 * Revokes secrets that open a restored site: access tokens, invitations, secret addresses, and queued mails
 * with a link. Some of them may have been revoked since the archive was made, which it cannot know. Webhooks
 * end with their deliveries, too: a site that is restored on trial tells nobody. `now` in milliseconds.
 */
async function revokeAccess(trx: Kysely<Tables>, now: number): Promise<void> {
  for (const table of ['access_tokens', 'personal_feeds', 'post_addresses', 'webhooks'] as const)
    await trx.deleteFrom(table).execute();
  await trx.updateTable('invitations').set({ revoked_at: now }).where('revoked_at', 'is', null).execute();
  await trx.deleteFrom('mails').where('state', '=', 'queued').where('kind', 'in', mailsWithLinks).execute();
}
