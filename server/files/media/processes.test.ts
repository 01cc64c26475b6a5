import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { startedProcesses } from '../../../test/support/started-processes.ts';
import { NotNow } from '../videos/ffmpeg.ts';
import { MediaProcess } from './processes.ts';

const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
const photo = await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: '#a63', noise } })
  .jpeg()
  .toBuffer();
const folder = await mkdtemp(join(tmpdir(), 'coterie-test-'));
afterAll(() => rm(folder, { recursive: true }));
const program = pathToFileURL(`${import.meta.dirname}/processes.ts`);

it('a picture that takes more memory than it may ends its process alone', async () => {
  using started = startedProcesses();
  await expect(new MediaProcess(1).run('narrowedPicture', [photo, 480])).rejects.toThrow(NotNow);
  expect(started.children[0]?.signalCode).toBe('SIGKILL');
});

it('pictures are decoded by one process, in their order, until it dies', async () => {
  using started = startedProcesses();
  const pictures = new MediaProcess();
  const ends: string[] = [];
  const narrow = async (name: string) => {
    await pictures.run('narrowedPicture', [photo, 480]);
    ends.push(name);
  };
  await Promise.all(['a', 'b', 'c'].map(narrow));
  expect([ends, started.children.length]).toEqual([['a', 'b', 'c'], 1]);
  const [child] = started.children;
  const isOver = child && once(child, 'exit');
  child?.kill('SIGKILL');
  await isOver;
  await narrow('d');
  expect([ends.at(-1), started.children.length]).toEqual(['d', 2]);
});

it('a picture waits for one of each other person at most, and sizes wait for what people wait for', async () => {
  const pictures = new MediaProcess();
  const ends: string[] = [];
  const narrow = async (name: string, by?: string) => {
    await pictures.run('narrowedPicture', [photo, 480], { by });
    ends.push(name);
  };
  const many = ['a1', 'a2', 'a3', 'a4'].map(name => narrow(name, 'anna'));
  await Promise.all([narrow('size'), ...many, narrow('b1', 'ben'), narrow('c1', 'carol')]);
  expect(ends).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4', 'size']);
});

it('a picture that fails holds up none behind it, and keeps the code and sentence of its refusal', async () => {
  const pictures = new MediaProcess();
  const path = join(folder, 'cut.jpg');
  await writeFile(path, photo.subarray(0, 5_000));
  const [refused, next] = await Promise.allSettled([
    pictures.run('clearMedium', [path, `${path}.clean`, 'image/jpeg']),
    pictures.run('narrowedPicture', [photo, 480]),
  ]);
  expect(refused).toMatchObject({
    reason: { name: 'AppError', code: 'permission-denied', message: expect.stringContaining('incomplete') },
  });
  expect(next.status).toBe('fulfilled');
});

it('the process ends with its parent, also in the middle of a picture', async () => {
  const path = join(folder, 'photo.jpg');
  await writeFile(path, photo);
  const lines = [
    `import { MediaProcess } from ${JSON.stringify(program.href)};`,
    `import { subscribe } from 'node:diagnostics_channel';`,
    `subscribe('child_process', ({ process: child }) => child.once('spawn', () => console.log(child.pid)));`,
    `void new MediaProcess().run('writeSizes', ${JSON.stringify([path, folder])});`,
    'setInterval(() => {}, 1_000);',
  ];
  const parent = spawn(process.execPath, ['--input-type=module', '-e', lines.join('\n')]);
  const pid = Number(String((await once(parent.stdout, 'data'))[0]));
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
