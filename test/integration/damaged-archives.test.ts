import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rehearse } from '../../server/cli/with-copy.ts';
import { freeIn } from '../../server/files/store/free-space.ts';
import { openFileStore } from '../../server/files/store/store.ts';
import { ArchiveWriter } from '../../server/moving/archive/archive-writer.ts';
import { bytesOf, seal } from '../../server/moving/archive/seal.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { refusal } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

/** Where a damaged copy of an archive may lie. */
async function copyPlace(): Promise<string> {
  const folder = await newFolder();
  return join(folder, 'copy.tar');
}

it('a restore refuses an archive of which any byte has changed', async () => {
  const folder = join(import.meta.dirname, '../releases');
  const whole = await readFile(join(folder, '0.1.0.tar'));
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

it('a restore is rehearsed beside the archive, and leaves nothing there', async () => {
  const file = await copyPlace();
  await copyFile(join(import.meta.dirname, '../releases/0.1.0.tar'), file);
  expect(await rehearse(await archiveFile(file))).toEqual([]);
  expect(await readdir(dirname(file))).toEqual(['copy.tar']);
});

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const evil = Buffer.from('evil');
const sha256 = digestOf(evil);
const longStored = JSON.stringify({ key: 'a', sha256, size: 4, more: 'x'.repeat(2_000) });
const fixture = join(import.meta.dirname, '../releases/0.1.0.tar');

/**
 * A whole archive with one file, these lines of one kind, and these keys in its manifest that are missing.
 */
async function archiveOf(kind: string, lines: readonly string[], missing: readonly string[] = []) {
  const file = await copyPlace();
  const writer = new ArchiveWriter();
  const written = pipeline(bytesOf(writer.tar), seal, createWriteStream(file));
  await writer.entry(`files/${sha256}`, evil);
  const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''));
  const part = { name: `data/${kind}-0001.jsonl.gz`, rows: lines.length, sha256: digestOf(bytes) };
  await writer.entry(part.name, gzipSync(bytes));
  const manifest = {
    format: 'coterie-archive',
    version: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    schema: '0041-first-release',
    site: 'of somebody',
    kinds: {
      [kind]: { columns: Object.keys(JSON.parse(lines[0] || '{}')), rows: lines.length, parts: [part] },
    },
    files: { count: 1, bytes: evil.length },
    missing,
  };
  await writer.entry('manifest.json', Buffer.from(JSON.stringify(manifest)));
  writer.end();
  await written;
  return await archiveFile(file);
}

it('a restore refuses an archive whose files would lie outside of the store', async () => {
  const stored = (key: string) => JSON.stringify({ key, sha256, size: evil.length });
  await verifyArchive(await archiveOf('stored', [stored('a')]));
  for (const key of ['../../evil', '/tmp/evil', 'a/b', '..', '', 'a\\b', 'a\0b']) {
    await expect(verifyArchive(await archiveOf('stored', [stored(key)])), key).rejects.toThrow(
      'data/stored-0001.jsonl.gz is not what',
    );
  }
});

const fileRow = {
  ...{
    created_at: 0,
    digest: '',
    generation: 1,
    height: null,
    id: 'UArxHiJFnj4lbuUk',
    md5: '',
    metadata: '{}',
  },
  ...{ metageneration: 1, name: 'c.txt', path: 'posts/a/c.txt', placeholder: null, size: 4 },
  ...{
    type: 'text/plain',
    updated_at: 0,
    uploader_id: null,
    variants: '[]',
    variants_due_at: null,
    width: null,
  },
};

it.each([
  { id: '../../../etc/passwd' },
  { variants: '[{"width":"/../../../../../etc/passwd","isOriginal":true,"type":"text/plain","size":4}]' },
  { variants: '[{"width":320,"type":"image/webp","size":4},{"width":["/../a"],"type":"a/b","size":4}]' },
])('a restore refuses an archive with a file that would be read from elsewhere (%o)', async changed => {
  const line = JSON.stringify({ ...fileRow, ...changed });
  await expect(rehearse(await archiveOf('files', [line]))).rejects.toThrow(
    'data/files-0001.jsonl.gz is not what',
  );
});

it('a restore refuses an archive with an id that could be the name of a file elsewhere', async () => {
  const archive = await archiveOf('tags', [
    JSON.stringify({ id: '../../evil', is_listed: 1, key: 'a', name: 'a' }),
  ]);
  await expect(rehearse(archive)).rejects.toThrow('data/tags-0001.jsonl.gz is not what');
});

it.each(['../secret', '/etc/passwd', 'a/../../secret', '..', '', 'a\\b', 'a\0b'])(
  'a store reads and removes nothing outside of it, such as %o',
  async key => {
    const dataDir = await newFolder();
    await writeFile(join(dataDir, 'secret'), 'a secret');
    const store = await openFileStore({ filesUrl: undefined, dataDir }, null);
    expect(() => store.read(key)).toThrow('This is no key of a store');
    await expect(store.remove(key)).rejects.toThrow('This is no key of a store');
    expect(await readdir(dataDir)).toEqual(['secret']);
  },
);

it.each(['sessions', 'email_links', 'kysely_migration', 'changes', 'transfers'])(
  'a restore refuses an archive with %s, which no archive has',
  async kind => {
    await expect(rehearse(await archiveOf(kind, ['{"id":"a"}']))).rejects.toThrow(`This archive has ${kind}`);
  },
);

it.each<[string, Parameters<typeof archiveOf>, string]>([
  ['more lines than a part has', ['posts', Array(9 * 1024 * 1024).fill('')], 'data/posts-0001.jsonl.gz'],
  ['a longer line than a file needs', ['stored', [longStored]], 'data/stored-0001.jsonl.gz'],
  ['a longer list than any site has', ['posts', [], Array(2 ** 20).fill('x'.repeat(32))], 'manifest.json'],
  ['a longer name than an entry has', ['a'.repeat(1_000), []], 'an entry of an unknown name'],
])('a restore refuses an archive with %s, which could take all memory', async (_, parts, named) => {
  await expect(verifyArchive(await archiveOf(...parts))).rejects.toThrow(`${named} is not what was written`);
});

it('no restore is rehearsed where the disk has no room', async () => {
  const archive = await archiveFile(fixture);
  await expect(rehearse(archive, async () => 10_000)).rejects.toThrow(
    /needs about .+ beside the archive, .+ free/,
  );
});

it('a restore is rehearsed on a drive that does not tell its size', async () => {
  const unknown = async () => ({ blocks: 0, bavail: 0, bsize: 4_096 });
  const archive = await archiveFile(fixture);
  expect(await rehearse(archive, folder => freeIn(folder, unknown))).toEqual([]);
});

it('a restore names the part that is damaged', async () => {
  const whole = await readFile(join(import.meta.dirname, '../releases/0.1.0.tar'));
  const file = await copyPlace();
  for (const name of ['data/posts-0001.jsonl.gz', 'data/users-0001.jsonl.gz', 'manifest.json']) {
    const changed = Buffer.from(whole);
    const at = whole.indexOf(name) + 512 + 100;
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(file, changed);
    await expect(verifyArchive(await archiveFile(file))).rejects.toThrow(name);
  }
});
