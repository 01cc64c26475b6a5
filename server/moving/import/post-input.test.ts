import { expect, it } from 'vitest';
import { postInputOf } from './post-input.ts';

const long = 'Words and words. '.repeat(30);
const draft = {
  type: undefined,
  title: undefined,
  fallbackTitle: 'A long walk',
  description: undefined,
  content: long,
  isDraft: false,
};
const inputOf = (fields: Partial<Parameters<typeof postInputOf>[0]>, tags: readonly string[] = []) => {
  const written = { ...draft, ...fields };
  return postInputOf(written, tags, written.content);
};

it('a post of a few words without a title is a short post', () => {
  expect(inputOf({ content: 'Only a few words.' }).input).toEqual({
    type: 'short',
    content: 'Only a few words.',
    tags: [],
    isDraft: false,
  });
  expect(inputOf({ content: '👩‍👩‍👧‍👦'.repeat(300) }).input.type).toBe('short');
  expect(inputOf({ content: 'a'.repeat(301) }).input.type).toBe('essay');
});
it('the kind of a post is the one that the source tells', () => {
  expect(inputOf({ type: 'essay', content: 'Few words.' }).input).toMatchObject({ title: 'A long walk' });
  expect(inputOf({ type: 'short', title: 'Rivers', content: 'Few.' }).input.type).toBe('short');
  // Longer than a short post may be here: nothing is lost.
  expect(inputOf({ type: 'short', content: long }).input.type).toBe('essay');
});
it('an essay is described by its first words', () => {
  expect(inputOf({ title: 'Rivers' }).input).toMatchObject({
    title: 'Rivers',
    description: expect.stringMatching(/^Words .*…$/),
  });
});

it('what does not fit is cut, with a note', () => {
  const { input, notes } = inputOf({ title: 'title '.repeat(60), description: 'word '.repeat(200) });
  expect(input).toMatchObject({ title: expect.stringMatching(/^title .* title…$/) });
  expect(notes).toEqual(['its title was cut to 200 characters', 'its description was cut to 500 characters']);
});
it('a post keeps every tag, because one tag less can mean more readers', () => {
  const { input, notes } = inputOf({}, ['x'.repeat(60), '\u200B', 'Friends', 'friends']);
  expect(input.tags).toEqual(['x'.repeat(50), 'friends']);
  expect(notes).toHaveLength(2);
  const many = Array.from({ length: 51 }, (_, index) => `tag ${index}`);
  expect(() => inputOf({}, many)).toThrow('A post has at most 50 tags.');
});
