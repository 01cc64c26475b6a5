import { expect, it } from 'vitest';
import { shortPostMaxMarkdown } from './constants.ts';
import { countShortPost } from './visible-text.ts';

const picture = '![IMG_4711.HEIC.jpg](/files/Xk3aaaaaaaaaaaaaaaaaaa/IMG_4711.HEIC.jpg)';

it.each([
  ['', 0],
  ['a'.repeat(300), 300],
  ['👨‍👩‍👧‍👦🇫🇷e\u0301', 3],
  // Link targets and alternative texts are not visible; a bare address is.
  [`Ten.\n\n${`${picture}\n\n`.repeat(10)}`, 4],
  ['[here](https://example.com/a/long/address "and a title")', 4],
  ['[here][1]\n\n[1]: https://example.com/a/long/address', 4],
  ['https://a.example', 17],
  ['<https://a.example>', 17],
  [`[${picture}](https://example.com)`, 0],
  // The title of a picture or player is its caption.
  ['![A gate](/a.jpg "Oak gate")', 8],
  ['One\n\n![](/a.jpg "Oak")\n![](/b.jpg (Elm))', 11],
  ['![](/a.jpg "A \\"gate\\"")', 8],
  ['![](/a.jpg "IMG_4711.jpg")', 0],
  ['[Video: Oak](/files/a/v.mp4 "A gate")', 17],
  // The signs of Markdown are not visible.
  ['**bold** *soft* ~~gone~~ `code`', 19],
  ['# Title\n\n> quote\n\n- one\n- two', 19],
  ['a \\* b &amp; c', 9],
  ['seen <!-- not seen --> <b>bold</b>', 9],
  ['2 * 3 < 4', 9],
  ['one  \n\n\ntwo\n', 7],
])('%j shows %i characters', (content, characters) => expect(countShortPost(content)).toBe(characters));

it('countShortPost stops above the limit', () => expect(countShortPost('a'.repeat(1_000), 300)).toBe(301));

it('a text that is far longer than what shows of it counts as it is written', () =>
  expect(countShortPost(`![](${'a'.repeat(shortPostMaxMarkdown)})`, 300)).toBe(301));
