import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { startedProcesses } from '../../../test/support/started-processes.ts';
import { NotNow } from '../videos/ffmpeg.ts';
import { MediaProcess } from './processes.ts';

const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
const photo = await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: '#a63', noise } })
  .jpeg()
  .toBuffer();
const program = pathToFileURL(`${import.meta.dirname}/processes.ts`);

it('a picture that takes more memory than it may ends its process alone', async () => {
  using started = startedProcesses();
  await expect(new MediaProcess(1).run('makeVariants', [photo])).rejects.toThrow(NotNow);
  expect(started.children[0]?.signalCode).toBe('SIGKILL');
});

it('pictures are decoded by one process, in their order, until it dies', async () => {
  using started = startedProcesses();
  const pictures = new MediaProcess();
  const ends: string[] = [];
  const inspect = async (name: string) => {
    const { width } = await pictures.run('inspectPicture', ['image/jpeg', photo]);
    ends.push(`${name} ${width}`);
  };
  await Promise.all(['a', 'b', 'c'].map(inspect));
  expect([ends, started.children.length]).toEqual([['a 3000', 'b 3000', 'c 3000'], 1]);
  const [child] = started.children;
  const isOver = child && once(child, 'exit');
  child?.kill('SIGKILL');
  await isOver;
  await inspect('d');
  expect([ends.at(-1), started.children.length]).toEqual(['d 3000', 2]);
});

it('a picture that fails holds up none behind it, and keeps the code and sentence of its refusal', async () => {
  const pictures = new MediaProcess();
  const [refused, next] = await Promise.allSettled([
    pictures.run('inspectPicture', ['image/jpeg', photo.subarray(0, 5_000)]),
    pictures.run('inspectPicture', ['image/jpeg', photo]),
  ]);
  expect(refused).toMatchObject({
    reason: { name: 'AppError', code: 'permission-denied', message: expect.stringContaining('incomplete') },
  });
  expect(next.status).toBe('fulfilled');
});

it('the process ends with its parent, also in the middle of a picture', async () => {
  const lines = [
    `import { MediaProcess } from ${JSON.stringify(program.href)};`,
    `import { subscribe } from 'node:diagnostics_channel';`,
    `subscribe('child_process', ({ process: child }) => child.once('spawn', () => console.log(child.pid)));`,
    `void new MediaProcess().run('jpegOfHeic', [Buffer.alloc(0)]);`,
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
