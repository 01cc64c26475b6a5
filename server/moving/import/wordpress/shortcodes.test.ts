import { expect, it } from 'vitest';
import { withoutBrackets, withoutShortcodes } from './shortcodes.ts';
import { readSite } from './site.ts';

const site = await readSite([]);
const plain = (content: string) => withoutShortcodes(content, site, '1');

it('a caption stands below its picture, whatever brackets are in quotation marks', () => {
  expect(plain('[caption id="a[audio]" width=\'3\']<a href="b"><img src="c"></a> Words[/caption]')).toBe(
    '\n\n<figure><a href="b"><img src="c"></a><figcaption>Words</figcaption></figure>\n\n',
  );
});

it.each(['[audio ', '[audio src="a" ', `[audio "'`, '[caption "', '[abc a'])(
  'shortcodes of WordPress that never end are read in time linear in their length: %s',
  unit => {
    const content = unit.repeat(2_000_000 / unit.length);
    expect([plain(content) === content, withoutBrackets(content) === content]).toEqual([true, true]);
  },
);

it('a post that repeats its gallery until no post is as long is refused', async () => {
  const picture = { url: 'https://blog.example/a.jpg', alt: '', caption: '' };
  const pictured = { ...site, attachments: new Map([['7', picture]]), uploadedTo: new Map([['1', ['7']]]) };
  const repeated = (times: number) => withoutShortcodes('[gallery]'.repeat(times), pictured, '1');
  expect(repeated(2).match(/<img/g)).toHaveLength(2);
  expect(() => repeated(100_000)).toThrow('it is too long for a post');
});

it('pictures of a caption that never end are read in time linear in their length', () => {
  const inside = '<img'.repeat(500_000);
  expect(plain(`[caption]${inside}[/caption]`)).toHaveLength(
    inside.length + plain('[caption][/caption]').length,
  );
});
