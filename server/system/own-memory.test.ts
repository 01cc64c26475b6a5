import { expect, it, onTestFinished, vi } from 'vitest';
import { ownMemory } from './own-memory.ts';

it('the memory of a process is what it takes itself, without the files that it has mapped', async () => {
  const status =
    'Name:\tnode\nVmRSS:\t  520000 kB\nRssAnon:\t   90000 kB\nRssFile:\t  428000 kB\nRssShmem:\t    2000 kB\n';
  expect(await ownMemory(async () => status)).toBe(92_000 * 1_024);
});

it.each([
  ['does not tell it', async () => 'Name:\tnode\nVmRSS:\t  520000 kB\n'],
  ['has no such file', async () => await Promise.reject(new Error('ENOENT'))],
])('the memory of a process is all that is resident where the system %s', async (_, status) => {
  const resident = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(520_000);
  onTestFinished(() => resident.mockRestore());
  expect(await ownMemory(status)).toBe(520_000);
});
