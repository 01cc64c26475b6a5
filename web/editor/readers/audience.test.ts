import { expect, it } from 'vitest';
import { audienceText, effectText } from './audience.tsx';

it('the readers of a post are described, also where there are no members yet', () => {
  const told = (memberCount: number, memberTotal: number) =>
    audienceText({ isPublic: false, memberCount, memberTotal, restrictedBy: ['Family'] });
  expect(told(0, 0)).toBe('Only admins, until a member is approved for “Family”.');
  expect(told(0, 2)).toBe('Only admins: none of 2 members is approved for “Family”.');
});

it('the effect of other tags is described, also when some members gain a post and as many lose it', () => {
  const told = (wasPublic: boolean, isPublic: boolean, membersGained = 0, membersLost = 0) =>
    effectText({ wasPublic, isPublic, membersGained, membersLost });
  expect(told(true, true)).toBe('');
  expect(told(false, false)).toBe('');
  expect(told(false, true, 3)).toBe('becomes visible to visitors');
  expect(told(true, false, 0, 2)).toBe('is hidden from visitors and from 2 members');
  expect(told(false, false, 1)).toBe('becomes visible to 1 member more');
  expect(told(false, false, 0, 2)).toBe('is hidden from 2 members');
  expect(told(false, false, 1, 1)).toBe('becomes visible to 1 member more and is hidden from 1 member');
});
