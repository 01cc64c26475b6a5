import { expect, it } from 'vitest';
import { mostMarks } from '../../contract/marks.ts';
import { renderText } from './render-text.ts';
import { boundShaping } from './shaping.ts';

const marks = '\u0316\u0301'.repeat(15);

it.each(['<u></u>', '<span>', '<a href="#">', '<abbr title="a > b">', '</i><kbd>', "<i title='>'>"])(
  'marks on one letter are counted across %s',
  between => {
    const html = `<p>a${`${marks}${between}`.repeat(100)}b</p>`;
    expect(boundShaping(html)).toBe(`<p>a${marks}${between.repeat(100)}b</p>`);
  },
);

it.each(['\u0628', 'V'])(
  'a long word of %j can be broken, also across tags, and within no reference or value',
  letter => {
    const value = letter.repeat(500);
    const html = `<p title="${value}">${`<i>${letter}</i>&#x3C;`.repeat(500)}</p>`;
    const bounded = boundShaping(html);
    expect(bounded.replaceAll('<wbr>', '')).toBe(html);
    const parts = bounded.split('<wbr>');
    expect(parts).toHaveLength(5);
    expect(parts.every(part => /[>;]$/.test(part))).toBe(true);
    expect(bounded).toContain(`title="${value}"`);
    expect(boundShaping(bounded)).toBe(bounded);
  },
);

it('an essay of marks or of one word is bounded when it is rendered', async () => {
  const { html } = await renderText(`a${`${marks}<u></u>`.repeat(50)} ${'\u0628'.repeat(1_000)}`);
  expect([...html.matchAll(/[\u0316\u0301]/g)]).toHaveLength(mostMarks);
  expect([...html.matchAll(/<wbr>/g)]).toHaveLength(4);
});

it.each([
  '<p>بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ</p>',
  `<p>${'天'.repeat(5_000)} ${'👩‍👩‍👧‍👦'.repeat(20)}</p>`,
  `<table><tr>${'<td>cell</td>'.repeat(200)}</tr></table>${'<p>word<br>word</p>'.repeat(100)}`,
])('other HTML is kept as it is: %#', html => {
  expect(boundShaping(html)).toBe(html);
});
