import { expect, it } from 'vitest';
import { PendingChanges } from './pending-changes.ts';

const everything = { has: () => true, ids: [] };
const followed = { bySession: everything, byUser: everything, byPost: everything };

it('after a change of the default tags, what was read of any post before is read again', () => {
  const due = new PendingChanges(followed);
  due.add(new Set(['tags']));
  expect([due.mayHaveOtherReaders('one'), due.mayHaveOtherReaders('other')]).toEqual([true, true]);
  due.takePosts();
  expect(due.mayHaveOtherReaders('one')).toBe(false);
});

it('after a change of a post, what was read of that post before is read again', () => {
  const due = new PendingChanges(followed);
  due.add(new Set(['post:one', 'counts:other']));
  expect([due.mayHaveOtherReaders('one'), due.mayHaveOtherReaders('other')]).toEqual([true, false]);
});
