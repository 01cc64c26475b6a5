import { expect, it } from 'vitest';
import { FullName } from './accounts/sign-in.ts';
import { operations } from './operations.ts';
import { TagName } from './tags.ts';

/** Combining marks that normalisation must sort: 100,000 of them took seven seconds. */
const marks = `a${'\u0301'.repeat(50_000)}${'\u0323'.repeat(50_000)}`;

it('68. a name that is too long is refused before it is normalised, which takes time with the square of its length', () => {
  const { input } = operations.createAccessToken;
  // Normalised and trimmed, the second one would be short enough.
  for (const name of [marks, `${' '.repeat(1_000)}Mina Harker`]) {
    expect(FullName.safeParse(name).success).toBe(false);
    expect(TagName.safeParse(name).success).toBe(false);
    expect(input.safeParse({ name }).success).toBe(false);
  }
  expect(input.safeParse({ name: 'Mina Harker' }).success).toBe(true);
});

it('titles, descriptions, tags and comments count characters as people do', () => {
  const flag = '🇫🇷';
  const family = '👨‍👩‍👧‍👦';
  const { createPost, addComment } = operations;
  const essay = (fields: object) =>
    createPost.input.safeParse({
      type: 'essay',
      title: 't',
      description: 'd',
      content: 'c',
      isDraft: true,
      ...fields,
    });
  expect(essay({ title: family.repeat(200), description: family.repeat(500) }).success).toBe(true);
  expect(essay({ title: family.repeat(201) }).success).toBe(false);
  expect(essay({ tags: [flag.repeat(50)] }).success).toBe(true);
  expect(essay({ tags: [flag.repeat(51)] }).success).toBe(false);
  const comment = (content: string) => addComment.input.safeParse({ postId: 'p', content }).success;
  expect([comment(family.repeat(5_000)), comment(family.repeat(5_001))]).toEqual([true, false]);
});

it('a title keeps no character that turns the words beside it, and a name is refused with one', () => {
  const title = 'see \u202eevil\u202c and \u2067this\u2069';
  const parsed = operations.createPost.input.parse({
    type: 'essay',
    title,
    description: title,
    content: 'c',
    isDraft: true,
  });
  expect(parsed).toMatchObject({ title: 'see evil and this', description: 'see evil and this' });
  expect([TagName.safeParse(title).success, FullName.safeParse('Mina\u202e H').success]).toEqual([
    false,
    false,
  ]);
});

it.each(['\u200b\u200b', '\u2800', ' \u3164\u0001'])('a text of %j, which nobody sees, is refused', blank => {
  const { createPost, addComment } = operations;
  const essay = { type: 'essay', title: 'T', description: 'D', content: 'C', isDraft: true };
  for (const field of ['title', 'description', 'content'])
    expect(createPost.input.safeParse({ ...essay, [field]: blank }).success).toBe(false);
  expect(addComment.input.safeParse({ postId: 'p', content: blank }).success).toBe(false);
});

it('a tag is not named like the folder of an address', () => {
  const names = ['.', '..', '...', '%2F', 'a/b'];
  expect(names.filter(name => TagName.safeParse(name).success)).toEqual(['...', '%2F', 'a/b']);
});

it('a name that is too long only before it is normalised is accepted', () => {
  expect(TagName.parse(`  ${'e\u0301'.repeat(50)}  `)).toBe('é'.repeat(50));
});
