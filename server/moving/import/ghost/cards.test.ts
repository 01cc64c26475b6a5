import { expect, it } from 'vitest';
import { htmlToMarkdown } from '../html/to-markdown.ts';
import { rewriteCard } from './cards.ts';

it('the words of a card stay apart, also where some of them are marked', () => {
  const heading = '<h4 class="kg-toggle-heading-text">Read <em>much</em> more</h4>';
  const card = `<div class="kg-card kg-toggle-card">${heading}<div class="kg-toggle-content"><p>Text</p></div></div>`;
  expect(htmlToMarkdown(card, rewriteCard)).toContain('<summary>Read much more</summary>');
});
