import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { DraftFile } from '../draft.ts';
import { openFileTree } from './tree.ts';

const { at } = temporaryFolder();

async function bytesOf(file: DraftFile | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function zip(...entries: Parameters<typeof zipOf>[0]) {
  const path = at('archive.zip');
  await writeFile(path, zipOf(entries));
  return path;
}

it('a folder and a zip archive give the same files', async () => {
  await mkdir(at('tree/a'), { recursive: true });
  await writeFile(at('tree/a/b.txt'), 'words');
  await writeFile(at('tree/ü.txt'), 'more');
  const packed = await zip(
    { name: 'a/', bytes: Buffer.alloc(0) },
    { name: 'a/b.txt', bytes: Buffer.from('words') },
    { name: 'ü.txt', bytes: Buffer.from('more') },
  );
  for (const path of [at('tree'), packed]) {
    const tree = await openFileTree(path);
    expect(await tree.paths()).toEqual(['a/b.txt', 'ü.txt']);
    const file = await tree.find('a/b.txt');
    expect(file).toMatchObject({ name: 'b.txt', size: 5 });
    // Each read begins at the start.
    expect([await bytesOf(file), await bytesOf(file)]).toEqual(['words', 'words']);
    expect(await tree.find('a')).toBeUndefined();
    expect(await tree.find('none')).toBeUndefined();
    await tree.close();
  }
});

it('nothing leads out of a folder', async () => {
  await writeFile(at('secret'), 'secret');
  await mkdir(at('tree'));
  await symlink(at('secret'), at('tree/link'));
  await symlink(at(), at('tree/up'));
  const tree = await openFileTree(at('tree'));
  for (const path of ['../secret', 'link', 'up/secret', '/../secret', 'tree/../../secret', '../secret\0.png'])
    expect([path, await tree.find(path)]).toEqual([path, undefined]);
  expect(await tree.paths()).toEqual([]);
});

it('an archive with a path that leads out of it is refused', async () => {
  for (const name of ['../evil', '/etc/evil', 'a/../../evil', 'C:/evil', 'a\\..\\..\\evil']) {
    const tree = openFileTree(await zip({ name, bytes: Buffer.from('x') }));
    await expect(
      tree.then(one => one.paths()),
      name,
    ).rejects.toThrow('The archive cannot be read');
  }
});

it('a file that unpacks to more than it says is read only up to that length', async () => {
  const bomb = { name: 'bomb.png', bytes: Buffer.alloc(64 * 1024 * 1024), claimedSize: 100 };
  const tree = await openFileTree(await zip(bomb));
  const file = await tree.find('bomb.png');
  expect(file?.size).toBe(100);
  let read = 0;
  const all = async () => {
    for await (const chunk of file?.read() ?? []) read += chunk.length;
  };
  await expect(all()).rejects.toThrow('The archive cannot be read: too many bytes');
  expect(read).toBeLessThan(1_000_000);
  await tree.close();
});

it('what is no archive, and one that is cut short, are refused', async () => {
  const whole = zipOf([{ name: 'a', bytes: Buffer.from('x'.repeat(1_000)) }]);
  for (const bytes of [Buffer.from('no'), Buffer.alloc(0), whole.subarray(0, -10), whole.subarray(30)]) {
    await writeFile(at('x.zip'), bytes);
    const read = openFileTree(at('x.zip')).then(async tree => await bytesOf(await tree.find('a')));
    await expect(read).rejects.toThrow('The archive cannot be read');
  }
  await expect(openFileTree(at('none'))).rejects.toThrow('There is no folder or file');
});

it('files are found by decomposed names, by unmarked UTF-8, and below a folder around them', async () => {
  const name = 'Wanderungen/Blüten/ö.txt';
  const real = name.normalize('NFD');
  await mkdir(at('tree', real, '..'), { recursive: true });
  await writeFile(at('tree', real), 'words');
  await writeFile(at('tree/._a.txt'), 'attributes');
  const bytes = Buffer.from('words');
  const packed = await zip(
    { name: real, bytes, isFlagged: false },
    { name: `__MACOSX/${real}`, bytes },
    { name: '__MACOSX/._Wanderungen', bytes },
    { name: 'Wanderungen/.DS_Store', bytes },
  );
  for (const path of [at('tree'), packed]) {
    const tree = await openFileTree(path);
    expect(await tree.paths()).toEqual([name]);
    for (const written of [name, `/${name}`, real])
      expect(await bytesOf(await tree.find(written))).toBe('words');
    await tree.close();
  }
  const tree = await openFileTree(packed);
  expect(await bytesOf(await tree.find('Blüten/ö.txt'))).toBe('words');
  await tree.close();
});

it('a name of the alphabet of DOS stays readable', async () => {
  const path = at('dos.zip');
  const archive = zipOf([{ name: 'Bl#ten.txt', bytes: Buffer.from('words'), isFlagged: false }]);
  await writeFile(path, Buffer.from(archive.toString('latin1').replaceAll('#', '\x81'), 'latin1'));
  const tree = await openFileTree(path);
  expect(await tree.paths()).toEqual(['Blüten.txt']);
  await tree.close();
});
