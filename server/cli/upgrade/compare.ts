import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { Exported } from '../../moving/archive/export.ts';
import { archiveWith } from '../../moving/archive/source.ts';
import { withCopy } from '../with-copy.ts';
import { holdsWithin, isReady } from './ready.ts';
import { compareCalls, recordedCalls } from './recorded-calls.ts';

/** The folders of the current and the next program, and how long each may take to start. */
export type Versions = { current: string; next: string; withinMs: number };

/**
 * Restores an archive beside it, twice, and starts one version on each copy. Both examine their copy and
 * repeat recent calls. The copies are deleted afterwards. Returns the number of calls, and sentences about
 * differences.
 */
export async function compareVersions(
  { path, key }: Pick<Exported, 'path' | 'key'>,
  { current, next, withinMs }: Versions,
): Promise<{ byMembers: number; byVisitors: number; differences: string[] }> {
  // Two databases, and a third one where the next version migrates its own.
  const options = { prefix: '.upgrade-', databases: 3 } as const;
  return await withCopy(archiveWith(path, key), options, async copy => {
    const { byMembers, byVisitors } = await recordedCalls(copy);
    const older = { folder: current, dataDir: copy.dataDir };
    const newer = { folder: next, dataDir: join(dirname(copy.dataDir), 'newer') };
    const isOwn = (from: string) => basename(from) !== 'files';
    await cp(older.dataDir, newer.dataDir, { recursive: true, filter: isOwn });
    await symlink(join(older.dataDir, 'files'), join(newer.dataDir, 'files'));
    return await withServer(newer, withinMs, newerUrl =>
      withServer(older, withinMs, async olderUrl => {
        const known = await findBroken(older);
        const found = (await findBroken(newer)).filter(line => !known.includes(line));
        const changed = await compareCalls([...byMembers, ...byVisitors], olderUrl, newerUrl);
        return {
          byMembers: byMembers.length,
          byVisitors: byVisitors.length,
          differences: [...found, ...changed],
        };
      }),
    );
  });
}

/** A program folder, and the data folder of the copy that the program runs on. */
type OnCopy = { folder: string; dataDir: string };

/** Settings for a copy: it uses neither the site's store and database nor its mail server. */
const settingsOf = (dataDir: string) => ({ PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error' });

/** Runs a server on a copy for `use`, without background work. */
async function withServer<T>(
  { folder, dataDir }: OnCopy,
  withinMs: number,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const program = join(folder, 'coterie');
  const port = await freePort();
  const env = { ...settingsOf(dataDir), HOST: '127.0.0.1', PORT: String(port), ROLE: 'web' };
  const child = spawn(program, ['start'], { cwd: dataDir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let hasEnded = false;
  const ended = new Promise<void>(resolve => {
    child.once('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  child.once('error', ({ message }) => {
    printed += message;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
    });
  // A copy needs no clean end.
  const end = () => child.kill('SIGKILL');
  process.prependOnceListener('exit', end);
  const url = `http://127.0.0.1:${port}`;
  // Only the line that it prints itself shows that no other process has taken the port, which would be sent
  // tokens.
  const isUp = async () => printed.includes('Coterie is running at') && (await isReady(url));
  try {
    if (await holdsWithin(withinMs, isUp, () => hasEnded)) return await use(url);
    throw new AppError(
      'failed-precondition',
      `${program} does not get ready on a copy of the site. ${printed}`,
    );
  } finally {
    end();
    await ended;
    process.off('exit', end);
  }
}

/** The most that `coterie doctor` may print, in bytes. */
const mostPrinted = 64 * 1024 * 1024;

/** The problems that `coterie doctor` finds in a copy, or that it fails: a line for each rule. */
async function findBroken({ folder, dataDir }: OnCopy): Promise<string[]> {
  const options = { cwd: dataDir, env: settingsOf(dataDir), maxBuffer: mostPrinted };
  const [error, stdout, stderr] = await new Promise<[Error | null, string, string]>(resolve => {
    execFile(join(folder, 'coterie'), ['doctor'], options, (...result) => resolve(result));
  });
  const findings = stdout.split(/^(?=\S)/m).filter(finding => finding.startsWith('BROKEN'));
  if (error !== null && findings.length === 0) findings.push(`it fails: ${stderr || error.message}`);
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
