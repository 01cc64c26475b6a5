import { mkdtempDisposable, open, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { editFile } from './blank.ts';
import type { Span } from './spans.ts';

it('parts that lie together are filled by one write, and what is between them stays', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'blank-'));
  const path = join(folder.path, 'file');
  const bytes = Buffer.alloc(1_000_000, 'P');
  const small = Array.from({ length: 100_000 }, (_, index): Span => [3 * index, 3 * index + 2]);
  // Longer than what is read at once, and beyond the end.
  const parts: Span[] = [...small, [400_000, 900_000], [999_990, 1_000_010]];
  await writeFile(path, bytes);
  for (const [from, to] of parts) bytes.fill(0, from, Math.min(to, bytes.length));
  await using handle = await open(path, 'r+');
  const write = vi.spyOn(handle, 'write');
  expect(await editFile(handle, editor => editor.blankAll(parts))).toBe(true);
  expect(bytes.equals(await readFile(path))).toBe(true);
  expect(write.mock.calls.length).toBeLessThan(10);
  expect(await editFile(handle, editor => editor.blankAll(parts))).toBe(false);
});
