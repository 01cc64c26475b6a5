import { expect, test } from 'vitest';
import { languageOf } from './title.ts';

const of = (html: string) => languageOf({ type: 'short', html } as Parameters<typeof languageOf>[0]);

test('the language of the title of an essay is what the server says', () => {
  const essay = { type: 'essay', title: 'Am Fluss', language: 'de', html: '<p lang="ar">على النهر</p>' };
  expect(languageOf(essay as Parameters<typeof languageOf>[0])).toBe('de');
});

test('the language of the name of a short post is that of its first block', () => {
  expect(of('<p lang="de">Am Fluss.</p>\n<p lang="de">Nebel.</p>')).toBe('de');
  expect(of('<h2 id="fluss" lang="de">Am Fluss</h2>')).toBe('de');
});

test('the language of a name is not told where the text does not say it, also by words that look like it', () => {
  expect(of('<p>By the river.</p>')).toBeUndefined();
  expect(of('<p title="a"> lang="de" </p>')).toBeUndefined();
  expect(of('By <em lang="de">Fluss</em>')).toBeUndefined();
  expect(of('')).toBeUndefined();
});
