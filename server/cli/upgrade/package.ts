import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, copyFile, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../contract/errors.ts';
import { isSignedBy } from '../../base/minisign.ts';
import { run } from './processes.ts';

/** What a file is checked against: a given check sum, and the public key of releases. */
type Expected = { sha256?: string | undefined; releaseKey: string | undefined };

/**
 * Unpacks the archive of a version into an empty folder that every user can read. Returns the program folder.
 * The check sum is that of the unpacked copy: the file may change meanwhile.
 */
export async function unpack(file: string, expected: Expected, folder: string): Promise<string> {
  const copy = join(folder, 'archive');
  await copyFile(file, copy).catch((error: Error) => {
    throw new AppError('not-found', `${file} cannot be read: ${error.message}`);
  });
  await requireChecksum(file, copy, expected);
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
 * Throws unless the copy of a file has the given SHA-256, or the one written beside the file: in FILE.sha256,
 * or in SHA256SUMS of the release. With a release key it must be in a signed SHA256SUMS.
 */
async function requireChecksum(file: string, copy: string, { sha256, releaseKey }: Expected): Promise<void> {
  const signed = releaseKey === undefined ? undefined : await signedSum(file, releaseKey);
  const sums = [signed, sha256 ?? signed ?? (await sumBeside(file))].filter(sum => sum !== undefined);
  if (sums.length === 0)
    throw new AppError(
      'failed-precondition',
      `There is no check sum for ${file}: put SHA256SUMS of the release beside it, or give it with --sha256.`,
    );
  const hash = createHash('sha256');
  await pipeline(createReadStream(copy), hash);
  const found = hash.digest('hex');
  if (sums.every(sum => sum.toLowerCase() === found)) return;
  throw new AppError('invalid-argument', `${file} is damaged, or another file: its check sum differs.`);
}

/** The check sum of a file in the SHA256SUMS beside it, which RELEASE_KEY has signed. */
async function signedSum(file: string, releaseKey: string): Promise<string> {
  const list = join(dirname(file), 'SHA256SUMS');
  const [bytes, signature] = await Promise.all([readFile(list), readFile(`${list}.minisig`, 'utf8')]).catch(
    (error: Error) => {
      throw new AppError(
        'failed-precondition',
        `RELEASE_KEY is set, so SHA256SUMS and SHA256SUMS.minisig of the release must be beside ${file}: ${error.message}`,
      );
    },
  );
  if (!isSignedBy(releaseKey, bytes, signature))
    throw new AppError('invalid-argument', `${list} is not signed by RELEASE_KEY.`);
  const sum = sumIn(bytes.toString(), basename(file));
  if (sum === undefined) throw new AppError('not-found', `${list} does not name ${basename(file)}.`);
  return sum;
}

async function sumBeside(file: string): Promise<string | undefined> {
  const name = basename(file);
  for (const list of [`${name}.sha256`, 'SHA256SUMS'].map(it => join(dirname(file), it))) {
    const sum = existsSync(list) ? sumIn(await readFile(list, 'utf8'), name) : undefined;
    if (sum !== undefined) return sum;
  }
  return undefined;
}

/** The check sum of a file in a list as `sha256sum` writes it; a line with only a sum is about this file. */
function sumIn(list: string, name: string): string | undefined {
  for (const line of list.split('\n')) {
    const [, sum, of = name] = /^([0-9a-f]{64})(?: [ *](.+))?$/i.exec(line.trim()) ?? [];
    if (sum !== undefined && of === name) return sum;
  }
  return undefined;
}

/** The schema of the database of the program in a folder. Throws if this machine cannot run it. */
export function schemaOf(folder: string): string {
  const program = join(folder, 'coterie');
  const { status, stdout } = spawnSync(program, ['version', '--json'], { encoding: 'utf8' });
  if (status === 0) return JSON.parse(stdout).schema;
  throw new AppError('failed-precondition', `${program} does not run on this machine.`);
}
