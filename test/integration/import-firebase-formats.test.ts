import { readFile, rm } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { ZipFile } from 'yauzl';
import { parseHashConfig } from '../../server/moving/import/firebase/auth-export.ts';
import { Documents } from '../../server/moving/import/firebase/documents.ts';
import { openFileTree } from '../../server/moving/import/media/tree.ts';
import { describeSqlite } from '../support/engines.ts';
import { firebaseImport, stateOf } from '../support/firebase-import.ts';
import { documents, nestedBy } from '../support/firebase-project.ts';
import { firestoreExport } from '../support/firestore-export.ts';
import type { Site } from '../support/site.ts';
import { zipOf } from '../support/zip.ts';

const { at, write, writeProject, sourceOf, run } = firebaseImport();

it('a Firebase project that cannot be imported leaves nothing open', async () => {
  const zip = (name: string, words: string) => ({
    [name]: zipOf([{ name: 'a.json', bytes: Buffer.from(words) }]),
  });
  await write({ ...zip('bucket.zip', ''), ...zip('empty.zip', '[]'), ...zip('damaged.zip', '{"users":[{') });
  const [store, zips] = [vi.spyOn(Documents.prototype, 'close'), vi.spyOn(ZipFile.prototype, 'close')];
  for (const [folder, open, message] of [
    ['none', 1, 'There is no folder or file'],
    // The archive is opened once more each time that the file in it is read.
    ['empty.zip', 3, 'There is no export of Firestore'],
    ['damaged.zip', 4, 'a.json cannot be imported'],
  ] as const) {
    await expect(sourceOf({ folder: at(folder), storage: at('bucket.zip') })).rejects.toThrow(message);
    expect([folder, store.mock.calls.length, zips.mock.calls.length]).toEqual([folder, 1, open]);
    for (const spy of [store, zips]) spy.mockClear();
  }
});

describeSqlite(({ site }) => {
  it('a Firebase project is refused completely if a file is damaged or missing', async () => {
    await writeProject();
    const damaged = firestoreExport(documents());
    damaged[200] = (damaged[200] ?? 0) ^ 1;
    await write({ 'export/firestore_export/all_namespaces/all_kinds/output-0': damaged });
    await expect(sourceOf()).rejects.toThrow(/output-0 cannot be imported\. It is damaged at byte/);
    await rm(at('export/firestore_export'), { recursive: true });
    await expect(sourceOf()).rejects.toThrow('There is no export of Firestore');
    expect(() => parseHashConfig('algorithm: BCRYPT')).toThrow('only Firebase');
    expect(() => parseHashConfig('rounds: 8')).toThrow('base64_signer_key');
  });

  it('a Firebase project is read equally from zip archives', async () => {
    await writeProject();
    for (const folder of ['export', 'bucket']) {
      const tree = await openFileTree(at(folder));
      const entries = (await tree.paths()).map(async name => ({
        name,
        bytes: await readFile(at(folder, name)),
      }));
      await write({ [`${folder}.zip`]: zipOf(await Promise.all(entries)) });
    }
    const [original, s] = [await site(), await site()];
    const source = sourceOf({ folder: at('export.zip'), storage: at('bucket.zip') });
    expect(await run(s, { source })).toEqual(await run(original));
    expect((await stateOf(s)).files).toHaveLength(2);
  });

  it('a Firebase project is read equally from the dumps of the common tools', async () => {
    await writeProject();
    const original = await site();
    await run(original);
    const told = async (s: Site) => {
      const { posts: rows, users: people, comments, likes } = await stateOf(s);
      return [
        rows.map(({ id, created_at, published_at }) => [id, created_at, published_at]),
        people,
        comments,
        likes,
      ];
    };
    const expected = await told(original);
    const plain = (wrap: (seconds: object) => unknown) =>
      Object.entries(documents()).map(([path, fields]) => [
        path,
        JSON.parse(JSON.stringify(fields), (_, value) =>
          typeof value === 'object' && value !== null && 'milliseconds' in value
            ? wrap({
                _seconds: Math.floor(value.milliseconds / 1_000),
                _nanoseconds: (value.milliseconds % 1_000) * 1e6,
              })
            : value,
        ),
      ]) as [string, Record<string, unknown>][];
    const dumps: Record<string, string> = {
      'backfire.ndjson': plain(time => time)
        .map(([path, data]) => JSON.stringify({ path, data }))
        .join('\n'),
      'nested.json': JSON.stringify({
        __collections__: nestedBy(
          plain(value => ({ __datatype__: 'timestamp', value })),
          '__collections__',
        ),
      }),
      'collections.json': JSON.stringify(
        nestedBy(
          plain(time => time),
          'subCollection',
        ),
      ),
    };
    for (const [name, dump] of Object.entries(dumps)) {
      await rm(at('export/firestore_export'), { recursive: true, force: true });
      await write({ [`export/firestore_export/${name}`]: dump });
      const s = await site();
      await run(s);
      expect([name, await told(s)]).toEqual([name, expected]);
    }
  });
});
