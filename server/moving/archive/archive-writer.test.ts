import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { ArchiveWriter } from './archive-writer.ts';
import { bytesOf, seal } from './seal.ts';

it('a writer tells why an archive cannot be written before it tells that its entry has ended', async () => {
  const writer = new ArchiveWriter();
  const told: string[] = [];
  const tell = (error: Error) => void told.push(error.message);
  const size = 64 * 1024;
  const chunks = Array.from({ length: 200 }, () => Buffer.alloc(size));
  // Opened for reading only.
  const file = await open(import.meta.filename);
  await Promise.all([
    writer.stream('files/a', chunks.length * size, chunks).catch(tell),
    pipeline(bytesOf(writer.tar), seal, file.createWriteStream()).catch(tell),
  ]);
  expect(told[0]).toContain('EBADF');
});
