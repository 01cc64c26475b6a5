import { expect, test } from 'vitest';
import { cardOf } from './link-cards.ts';

test('a card is a link with a title, in which nothing of the page is Markdown', () => {
  const told = { title: 'On [rain] *now*', sentence: 'They said "wet".', picture: '/files/a/link.webp' };
  expect(cardOf('https://example.org/a_(b)', told)).toBe(
    String.raw`[![](/files/a/link.webp) On \[rain\] \*now\*](https://example.org/a_%28b%29 "They said \"wet\".")`,
  );
  const bare = { title: 'Rain', sentence: '', picture: null };
  expect(cardOf('https://example.org/', bare)).toBe('[Rain](https://example.org/ "example.org")');
});
