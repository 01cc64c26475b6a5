import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ArchiveWriter } from '../../server/archive/archive-writer.ts';
import { bytesOf, seal } from '../../server/archive/seal.ts';
import { archiveFile } from '../../server/archive/source.ts';
import { verifyArchive } from '../../server/archive/verify.ts';
import { rehearse } from '../../server/cli/rehearse.ts';
import { scratchFolder } from '../scratch.ts';
import { refusal } from '../site.ts';

/** Where a damaged copy of an archive may lie. */
async function copyPlace(): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-archive-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'copy.tar');
}

it('refuses an archive of which any byte has changed', async () => {
  const folder = join(import.meta.dirname, '../releases');
  const whole = await readFile(join(folder, 'before-0.1.0.tar'));
  const file = await copyPlace();
  await writeFile(file, whole);
  await verifyArchive(await archiveFile(file));
  // Every header, part and gap is hit.
  for (let at = 0; at < whole.length; at += 251) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    await writeFile(file, changed);
    expect([at, await refusal(verifyArchive(await archiveFile(file)))]).toEqual([at, 'invalid-argument']);
  }
  await writeFile(file, whole);
  for (const length of [whole.length - 1, whole.length - 1024, whole.length - 2048, 5_000, 512, 1, 0]) {
    await truncate(file, length);
    expect([length, await refusal(verifyArchive(await archiveFile(file)))]).toEqual([
      length,
      'invalid-argument',
    ]);
  }
  await writeFile(file, Buffer.concat([whole, Buffer.from('x')]));
  expect(await refusal(verifyArchive(await archiveFile(file)))).toBe('invalid-argument');
});

it('rehearses a restore beside the archive, and leaves nothing there', async () => {
  const file = await copyPlace();
  await copyFile(join(import.meta.dirname, '../releases/before-0.1.0.tar'), file);
  expect(await rehearse(await archiveFile(file))).toEqual([]);
  expect(await readdir(dirname(file))).toEqual(['copy.tar']);
});

it('refuses an archive whose files would lie outside of the store', async () => {
  const bytes = Buffer.from('evil');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { manifest } = await verifyArchive(
    await archiveFile(join(import.meta.dirname, '../releases/before-0.1.0.tar')),
  );
  for (const key of ['../../evil', '/tmp/evil', 'a/b', '..', '', 'a\\b', 'a\0b']) {
    const file = await copyPlace();
    const writer = new ArchiveWriter();
    const written = pipeline(bytesOf(writer.tar), seal, createWriteStream(file));
    await writer.entry(`files/${sha256}`, bytes);
    const lines = writer.lines('stored', ['key', 'sha256', 'size']);
    await lines.add(JSON.stringify({ key, sha256, size: bytes.length }));
    await lines.end();
    const files = { count: 1, bytes: bytes.length };
    await writer.entry(
      'manifest.json',
      Buffer.from(JSON.stringify({ ...manifest, kinds: writer.kinds, files })),
    );
    writer.end();
    await written;
    await expect(verifyArchive(await archiveFile(file)), key).rejects.toThrow(
      'data/stored-0001.jsonl.gz is not what',
    );
  }
});

it('names the part that is damaged', async () => {
  const whole = await readFile(join(import.meta.dirname, '../releases/before-0.1.0.tar'));
  const file = await copyPlace();
  for (const name of ['data/posts-0001.jsonl.gz', 'data/users-0001.jsonl.gz', 'manifest.json']) {
    const changed = Buffer.from(whole);
    const at = whole.indexOf(name) + 512 + 100;
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(file, changed);
    await expect(verifyArchive(await archiveFile(file))).rejects.toThrow(name);
  }
});
