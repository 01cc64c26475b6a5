import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { firestoreExport, logOf, pieceOf, Timestamp } from '../../../../test/support/firestore-export.ts';
import { readEntity } from './entity.ts';
import { readLog } from './leveldb-log.ts';

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/firestore');

async function read(file: Uint8Array, chunkBytes = file.length || 1) {
  const chunks = (async function* () {
    for (let start = 0; start < file.length; start += chunkBytes)
      yield file.subarray(start, start + chunkBytes);
  })();
  const documents: ReturnType<typeof readEntity>[] = [];
  for await (const record of readLog(chunks)) documents.push(readEntity(record));
  return documents;
}

it('a managed export gives back every kind of value', async () => {
  const fields = {
    text: 'Grüße 👋',
    empty: '',
    whole: -3,
    large: 2 ** 52,
    part: 1.5,
    yes: true,
    no: false,
    nothing: null,
    tags: ['family', '', 'friends'],
    none: [],
    map: { deep: { deeper: ['x'] } },
    attachments: [{ url: 'a', size: 1 }, { url: 'b' }],
    __proto__x: 'a field like any other',
  };
  const documents = {
    'posts/abc': { ...fields, at: new Timestamp(-1_234) },
    'posts/abc/comments/d': { n: 1 },
  };
  expect(await read(firestoreExport(documents, 'my-project'))).toEqual([
    {
      path: 'posts/abc',
      project: 'my-project',
      fields: { ...fields, at: { _seconds: -2, _nanoseconds: 766_000_000 } },
    },
    { path: 'posts/abc/comments/d', project: 'my-project', fields: { n: 1 } },
  ]);
});

it('a managed export is read across blocks, whatever pieces it comes in', async () => {
  const documents = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`posts/${index}`, { content: 'x'.repeat(index * 911) }]),
  );
  // Some end so close to a block's end that no header fits after them.
  const file = firestoreExport(documents);
  const expected = Object.keys(documents);
  for (const chunkBytes of [1_000, 32_768, 1_000_000]) {
    expect((await read(file, chunkBytes)).map(({ path }) => path)).toEqual(expected);
  }
});

it('a managed export is refused where a byte has changed, with the place', async () => {
  const file = firestoreExport({ 'posts/a': { title: 'One' }, 'posts/b': { title: 'Two' } });
  for (const at of [0, 5, 8, file.length - 1]) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(read(changed)).rejects.toThrow(/It is damaged at (?:byte \d+|its end)/);
  }
  await expect(read(file.subarray(0, file.length - 1))).rejects.toThrow('ends within a record');
});

it('a managed export is refused where a record has no end, is no document, or is larger than any', async () => {
  const whole = logOf([Buffer.alloc(100_000, 7)]);
  await expect(read(whole.subarray(0, 65_536))).rejects.toThrow('ends within a record');
  await expect(read(whole)).rejects.toThrow('A record is no document');
  await expect(read(logOf([Buffer.alloc(17 * 1024 * 1024)]))).rejects.toThrow('larger than any document');
  const pieces = [pieceOf(2, Buffer.of(0)), ...Array(3_000).fill(pieceOf(3, Buffer.of(0)))];
  await expect(read(Buffer.concat(pieces))).rejects.toThrow('larger than any document');
});

it('an export that another program wrote is read', async () => {
  const posts = await read(await readFile(join(fixtures, 'nfc-blogsite-output-0')));
  expect(posts.map(post => post.fields)).toMatchObject([
    { title: 'another test title', createdAt: { _seconds: 1755305278, _nanoseconds: 195000000 } },
    { title: 'test title', content: 'test content' },
    { title: 'test content' },
  ]);
  const widgets = await read(await readFile(join(fixtures, 'issues-7553-output-0')));
  expect(widgets.map(({ path, project }) => [path.split('/')[0], project])).toEqual(
    Array.from({ length: 5 }, () => ['widgets', 'demo-project']),
  );
});
