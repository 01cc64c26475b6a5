import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../contract/errors.ts';
import { readConfig } from '../../config.ts';
import type { Exported } from '../../moving/archive/export.ts';
import { restoreSite } from '../../moving/archive/restore.ts';
import { archiveWith } from '../../moving/archive/source.ts';
import { unpack } from './package.ts';
import { compareReads, recordedReads } from './reads.ts';

/** How often somebody who waits for a server asks it, in milliseconds. */
const askEveryMs = 200;

/**
 * Restores an archive beside it, twice, starts this version on the one copy and the version in `file` on the
 * other, and lets both examine it and answer what was read last. Nothing of it stays. Returns sentences about
 * what differs.
 */
export async function compareVersions(
  { path, key }: Pick<Exported, 'path' | 'key'>,
  current: string,
  file: string,
  withinMs: number,
): Promise<{ reads: number; differences: string[] }> {
  const work = await mkdtemp(join(dirname(path), '.upgrade-'));
  const [older, newer] = [join(work, 'older'), join(work, 'newer')];
  try {
    const program = join(await unpack(file, join(work, 'program')), 'coterie');
    const copy = readConfig({ DATA_DIR: older });
    await restoreSite(copy, archiveWith(path, key));
    const reads = await recordedReads(copy);
    await cp(older, newer, { recursive: true, filter: from => basename(from) !== 'files' });
    await symlink(join(older, 'files'), join(newer, 'files'));
    return await withServer(program, newer, withinMs, at =>
      withServer(join(current, 'coterie'), older, withinMs, async before => {
        const known = await broken(join(current, 'coterie'), older);
        const found = (await broken(program, newer)).filter(line => !known.includes(line));
        const differences = [...found, ...(await compareReads(reads, before, at))];
        return { reads: reads.length, differences };
      }),
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Only what a copy needs: it uses neither the store and the database of the site nor its mail server. */
const settingsOf = (dataDir: string) => ({ PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error' });

/** Runs a program on a copy while `use` uses it, without the work in the background. */
async function withServer<T>(
  program: string,
  dataDir: string,
  withinMs: number,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const env = { ...settingsOf(dataDir), HOST: '127.0.0.1', PORT: String(port), ROLE: 'web' };
  const child = spawn(program, ['start'], { cwd: dataDir, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const ended = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  try {
    if (!(await isReady(url, withinMs, ended)))
      throw new AppError(
        'failed-precondition',
        `${program} does not get ready on a copy of the site. ${said}`,
      );
    return await use(url);
  } finally {
    child.kill();
    await ended;
  }
}

/** Whether a server says within this time that it is ready. `ended` is settled once it never will. */
export async function isReady(url: string, withinMs: number, ended?: Promise<unknown>): Promise<boolean> {
  const overAt = performance.now() + withinMs;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ended?.then(over, over);
  while (!isOver && performance.now() < overAt) {
    const isThere = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      answer => answer.ok,
      () => false,
    );
    if (isThere) return true;
    await sleep(askEveryMs);
  }
  return false;
}

/** What `coterie doctor` of a program finds broken: a rule and what breaks it in one line each. */
async function broken(program: string, dataDir: string): Promise<string[]> {
  const printed = await new Promise<string>(resolve => {
    execFile(program, ['doctor'], { cwd: dataDir, env: settingsOf(dataDir) }, (_, stdout) => resolve(stdout));
  });
  const findings = printed.split(/^(?=\S)/m).filter(finding => finding.startsWith('BROKEN'));
  return findings.map(finding => `doctor: ${finding.replaceAll(/\s+/g, ' ').trim()}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
