import { expect, it } from 'vitest';
import { htmlToMarkdown } from './html-to-markdown.ts';

const markdown = (html: string) => htmlToMarkdown(html).markdown;

it('a text from Google Docs, which is wrapped in a b that is not bold, keeps its emphasis', () =>
  expect(
    markdown(
      '<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span style="font-weight:700">The trip</span></h2>' +
        '<p dir="ltr"><span style="font-weight:400">We went </span><span style="font-weight:700">north</span><span style="font-style:italic"> slowly</span>, ' +
        '<a href="https://www.google.com/url?q=https://example.org/a&amp;sa=D"><span style="text-decoration:underline">see</span></a>.</p>' +
        '<ul><li dir="ltr"><p role="presentation"><span>boat</span></p></li><li dir="ltr"><p><span>tent</span></p></li></ul></b>',
    ),
  ).toBe('## The trip\n\nWe went **north** *slowly*, [see](https://example.org/a).\n\n- boat\n- tent'));

it('a text from Google Docs keeps lists within lists, lists of tasks, and blocks that line breaks part', () =>
  expect(
    markdown(
      '<b style="font-weight:normal"><p><span>Bring</span></p><br /><ul><li dir="ltr"><p role="presentation"><span>bread</span></p></li><ul><li><p><span>rye</span></p></li></ul><li><p><span>cheese</span></p></li></ul>' +
        '<br class="Apple-interchange-newline"><ul><li role="checkbox" aria-checked="true"><img src="data:image/png;base64,AAAA" alt="checked" aria-roledescription="checkbox" /><p><span>tent</span></p></li></ul></b>',
    ),
  ).toBe('Bring\n\n- bread\n  - rye\n- cheese\n\n* [x] tent'));

it('a table without a head has its first row as head', () =>
  expect(
    markdown('<table><tr><td><p>Day</p></td><td>Rain</td></tr><tr><td>Mon</td><td>2</td></tr></table>'),
  ).toBe('| Day | Rain |\n| --- | ---- |\n| Mon | 2    |'));

it('a text from Word keeps its emphasis, which also says what it is in other scripts', () =>
  expect(
    markdown(
      "<p class=MsoNormal>A <b style='mso-bidi-font-weight:normal'>bold</b> and <i style='mso-bidi-font-style:normal'>slanted</i> word</p>",
    ),
  ).toBe('A **bold** and *slanted* word'));

it('a text from Word keeps its lists, which are paragraphs with their marks as words', () =>
  expect(
    markdown(
      "<html><body><!--StartFragment--><p class=MsoNormal>Bring <b>this</b>:<o:p></o:p></p><p class=MsoListParagraphCxSpFirst style='text-indent:-.25in;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp;</span></span></span><![endif]>Boots</p>\n" +
        "<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o </span>dry ones</p><p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>· </span>A map</p><!--EndFragment--></body></html>",
    ),
  ).toBe('Bring **this**:\n\n- Boots\n  - dry ones\n- A map'));

it('numbered lists of Word stay numbered', () =>
  expect(
    markdown(
      "<p style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>First</p><p style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>2.</span>Second</p>",
    ),
  ).toBe('1. First\n2. Second'));

it('a list of Word that follows another one is its own, and goes on with its number', () =>
  expect(
    markdown(
      "<p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>Flour</p><p style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>Mix</p>" +
        "<p>Wait an hour.</p><p style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>2.</span>Bake</p>",
    ),
  ).toBe('- Flour\n\n1. Mix\n\nWait an hour.\n\n2. Bake'));

it('a text from a mail keeps its lines, which are blocks of their own', () =>
  expect(
    markdown(
      '<div dir="ltr">Dear all,<div><br></div><div>see <a href="https://example.org/">this</a>.</div><blockquote style="margin:0">Older words</blockquote></div>',
    ),
  ).toBe('Dear all,\n\nsee [this](https://example.org/).\n\n> Older words'));

it('a text from a web page keeps tables and code, and no link that would run something', () => {
  expect(markdown('<table><tr><th>Day</th><th>Rain</th></tr><tr><td>Mon</td><td>2</td></tr></table>')).toBe(
    '| Day | Rain |\n| --- | ---- |\n| Mon | 2    |',
  );
  expect(
    markdown('<p>Run <code>ls</code> <a href="javascript:alert(1)">here</a><script>x</script></p>'),
  ).toBe('Run `ls` here');
});

it('pictures of a pasted text that are data are taken out with their place; others become links', () => {
  const data = 'data:image/png;base64,AAAA';
  expect(
    htmlToMarkdown(
      `<p>One</p><p><img src="${data}"></p><p>Two <img src="https://example.org/a.png" alt="A gate"><img src="file:///C:/a.png"></p>`,
    ),
  ).toEqual({
    markdown: 'One\n\nTwo [A gate](https://example.org/a.png)',
    pictures: [{ at: 5, address: data }],
  });
});
