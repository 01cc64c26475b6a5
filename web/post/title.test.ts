import { expect, test } from 'vitest';
import { languageOf } from './title.ts';

const of = (html: string) => languageOf({ html } as Parameters<typeof languageOf>[0]);

test('the language of a title is what a list says of an essay', () => {
  const essay = { type: 'essay', title: 'Am Fluss', language: 'de' };
  expect(languageOf(essay as Parameters<typeof languageOf>[0])).toBe('de');
});

test('the language of a title is that of the first block of the text', () => {
  expect(of('<p lang="de">Am Fluss.</p>\n<p lang="de">Nebel.</p>')).toBe('de');
  expect(of('<h2 id="fluss" lang="de">Am Fluss</h2>')).toBe('de');
});

test('the language of a title is not told where the text does not say it, also by words that look like it', () => {
  expect(of('<p>By the river.</p>')).toBeUndefined();
  expect(of('<p title="a"> lang="de" </p>')).toBeUndefined();
  expect(of('By <em lang="de">Fluss</em>')).toBeUndefined();
  expect(of('')).toBeUndefined();
});
