import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { environment, program } from '../processes/built.ts';
import { scratchFolder } from './scratch.ts';

/** A new folder, which goes with the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-commands-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a command in a folder without settings, with `input` on its standard input. Returns its exit code and
 * all that it prints.
 */
export async function coterie(
  cwd: string,
  args: string[],
  settings: Record<string, string> = {},
  input: string | Buffer = '',
) {
  const env = { ...environment, ...settings };
  const running = promisify(execFile)(process.execPath, [program, ...args], { cwd, env, timeout: 120_000 });
  // A command that reads nothing may have ended before.
  running.child.stdin?.on('error', () => {}).end(input);
  return await running.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  );
}
