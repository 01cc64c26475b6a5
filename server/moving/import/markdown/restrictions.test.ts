import { expect, it } from 'vitest';
import { restrictionIn } from './restrictions.ts';

it('a restriction is quoted in whole characters', () => {
  const family = '👨‍👩‍👧‍👦';
  const restriction = restrictionIn(new Map([['restricted', family.repeat(50)]]));
  expect(restriction).toBe(`restricted: ${family.repeat(39)}…`);
});
