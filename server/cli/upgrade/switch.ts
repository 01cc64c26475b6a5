import { lstatSync } from 'node:fs';
import { readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { Config } from '../../config.ts';
import { ignoreSignals, ownerOf, run } from './processes.ts';
import { holdsWithin, isReady } from './ready.ts';

/** The service of the site, the link that its program is started through, and how long a start may take. */
export type Service = { name: string; link: string; withinMs: number };

/**
 * Throws if the switch would fail or could not be judged: without the link, the service, or an answer of the
 * current version.
 */
export async function requireSwitchable(config: Config, { name, link }: Service): Promise<void> {
  const fail = (sentence: string) => {
    throw new AppError('failed-precondition', sentence);
  };
  if (!lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink())
    fail(
      `${link} is not a symbolic link. A Debian package is upgraded by apt-get; with --check this compares only.`,
    );
  if (!(await systemctl('is-active', '--quiet', name)))
    fail(`The service ${name} does not run. Start it first, or name another with --service.`);
  if (!(await isReady(config.ownUrl)))
    fail(
      `The site is not ready at ${config.ownUrl}, so the new version could not be judged there. ` +
        'Where the unit sets HOST or PORT, set them for this command, too.',
    );
}

/**
 * Starts the service with another program. If it does not get ready, the former program is restored, and the
 * database too if it was migrated; then this throws. From the stop of the service to the end of the process
 * no signal ends it.
 */
export async function switchOrGoBack(config: Config, service: Service, program: string): Promise<void> {
  ignoreSignals();
  const before = await readlink(service.link);
  const copies = await migrationCopies(config);
  let failure: unknown;
  try {
    await stop(service);
    await setLink(service.link, program);
    if (await start(config, service)) return;
  } catch (error) {
    failure = error;
  }
  // Even if the stop fails, the next start is that of the former version.
  await setLink(service.link, before);
  await stop(service);
  const [copy] = (await migrationCopies(config)).filter(name => !copies.includes(name));
  if (copy !== undefined) await restoreDatabase(config, copy);
  const reason = `\`journalctl -u ${service.name}\` says why.`;
  if (!(await start(config, service)))
    throw new AppError(
      'unavailable',
      `${service.name} does not get ready with the version of before either. ${reason}`,
    );
  if (failure !== undefined) throw failure;
  const database =
    copy === undefined
      ? 'nothing that was written is lost'
      : 'its database is as it was before the migration, without what was written since';
  throw new AppError(
    'failed-precondition',
    `The new version did not get ready. The site runs with the version of before; ${database}. ${reason}`,
  );
}

/** The copies that migrations made of a SQLite database before changing it. */
async function migrationCopies({ databaseUrl, dataDir }: Config): Promise<string[]> {
  if (databaseUrl !== undefined) return [];
  const names = await readdir(join(dataDir, 'backups'));
  return names.filter(name => /^coterie-before-.+[.]db$/.test(name)).sort();
}

/** Replaces the database by a copy in one step. The copy stays. */
async function restoreDatabase(config: Config, copy: string): Promise<void> {
  const database = join(config.dataDir, 'coterie.db');
  const steps: [string, ...string[]][] = [
    ['cp', join(config.dataDir, 'backups', copy), `${database}.restored`],
    ['sync', `${database}.restored`],
    ['rm', '-f', `${database}-wal`, `${database}-shm`],
    ['mv', `${database}.restored`, database],
  ];
  for (const [command, ...args] of steps) {
    if ((await run(command, args, ownerOf(config))) === 0) continue;
    throw new AppError('unavailable', `The database could not be restored from backups/${copy}.`);
  }
}

async function stop({ name }: Service): Promise<void> {
  if (!(await systemctl('stop', name))) throw new AppError('unavailable', `${name} could not be stopped.`);
}

async function start({ ownUrl }: Config, { name, withinMs }: Service): Promise<boolean> {
  // After several failed starts systemd refuses another.
  await run('systemctl', ['reset-failed', name], { stdio: 'ignore' });
  // The unit has no time limit for a start.
  if (!(await systemctl('start', '--no-block', name))) return false;
  return await holdsWithin(
    withinMs,
    () => isReady(ownUrl),
    () => systemctl('is-failed', '--quiet', name),
  );
}

const systemctl = async (...args: string[]) => (await run('systemctl', args)) === 0;

/** Points a link to another target in one step. */
async function setLink(link: string, target: string): Promise<void> {
  const next = `${link}.next`;
  await rm(next, { force: true });
  await symlink(target, next);
  await rename(next, link);
}
