import sharp from 'sharp';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { describeEngines } from '../support/engines.ts';
import type { Site } from '../support/site.ts';
import { endProcesses, startedProcesses } from '../support/started-processes.ts';
import { sizesOf, upload } from '../support/storage.ts';

/** A picture without sizes, how many attempts at it were made, and no process that decodes pictures. */
async function waitingPicture(s: Site) {
  const admin = await s.admin();
  const create = { width: 600, height: 400, channels: 3, background: '#a63' } as const;
  const bytes = await sharp({ create: { ...create, noise: { type: 'gaussian', mean: 120, sigma: 40 } } })
    .jpeg()
    .toBuffer();
  const { id } = await upload(s, admin, 'a.jpg', bytes);
  const row = () => sizesOf(s, id);
  await endProcesses('media-process');
  return row;
}

describeEngines(({ site }) => {
  it('a picture whose process is killed leaves the site running, and gets its sizes at the next attempt', async () => {
    const s = await site();
    const row = await waitingPicture(s);
    let isDying = true;
    using _ = startedProcesses(child => isDying && child.kill('SIGKILL'));
    await expect(makeNextVariants(s.deps)).rejects.toThrow('ended');
    expect(await row()).toEqual({ variants: null, attempts: 1 });
    expect(await makeNextVariants(s.deps)).toBe(false);
    s.wait(10_000);
    isDying = false;
    expect(await makeNextVariants(s.deps)).toBe(true);
    expect(await row()).toEqual({ variants: expect.stringContaining('480'), attempts: 2 });
  });

  it('a stop ends the process of a picture, which does not count as an attempt', async () => {
    const s = await site();
    const row = await waitingPicture(s);
    const stopping = new AbortController();
    using started = startedProcesses(() => stopping.abort());
    expect(await makeNextVariants({ ...s.deps, stopping: stopping.signal })).toBe(true);
    expect(started.children.map(child => child.signalCode)).toEqual(['SIGKILL']);
    expect(await row()).toEqual({ variants: null, attempts: 0 });
    expect(await makeNextVariants(s.deps)).toBe(true);
    expect(await row()).toEqual({ variants: expect.stringContaining('480'), attempts: 1 });
  });

  it('a picture that waits longer than a claim lasts is made by nobody else, and is one attempt', async () => {
    const s = await site();
    const row = await waitingPicture(s);
    const due = async () =>
      (await s.deps.db.selectFrom('files').select('variants_due_at').executeTakeFirstOrThrow())
        .variants_due_at;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    const waits = async function* (id: string) {
      await turn;
      yield* s.deps.files.read(id);
    };
    const making = makeNextVariants({ ...s.deps, files: { ...s.deps.files, read: waits } });
    await expect.poll(row).toEqual({ variants: null, attempts: 1 });
    for (let minutes = 0; minutes < 12; minutes += 2) {
      const before = await due();
      s.wait(2 * 60_000);
      vi.advanceTimersByTime(2 * 60_000);
      await expect.poll(due).toBeGreaterThan(before);
    }
    expect(await makeNextVariants(s.deps)).toBe(false);
    begin();
    expect(await making).toBe(true);
    expect(await row()).toEqual({ variants: expect.stringContaining('480'), attempts: 1 });
  });
});
