import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { Config } from '../../config.ts';
import { isReady } from './rehearsal.ts';

/** The service of the site, the link through which it starts its program, and how long a start may take. */
export type Service = { name: string; link: string; withinMs: number };

/**
 * Starts the service with another program. Where that does not get ready, the program and the database of
 * before come back, and the service is started with them. Returns whether the new program runs.
 */
export async function exchange(config: Config, service: Service, program: string): Promise<boolean> {
  const { link } = service;
  const before = await readlink(link);
  const database = config.databaseUrl === undefined ? join(config.dataDir, 'coterie.db') : undefined;
  const copy = database && `${database}.before-upgrade`;
  let [isCopied, isRunning] = [false, false];
  const goBack = async () => {
    systemctl('stop', service);
    await point(link, before);
    if (database && copy && isCopied) {
      for (const log of ['-wal', '-shm']) await rm(database + log, { force: true });
      // Over the file that is there, which keeps its owner.
      await copyFile(copy, database);
    }
    if (!(await start(config, service)))
      throw new AppError(
        'unavailable',
        `${service.name} does not get ready with the version of before either.`,
      );
  };
  systemctl('stop', service);
  try {
    if (database && copy) {
      if (existsSync(`${database}-wal`))
        throw new AppError('failed-precondition', `${service.name} did not stop in time. Try it again.`);
      await copyFile(database, copy);
      isCopied = true;
    }
    await point(link, relative(dirname(link), program));
    isRunning = await start(config, service);
  } catch (error) {
    await goBack();
    throw error;
  }
  if (!isRunning) await goBack();
  if (copy) await rm(copy);
  return isRunning;
}

async function start(config: Config, service: Service): Promise<boolean> {
  return systemctl('start', service) && (await isReady(config.ownUrl, service.withinMs));
}

function systemctl(what: 'start' | 'stop', { name }: Service): boolean {
  const { status, error } = spawnSync('systemctl', [what, name], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status === 0;
}

/** Sets a link to another place in one step. */
async function point(link: string, target: string): Promise<void> {
  const next = `${link}.next`;
  await rm(next, { force: true });
  await symlink(target, next);
  await rename(next, link);
}
