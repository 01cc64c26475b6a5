import { expect, it } from 'vitest';
import { groupsAtOnce, holdersAmong } from './effects.ts';

it('a preview yields to other work while it reads who holds which tags, however many groups there are', async () => {
  const groups = Array.from({ length: 3 * groupsAtOnce }, (_, place) => ({
    tags: place % 2 === 0 ? 'a' : 'a,b',
    members: 1,
  }));
  let turns = 0;
  let next: NodeJS.Immediate;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  const holders = await holdersAmong(groups, ['a', 'b', 'c']);
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(3);
  const bits = (id: string) => holders.get(id)?.toString(2).replaceAll('0', '').length;
  expect([bits('a'), bits('b'), bits('c')]).toEqual([groups.length, groups.length / 2, 0]);
});
