import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../contract/errors.ts';

/**
 * Throws unless a file has the SHA-256 that is given, or that a file beside it says: FILE.sha256, or
 * SHA256SUMS of the release.
 */
export async function requireSum(file: string, given: string | undefined): Promise<void> {
  const expected = given ?? (await sumBeside(file));
  if (expected === undefined)
    throw new AppError(
      'failed-precondition',
      `There is no check sum for ${file}: put SHA256SUMS of the release beside it, or give it with --sha256.`,
    );
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
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

/** Unpacks the archive of a version into a new folder. Returns the folder of the program. */
export async function unpack(file: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  execFileSync('tar', ['-xpzf', file, '-C', folder, '--no-same-owner']);
  const [name, ...others] = await readdir(folder);
  if (name !== undefined && others.length === 0 && existsSync(join(folder, name, 'coterie')))
    return join(folder, name);
  throw new AppError(
    'invalid-argument',
    `${file} is no archive of Coterie, such as coterie-1.0-linux-x64.tar.gz.`,
  );
}
