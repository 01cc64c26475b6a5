import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import { holdsWithin, isReady } from './ready.ts';

/** A program folder, and the data folder of the copy that the program runs on. */
export type OnCopy = { folder: string; dataDir: string };

/** Settings for a copy: it uses neither the site's store and database nor its mail server. */
const settingsOf = (dataDir: string) => ({ PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'error' });

/** Runs a server on a copy for `use`, without background work. */
export async function withServer<T>(
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
export async function findBroken({ folder, dataDir }: OnCopy): Promise<string[]> {
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
