import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { program } from '../processes/built.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();

/** Runs a command that needs no site, with a data folder of these permissions. */
async function run(mode: number): Promise<void> {
  await mkdir(at('data'), { recursive: true });
  await chmod(at('data'), mode);
  const env = { PATH: process.env.PATH, DATA_DIR: at('data') };
  await promisify(execFile)(process.execPath, [program, '--version'], { cwd: at(), env });
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile());

it('compiled code is kept in the data folder, for this user alone', async () => {
  await run(0o755);
  expect(await filesIn(at('data/compiled'))).not.toEqual([]);
  expect((await stat(at('data/compiled'))).mode & 0o777).toBe(0o700);
});

it('a data folder that others can write to keeps none', async () => {
  await run(0o770);
  expect(await readdir(at('data'))).toEqual([]);
});

it('a folder of compiled code that others can open, who may have made it, is not used', async () => {
  await mkdir(at('data/compiled'), { recursive: true });
  await chmod(at('data/compiled'), 0o755);
  await run(0o700);
  expect(await filesIn(at('data/compiled'))).toEqual([]);
});

it('the code of a build that has not started for a month is removed, that of a running one is kept', async () => {
  await mkdir(at('data/compiled/build-old'), { recursive: true, mode: 0o700 });
  await chmod(at('data/compiled'), 0o700);
  await mkdir(at('data/compiled/build-other'), { mode: 0o700 });
  await utimes(at('data/compiled/build-old'), 0, 0);
  await run(0o700);
  const builds = await readdir(at('data/compiled'));
  expect(builds).toHaveLength(2);
  expect(builds).toContain('build-other');
});

it('without a data folder nothing is made', async () => {
  const env = { PATH: process.env.PATH, DATA_DIR: at('nowhere') };
  await promisify(execFile)(process.execPath, [program, '--version'], { cwd: at(), env });
  expect(await readdir(at())).toEqual([]);
});

it('in a folder of something else nothing is made', async () => {
  await write({ 'data/notes.txt': 'words' });
  await run(0o700);
  expect(await readdir(at('data'))).toEqual(['notes.txt']);
});
