import { expect, it } from 'vitest';
import { titleOfDraft } from './openness.ts';

const nameOf = (content: string, title?: string) => titleOfDraft({ title, content, fallbackTitle: '2020' });

it('a post without a title is named by its first words, or else by what its source calls it', () => {
  expect(nameOf('**Up** the hill.', 'Hills')).toBe('Hills');
  expect(nameOf('<p class="a">**Up** the<br/>hill.</p>')).toBe('Up the hill.');
  expect(nameOf('<img src="a.png">')).toBe('2020');
});

it('angle brackets that are no tag stay in the name of a post', () => {
  expect(nameOf('If 1 < 2 and 3 > 2, then.')).toBe('If 1 < 2 and 3 > 2, then.');
  expect(nameOf('See <https://a.example/x> for more.')).toBe('See https://a.example/x for more.');
});
