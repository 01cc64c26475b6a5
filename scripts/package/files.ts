import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** The machines that there are packages for, by what Node.js calls them, with Debian's names. */
export const machines = { x64: 'amd64', arm64: 'arm64' } as const;
export type Machine = keyof typeof machines;

export const root = join(import.meta.dirname, '../..');

/** The time that all files are given: that of the commit, unless SOURCE_DATE_EPOCH says another. Seconds. */
export const epoch = Number(
  process.env.SOURCE_DATE_EPOCH ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root }),
);

export function run(command: string, args: readonly string[], cwd: string = root): void {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Ends this program with a sentence where a command is not installed. */
export function requireCommand(command: string): void {
  if (spawnSync(command, ['--version']).error === undefined) return;
  console.error(
    `${command} is not installed: apt-get install mmdebstrap umoci bubblewrap minisign systemd-container podman podman-compose runc`,
  );
  process.exit(1);
}

/**
 * Packs something in a folder: sorted and all of one time, so that the bytes are always the same. It belongs
 * to root, unless its owners are kept.
 */
export function tar(folder: string, what: string, file: string, keepsOwners = false): void {
  const same = ['--sort=name', `--mtime=@${epoch}`, '--numeric-owner', '--format=gnu'];
  const owner = keepsOwners ? [] : ['--owner=0', '--group=0'];
  const compressed = file.endsWith('.gz') ? ['--use-compress-program=gzip -n -6'] : [];
  run('tar', [...same, ...owner, ...compressed, '-cf', file, '-C', folder, what]);
}

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
