import { expect, it } from 'vitest';
import { startReading } from './send-bytes.ts';

it('a download gives no chunk that was still being read when the right to it ended', async () => {
  let end = (_reason: unknown) => {};
  async function* source() {
    yield Uint8Array.of(1);
    end(new Error('The right has ended.'));
    yield Uint8Array.of(2);
  }
  const { first, rest } = await startReading(source(), 2, {
    begin: () => ({ took: () => {}, end: () => {} }),
    watch: cut => {
      end = cut;
      return { check: () => {}, stop: async () => {} };
    },
  });
  expect(first.value).toEqual(Uint8Array.of(1));
  await expect(rest.next()).rejects.toThrow('The right has ended.');
});
