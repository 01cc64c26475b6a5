import { type SpawnOptions, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { AppError } from '../../../contract/errors.ts';
import type { Config } from '../../config.ts';

/**
 * The owner of a site's data. Root writes there only as this user: a link that a compromised service puts
 * there must not lead to root's files.
 */
export function ownerOf({ dataDir }: Config): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(dataDir);
  return { uid, gid };
}

/**
 * Runs a program and returns its exit code; 1 if a signal ended it. It has a session of its own, so that
 * Ctrl+C and a lost connection do not end it. It is ended if this process exits first.
 */
export async function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', detached: true, ...options });
  const end = () => child.kill();
  process.prependOnceListener('exit', end);
  try {
    return await new Promise((resolve, reject) => {
      child.once('exit', code => resolve(code ?? 1));
      child.once('error', error =>
        reject(new AppError('failed-precondition', `${command} cannot be run: ${error.message}`)),
      );
    });
  } finally {
    process.off('exit', end);
  }
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Makes signals end this process through `exit`, which also removes its folders and ends its children. */
export function exitOnSignals(): void {
  for (const signal of endingSignals) process.once(signal, () => process.exit(1));
}

/** From now on Ctrl+C, a lost connection and SIGTERM do not end this process. */
export function ignoreSignals(): void {
  for (const signal of endingSignals) process.removeAllListeners(signal).on(signal, () => {});
}
