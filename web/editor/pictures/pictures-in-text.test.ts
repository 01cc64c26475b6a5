import { expect, it } from 'vitest';
import { pictureMarkdown, picturesIn } from './pictures-in-text.ts';

it('pictures in a text are found with their words and captions, where they stand', () => {
  const content =
    'See ![a \\[gate\\]](/files/abc/a.jpg "The \\"old\\" gate")\n![](/files/abd)\n![x](https://else/x.png)';
  const found = picturesIn(content);
  expect(found.map(({ from: _from, to: _to, ...rest }) => rest)).toEqual([
    { url: '/files/abc/a.jpg', alt: 'a [gate]', caption: 'The "old" gate' },
    { url: '/files/abd', alt: '', caption: '' },
  ]);
  expect(found.map(({ from, to }) => content.slice(from, to))).toEqual([
    '![a \\[gate\\]](/files/abc/a.jpg "The \\"old\\" gate")',
    '![](/files/abd)',
  ]);
});

it('pictures that are written into a text are read as the same', () => {
  for (const words of ['', 'plain', 'a "b" [c] \\ `d` *e* _f_ & <g>', 'ends with \\']) {
    const one = { url: '/files/abc/a.jpg', alt: words, caption: words };
    expect(picturesIn(pictureMarkdown(one))).toMatchObject([one]);
  }
});
