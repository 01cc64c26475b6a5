import { chmod, readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startProcess } from '../processes/start-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();

it('a start of a site without videos does not run ffmpeg', async () => {
  for (const name of ['ffmpeg', 'ffprobe']) {
    await write({ [`bin/${name}`]: `#!/bin/sh\n: > ${at('asked')}\n` });
    await chmod(at(`bin/${name}`), 0o755);
  }
  const PATH = `${at('bin')}:${process.env.PATH}`;
  const { child, ended } = await startProcess({ PATH, DATA_DIR: at('data') });
  // The first run of each job has begun, and the stop waits for its end.
  child.kill();
  expect(await ended).toEqual([0, null]);
  expect((await readdir(at())).sort()).toEqual(['bin', 'data']);
});
