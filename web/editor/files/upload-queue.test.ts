import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppError } from '../../../contract/errors.ts';
import type { UploadedFile, UploadOptions } from '../../storage/client.ts';
import { type Upload, UploadQueue } from './upload-queue.ts';

type Sent = { file: File; options: UploadOptions; end: PromiseWithResolvers<UploadedFile> };

const settled = () => new Promise<void>(resolve => setTimeout(resolve, 0));

/** A queue with a server that answers when the test says so. */
function open(most = 1) {
  const sent: Sent[] = [];
  const arrived: string[] = [];
  let shown: readonly Upload[] = [];
  const send = (file: File, options: UploadOptions = {}) => {
    const end = Promise.withResolvers<UploadedFile>();
    options.signal?.throwIfAborted();
    options.signal?.addEventListener('abort', () => end.reject(options.signal?.reason));
    sent.push({ file, options, end });
    return end.promise;
  };
  const posterOf = async (video: File) =>
    video.name === 'black.mp4' ? null : new File(['.'], `${video.name}.png`);
  const show = (uploads: readonly Upload[]) => {
    shown = uploads;
  };
  const queue = new UploadQueue({ send: async (...to) => await send(...to), posterOf }, show, most);
  return {
    queue,
    sent,
    arrived,
    shown: () => shown,
    add: (name: string, wantsPoster = false, type = '') =>
      queue.add(
        new File(['.'], name, { type }),
        ({ name: done, thumbnail }) => arrived.push(thumbnail ?? done),
        wantsPoster,
      ),
    /** The one that is being sent. */
    running: () => sent.at(-1),
    arrive: async () => {
      const { file, end } = sent.at(-1) ?? {};
      end?.resolve({ url: `/${file?.name}`, name: file?.name ?? '', type: '', size: 1 });
      await settled();
    },
    fail: async (error: unknown) => {
      sent.at(-1)?.end.reject(error);
      await settled();
    },
  };
}

it('the queue shows which files wait, are being sent, have lost the connection or have failed, and sends one after another', async () => {
  const { queue, sent, arrived, shown, add, running, arrive, fail } = open();
  add('a');
  add('b');
  const uploads = () => shown().map(({ id: _, ...upload }) => upload);
  expect(uploads()).toEqual([{ name: 'a', share: 0 }, { name: 'b' }]);
  running()?.options.onProgress?.(0.5);
  running()?.options.onWait?.();
  expect(uploads()[0]).toEqual({ name: 'a', share: 0.5, isLost: true });
  running()?.options.onProgress?.(0.6);
  expect(uploads()[0]).toEqual({ name: 'a', share: 0.6, isLost: false });
  await fail(new AppError('out-of-range', 'This file is too large.'));
  expect(uploads()).toEqual([
    { name: 'a', share: 0.6, isLost: false, failure: 'This file is too large.', isFinal: true },
    { name: 'b', share: 0 },
  ]);
  queue.retry(shown()[0]?.id ?? '');
  expect(uploads()).toEqual([{ name: 'a' }, { name: 'b', share: 0 }]);
  await arrive();
  await fail(new TypeError('of the program'));
  expect(uploads()).toMatchObject([{ name: 'a', failure: 'The site is not available right now.' }]);
  queue.cancel(shown()[0]?.id ?? '');
  expect([uploads(), arrived, sent.map(({ file }) => file.name)]).toEqual([[], ['b'], ['a', 'b', 'a']]);
});

it('a file that is sent again goes on where it was', async () => {
  const { queue, shown, add, running, fail } = open();
  add('a');
  const place = { path: 'uploads/a' };
  running()?.options.onPlace?.(place);
  await fail(new AppError('unavailable', 'The site cannot be reached.'));
  queue.retry(shown()[0]?.id ?? '');
  expect(running()?.options.place).toBe(place);
});

it('the queue uploads the poster of a video, if the video has one', async () => {
  const { arrived, add, arrive } = open();
  add('video.mp4', true, 'video/mp4');
  add('black.mp4', true, 'video/mp4');
  add('text.txt', true, 'text/plain');
  for (let file = 0; file < 4; file += 1) await arrive();
  expect(arrived).toEqual(['/video.mp4.png', 'black.mp4', 'text.txt']);
});

it('the queue sends three at a time, and hands them over in the order in which they were added', async () => {
  const { queue, sent, arrived, shown, add } = open(3);
  for (const name of ['a', 'b', 'c', 'd', 'e']) add(name);
  const end = async (name: string, error?: unknown) => {
    const { end } = sent.find(({ file }) => file.name === name) ?? {};
    if (error === undefined) end?.resolve({ url: `/${name}`, name, type: '', size: 1 });
    else end?.reject(error);
    await settled();
  };
  expect(sent.map(({ file }) => file.name)).toEqual(['a', 'b', 'c']);
  await end('c');
  await end('b');
  expect([arrived, sent.at(-1)?.file.name]).toEqual([[], 'e']);
  // The others do not wait for one that failed, nor for one that the author has removed.
  await end('a', new AppError('out-of-range', 'This file is too large.'));
  expect(arrived).toEqual(['b', 'c']);
  await end('e');
  queue.cancel(shown().find(({ name }) => name === 'd')?.id ?? '');
  await settled();
  expect([arrived, shown().map(({ name }) => name)]).toEqual([['b', 'c', 'e'], ['a']]);
});

it('the queue cancels all uploads when the editor is closed', async () => {
  const { queue, sent, arrived, shown, add } = open();
  add('a');
  add('b');
  queue.abandon();
  await settled();
  expect([shown(), arrived, sent.length]).toEqual([[], [], 1]);
});

it('the queue loses no file and never sends one twice at once, whatever is added, cancelled, retried or refused', async () => {
  const step = fc.record({
    what: fc.constantFrom('add', 'arrive', 'fail', 'cancel', 'retry'),
    which: fc.nat({ max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const { queue, sent, arrived, shown, add, arrive, fail } = open();
      const cancelled = new Set<string>();
      const [open_, ended] = [() => shown().filter(({ failure }) => failure === undefined), new Set<Sent>()];
      let added = 0;
      for (const { what, which } of steps) {
        const one = shown()[which];
        const current = sent.at(-1);
        if (what === 'add') {
          added += 1;
          add(`file ${added}`);
        }
        // Only a file that is being sent gets an answer.
        if ((what === 'arrive' || what === 'fail') && current !== undefined && !ended.has(current)) {
          ended.add(current);
          await (what === 'arrive' ? arrive() : fail(new AppError('unavailable', 'Away.')));
        }
        if (what === 'cancel' && one !== undefined) {
          cancelled.add(one.name);
          if (current?.file.name === one.name && one.failure === undefined && one.share !== undefined)
            ended.add(current);
          queue.cancel(one.id);
        }
        if (what === 'retry' && one !== undefined) queue.retry(one.id);
        await settled();
        // Each file is either shown, uploaded or cancelled by the author.
        const everywhere = [...shown().map(({ name }) => name), ...arrived, ...cancelled];
        expect(everywhere.sort()).toEqual(
          Array.from({ length: added }, (_, index) => `file ${index + 1}`).sort(),
        );
        expect(sent.filter(one => !ended.has(one)).length).toBe(open_().length > 0 ? 1 : 0);
        expect(open_().filter(({ share }) => share !== undefined).length).toBe(open_().length > 0 ? 1 : 0);
      }
    }),
    { numRuns: 200 },
  );
});
