import { expect, it } from 'vitest';
import { pictureOfSite } from './picture-of-site.ts';

const origin = 'https://blog.example';
const found = (html: string, files = 1) =>
  pictureOfSite({ files: { length: files }, getData: kind => (kind === 'text/html' ? html : '') }, origin);

it('a picture that is dragged from a page of this site is known by its address, in any of its sizes', () => {
  const address = '/files/abcdefghijklmnop/ice.jpg';
  expect(found(`<img src="${origin}${address}" alt="Ice">`)).toBe(address);
  expect(found(`<meta charset='utf-8'><img class="a" src="${origin}${address}?width=480">`)).toBe(address);
  expect(found('<a href="/"><img alt="" src="/files/abcdefghijklmnop"></a>')).toBe('/files/abcdefghijklmnop');
});

it('a picture of another site, another address of this one, and a file from the disk are none of its pictures', () => {
  for (const html of [
    '',
    '<p>Words</p>',
    '<img src="https://other.example/files/abcdefghijklmnop/ice.jpg">',
    `<img src="${origin}/icon-192.png">`,
    '<img src="file:///home/mina/ice.jpg">',
    '<img src="data:image/png;base64,AAAA">',
    '<img src="https://[">',
  ])
    expect([html, found(html)]).toEqual([html, undefined]);
});

it('several files or pictures are never taken for a known picture, so that none is lost', () => {
  const html = '<img src="/files/abcdefghijklmnop/ice.jpg">';
  expect(found(html)).toBe('/files/abcdefghijklmnop/ice.jpg');
  expect(found(html, 2)).toBeUndefined();
  expect(found(`${html}<img src="https://other.example/thaw.jpg">`)).toBeUndefined();
});
