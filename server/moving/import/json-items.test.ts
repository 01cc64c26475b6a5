import { expect, it } from 'vitest';
import { type JsonItem, readJsonItems } from './json-items.ts';

async function read(text: string | AsyncIterable<Uint8Array>, ...paths: string[]): Promise<JsonItem[]> {
  const bytes = typeof text === 'string' ? pieces(Buffer.from(text), 3) : text;
  const items: JsonItem[] = [];
  for await (const item of readJsonItems(bytes, paths)) items.push(item);
  return items;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

it('each item comes with its place, also where a piece of the file ends within a character', async () => {
  expect(await read('{"a": {"é": {"n": 1}, "👋": [2]}, "b": {"x": 3}}', '$.a.*')).toEqual([
    { path: ['a', 'é'], value: { n: 1 } },
    { path: ['a', '👋'], value: [2] },
  ]);
  expect(await read('{"users": [{"id": 1}, {"id": 2}]}', '$.users.*')).toEqual([
    { path: ['users', 0], value: { id: 1 } },
    { path: ['users', 1], value: { id: 2 } },
  ]);
});

it('a file that is cut short, and one that is no JSON, are refused', async () => {
  for (const text of ['', '{"users": [{"id": 1}', '{"users": nothing}', '[1, 2', '\u0000']) {
    await expect(read(text, '$.users.*')).rejects.toThrow('It is not whole JSON');
  }
});

it('an item that is larger than any post is refused before it fills the memory', async () => {
  let sent = 0;
  const endless = (async function* () {
    yield Buffer.from('{"users": ["');
    for (; sent < 2_048; sent += 1) yield Buffer.alloc(1024 * 1024, 'x');
  })();
  await expect(read(endless, '$.users.*')).rejects.toThrow('larger than 64 MB');
  expect(sent).toBeLessThan(100);
});
