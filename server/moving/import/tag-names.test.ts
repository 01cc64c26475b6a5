import { expect, it } from 'vitest';
import { lostWords } from './html/lost-words.ts';
import { linkedSource } from './markdown/addresses.ts';
import { byComposedName } from './media/composed-names.ts';
import { visibleName } from './tag-names.ts';

it('a name of dots alone, which a tag cannot have, is kept for its posts in parentheses', () => {
  expect(['.', ' ..', '...', 'a.b\u200b'].map(visibleName)).toEqual(['(.)', '(..)', '...', 'a.b']);
});

// Composing so many takes an hour, and the test never ends.
it.each([
  ['marks', 'a', '\u0316\u0301'],
  ['marks between invisible characters', 'a', `${'\u0316\u0301'.repeat(10)}\u0001`],
])('an import composes names and texts of a million %s in time linear in them', (_, letter, mark) => {
  const long = letter + mark.repeat(1_000_000 / mark.length);
  expect(visibleName(long)).toHaveLength(30);
  expect(linkedSource(`${long}.md`, 'a.md', new Set())).toBeUndefined();
  expect([...byComposedName([long]).values()]).toEqual([long]);
  expect(lostWords(long, long)).toBeUndefined();
});
