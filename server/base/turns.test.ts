import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('people take turns, each with their work in its order, and work for nobody comes after five of theirs', () => {
  const turns = new Turns<{ by: string | undefined; name: string }>();
  const add = (by: string | undefined, ...names: string[]) => {
    for (const name of names) turns.add({ by, name });
  };
  const next = (count: number) => Array.from({ length: count }, () => turns.take()?.name);
  add(undefined, 'size 1', 'size 2');
  add('anna', 'a1', 'a2', 'a3');
  add('ben', 'b1', 'b2');
  expect(next(2)).toEqual(['a1', 'b1']);
  add('carol', 'c1', 'c2');
  expect([turns.of('anna').length, turns.of('carol').length, turns.of('dave').length]).toEqual([2, 2, 0]);
  expect(next(7)).toEqual(['a2', 'c1', 'b2', 'size 1', 'a3', 'c2', 'size 2']);
  add('ben', 'b3');
  expect(next(2)).toEqual(['b3', undefined]);
});
