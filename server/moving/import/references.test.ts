import { expect, it } from 'vitest';
import { htmlToText } from './html/to-text.ts';
import { splitFrontMatter } from './markdown/front-matter.ts';
import { findReferences, withAddresses } from './references.ts';
import { firstWords } from './words.ts';

const replaced = (text: string) =>
  withAddresses(
    text,
    findReferences(text, address => /^[a-z]\.png$/.test(address)).map(reference => ({
      reference,
      address: reference.address.toUpperCase(),
    })),
  );

it('every address is replaced where it stands, whatever brackets are around it', () => {
  expect(replaced('![a ](a.png)](a.png) [![](b.png "b")](<c.png>)\n\n[d]: d.png\n<img src="e.png">')).toBe(
    '![a ](A.PNG)](a.png) [![](B.PNG "b")](C.PNG)\n\n[d]: D.PNG\n<img src="E.PNG">',
  );
  expect(replaced('![](a.png)'.repeat(20_000))).toBe('![](A.PNG)'.repeat(20_000));
});

it('contrived texts come out as they are', () => {
  const many = 300_000;
  expect(replaced(`![](a.png)\n\n[${'\\]'.repeat(10_000)}]()`)).toContain('![](A.PNG)');
  expect(firstWords('<'.repeat(many))).toBe(`${'<'.repeat(59)}…`);
  const spaces = `a${' '.repeat(many)}b`;
  expect(htmlToText(spaces)).toBe(spaces);
  const unclosed = `{"${'\\"'.repeat(many)}`;
  expect(splitFrontMatter(unclosed)).toEqual({ fields: new Map(), content: unclosed });
});
