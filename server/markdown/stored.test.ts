import { expect, it } from 'vitest';
import { shownHtml } from './stored.ts';

it('the link of a heading that was stored with a name is shown without it', () => {
  const stored =
    '<h2 id="a">A<a class="anchor" href="#a" aria-label="Link to “A”"></a></h2><a href="/" aria-label="B">b</a>';
  expect(shownHtml(stored)).toBe(
    '<h2 id="a">A<a class="anchor" href="#a" aria-hidden="true" tabindex="-1"></a></h2><a href="/" aria-label="B">b</a>',
  );
});
