import { expect, test } from 'vitest';
import { languageOfHtml } from './language.ts';

test('the language of rendered HTML is that of its first block', () => {
  expect(languageOfHtml('<p lang="de">Am Fluss.</p>\n<p lang="ar">على النهر</p>')).toBe('de');
  expect(languageOfHtml('<h2 id="fluss" lang="de">Am Fluss</h2>')).toBe('de');
});

test('the language of rendered HTML is not told where it does not say it, also by words that look like it', () => {
  expect(languageOfHtml('<p>By the river.</p>')).toBeUndefined();
  expect(languageOfHtml('<p title="a"> lang="de" </p>')).toBeUndefined();
  expect(languageOfHtml('By <em lang="de">Fluss</em>')).toBeUndefined();
  expect(languageOfHtml('')).toBeUndefined();
});
