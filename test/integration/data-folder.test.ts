import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { sourcePages } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

it('a start lets only the owner read the contents of a data folder, and leaves other files alone', async () => {
  const dataDir = await newFolder();
  const modeOf = async (name: string) => ((await stat(join(dataDir, name))).mode & 0o777).toString(8);
  const start = async () => {
    const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' });
    const { stop } = await startServer(config, sourcePages);
    await stop();
  };
  await start();
  for (const folder of ['files', 'backups', 'mail']) await mkdir(join(dataDir, folder), { recursive: true });
  await writeFile(join(dataDir, 'notes.txt'), 'not ours');
  const modes = { 'coterie.db': 0o644, files: 0o755, backups: 0o775, mail: 0o755, 'notes.txt': 0o644 };
  for (const [name, mode] of Object.entries(modes)) await chmod(join(dataDir, name), mode);
  await chmod(dataDir, 0o750);
  await start();
  expect([await modeOf('coterie.db'), await modeOf('notes.txt'), await modeOf('.')]).toEqual([
    '600',
    '644',
    '750',
  ]);
  for (const folder of ['files', 'backups', 'mail']) expect(await modeOf(folder)).toBe('700');
});
