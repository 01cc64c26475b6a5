import { expect, it } from 'vitest';
import { post } from '../../../test/support/drafts.ts';
import { storableItem, storableName } from './storable.ts';

it('a file whose name would lead to a folder, or is none, is called file', () => {
  for (const name of ['', ' ', '\0', '.', '..', ' ..\n'])
    expect([name, storableName(name)]).toEqual([name, 'file']);
  for (const name of ['...', '..png', 'a.png']) expect(storableName(name)).toBe(name);
});

it('of more than thirty marks on one letter an import keeps thirty, and says so of a text', () => {
  const marked = (marks: number) => `a${'\u0301'.repeat(marks)}`;
  const comments = [{ id: '1', authorName: 'Mina', content: marked(40), time: 0 }];
  const draft = post({ title: marked(40), content: marked(40), comments });
  expect(storableItem(draft)).toMatchObject({
    title: marked(30),
    content: marked(30),
    comments: [{ content: marked(30) }],
    notes: ['of more than 30 marks on one letter the first 30 were kept'],
  });
  expect(storableItem(post({ content: marked(30) }))).toMatchObject({ content: marked(30), notes: [] });
});
