import { expect, it } from 'vitest';
import { ahead } from './ahead.ts';

const made = async (number: number) => `made ${number}`;

async function* numbers(most: number, read: (number: number) => void = () => {}) {
  for (let number = 1; number <= most; number += 1) {
    read(number);
    yield number;
  }
}

it('items come in order with what was made of them', async () => {
  const got: string[] = [];
  for await (const one of ahead(numbers(7), 3, made)) got.push(`${one.item} ${await one.made}`);
  expect(got).toEqual([1, 2, 3, 4, 5, 6, 7].map(number => `${number} made ${number}`));
});

it('the next item is read while the consumer is busy with an earlier one', async () => {
  const busy = Promise.withResolvers<void>();
  async function* slow() {
    yield* numbers(3);
    await busy.promise;
    yield 4;
  }
  const got: number[] = [];
  for await (const { item } of ahead(slow(), 3, made)) {
    got.push(item);
    if (item === 2) busy.resolve();
  }
  expect(got).toEqual([1, 2, 3, 4]);
});

it('no more items are read than are wanted ahead', async () => {
  let read = 0;
  const source = numbers(20, number => {
    read = number;
  });
  for await (const { item } of ahead(source, 3, made)) expect(read).toBeLessThanOrEqual(item + 2);
});

it('a source that breaks off gives what it had before', async () => {
  async function* broken() {
    yield* numbers(5);
    throw new Error('torn');
  }
  const got: number[] = [];
  const all = async () => {
    for await (const { item } of ahead(broken(), 3, made)) got.push(item);
  };
  await expect(all()).rejects.toThrow('torn');
  expect(got).toEqual([1, 2, 3, 4, 5]);
});

it('a consumer that stops waits for what has begun', async () => {
  let [begun, ended] = [0, 0];
  const slow = async () => {
    begun += 1;
    await new Promise(resolve => setImmediate(resolve));
    ended += 1;
  };
  for await (const _ of ahead(numbers(20), 3, slow)) break;
  expect(begun).toBeGreaterThan(1);
  expect(ended).toBe(begun);
});
