import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../contract/errors.ts';
import { run } from './processes.ts';

/**
 * Unpacks the archive of a version into an empty folder, which every user can then read. Returns the folder
 * of the program. The check sum is that of the copy which is unpacked: the file may change meanwhile.
 */
export async function unpack(file: string, given: string | undefined, folder: string): Promise<string> {
  const copy = join(folder, 'archive');
  await copyFile(file, copy).catch((error: Error) => {
    throw new AppError('not-found', `${file} cannot be read: ${error.message}`);
  });
  await requireChecksum(file, copy, given);
  await chmod(folder, 0o755);
  const status = await run('tar', ['-xpzf', copy, '-C', folder, '--no-same-owner']);
  await rm(copy);
  const [name, ...others] = await readdir(folder);
  if (status === 0 && name !== undefined && others.length === 0 && existsSync(join(folder, name, 'coterie')))
    return join(folder, name);
  throw new AppError(
    'invalid-argument',
    `${file} cannot be unpacked, or is not an archive of Coterie such as coterie-1.0-linux-x64.tar.gz.`,
  );
}

/**
 * Throws unless the copy of a file has the SHA-256 that is given, or that is written beside the file: in
 * FILE.sha256, or in SHA256SUMS of the release.
 */
async function requireChecksum(file: string, copy: string, given: string | undefined): Promise<void> {
  const expected = given ?? (await sumBeside(file));
  if (expected === undefined)
    throw new AppError(
      'failed-precondition',
      `There is no check sum for ${file}: put SHA256SUMS of the release beside it, or give it with --sha256.`,
    );
  const hash = createHash('sha256');
  await pipeline(createReadStream(copy), hash);
  if (hash.digest('hex') === expected.toLowerCase()) return;
  throw new AppError('invalid-argument', `${file} is damaged, or another file: its check sum differs.`);
}

async function sumBeside(file: string): Promise<string | undefined> {
  const name = basename(file);
  for (const list of [`${name}.sha256`, 'SHA256SUMS'].map(it => join(dirname(file), it))) {
    if (!existsSync(list)) continue;
    for (const line of (await readFile(list, 'utf8')).split('\n')) {
      const [, sum, of = name] = /^([0-9a-f]{64})(?: [ *](.+))?$/i.exec(line.trim()) ?? [];
      if (sum !== undefined && of === name) return sum;
    }
  }
  return undefined;
}

/**
 * The schema of the database that the program in a folder makes. Throws for one that this machine cannot run.
 */
export function schemaOf(folder: string): string {
  const program = join(folder, 'coterie');
  const { status, stdout } = spawnSync(program, ['version', '--json'], { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout).schema;
  throw new AppError('failed-precondition', `${program} does not run on this machine.`);
}
