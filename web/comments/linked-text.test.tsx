import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LinkedText, piecesOf } from './linked-text.tsx';

const links = (text: string) => piecesOf(text).flatMap(piece => piece.href ?? []);

it.each([
  ['see https://a.example/x?y=1#z.', ['https://a.example/x?y=1#z']],
  ['(https://a.example/x), or HTTP://b.example!', ['https://a.example/x', 'HTTP://b.example']],
  ['https://en.wikipedia.org/wiki/Rust_(film)', ['https://en.wikipedia.org/wiki/Rust_(film)']],
  ['(as in https://en.wikipedia.org/wiki/Rust_(film))', ['https://en.wikipedia.org/wiki/Rust_(film)']],
  ['javascript:alert(1) data:text/html,x ftp://a.example //a.example', []],
  ['https:// http://', []],
  ['<https://a.example>"https://b.example"', ['https://a.example', 'https://b.example']],
])('the addresses in %j are %j', (text, expected) => {
  expect(links(text)).toEqual(expected);
});

it('making links keeps every character of the text', () => {
  const text = 'one\n\n  two https://a.example/, three (http://b.example/c).\n';
  expect(
    piecesOf(text)
      .map(piece => piece.text)
      .join(''),
  ).toBe(text);
});

it('28. addresses in a comment are links that reveal nothing of this site, and markup stays text', () => {
  const html = renderToStaticMarkup(
    <LinkedText text={'<img src=x onerror=alert(1)> https://a.example/"x'} />,
  );
  expect(html).toBe(
    '&lt;img src=x onerror=alert(1)&gt; <a href="https://a.example/" rel="noopener noreferrer nofollow ugc">https://a.example/</a>&quot;x',
  );
});
