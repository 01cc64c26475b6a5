import { expect, it } from 'vitest';
import {
  emptyDraft as empty,
  fieldsOverLimit,
  isSameSave,
  linesOf,
  missingIn,
  stillTrue,
} from './post-fields.ts';

const essay = { ...empty, type: 'essay' as const };

it('the fields of an essay are asked for, bounded and compared only while the post is one', () => {
  const long = { title: 'a'.repeat(201), description: ' ', content: 'Words.', shownIn: 'footer' as const };
  expect(missingIn({ ...essay, ...long })).toEqual({
    description: 'A description is required for an essay.',
  });
  expect(fieldsOverLimit({ ...essay, ...long })).toEqual(['title']);
  expect(missingIn({ ...empty, ...long })).toEqual({});
  expect(fieldsOverLimit({ ...empty, ...long })).toEqual([]);
  expect(isSameSave({ ...empty, ...long }, { ...empty, content: 'Words.' })).toBe(true);
  expect(isSameSave({ ...essay, ...long }, { ...essay, ...long, shownIn: 'timeline' })).toBe(false);
});

it('a sentence about a field goes when the field changes, and one about the whole save stays', () => {
  const sentences = { content: 'Content is required.', tags: 'Too many tags.', save: 'Too often.' };
  const after = (part: Partial<typeof empty>) => stillTrue(sentences, empty, { ...empty, ...part });
  expect(after({ title: 'On rivers' })).toEqual(sentences);
  expect(after({ type: 'essay' })).toEqual({ tags: 'Too many tags.', save: 'Too often.' });
  expect(after({ tags: ['family'] })).toEqual({ content: 'Content is required.', save: 'Too often.' });
});

it('beside another version a draft shows its tags and files with their words, and no empty line', () => {
  const file = { url: '/files/a', name: 'ice.png', type: 'image/png', size: 1, thumbnail: null };
  const attachments = [
    { ...file, description: 'Ice.', alt: 'A lake' },
    { ...file, description: '' },
  ];
  expect(linesOf({ ...empty, attachments })).toEqual([
    { label: 'Attachments', words: 'ice.png (Ice.; A lake), ice.png' },
  ]);
  expect(linesOf({ ...empty, tags: ['family', 'trips'] })).toEqual([
    { label: 'Tags', words: 'family, trips' },
  ]);
});
