import fc from 'fast-check';
import { visit } from 'unist-util-visit';
import { expect, test } from 'vitest';
import { parseHtml } from '../../test/support/comparable.ts';
import { renderMarkdown } from './render.ts';
import { schema } from './schema.ts';

const dangerousAttributes =
  /^(?:on|style$|srcdoc$|action$|formaction$|xlink|srcset$|background$|target$|name$)/i;
const addresses = ['href', 'src', 'poster', 'cite', 'data', 'longDesc'];

/** Everything in the HTML that a browser would run or follow; empty if it is safe. */
function dangersIn(html: string): string[] {
  const dangers: string[] = [];
  visit(parseHtml(html), node => {
    if (node.type === 'comment' || node.type === 'doctype') dangers.push(node.type);
    if (node.type !== 'element') return;
    if (!schema.tagNames?.includes(node.tagName)) dangers.push(`<${node.tagName}>`);
    for (const [name, value] of Object.entries(node.properties)) {
      if (dangerousAttributes.test(name)) dangers.push(`${node.tagName} ${name}`);
      if (name === 'id' && !String(value).startsWith('user-content-')) dangers.push(`id ${value}`);
      if (!addresses.includes(name)) continue;
      const { protocol } = new URL(String(value), 'https://this.invalid');
      const isAllowed = name === 'href' ? /^(?:https?|mailto|tel):$/ : /^https?:$/;
      if (!isAllowed.test(protocol)) dangers.push(`${node.tagName} ${name}=${value}`);
    }
  });
  return dangers;
}

const schemes = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'java&#9;script:alert(1)',
  'java&#x0A;script:alert(1)',
  'java&NewLine;script:alert(1)',
  '&#106;avascript:alert(1)',
  '&#x6A&#x61&#x76ascript:alert(1)',
  'javascript&colon;alert(1)',
  'javascript&#58;alert(1)',
  '&Tab;javascript:alert(1)',
  '&#1;javascript:alert(1)',
  '\u0001javascript:alert(1)',
  '\u00a0javascript:alert(1)',
  'javascript\\:alert(1)',
  'javascript:%0aalert(1)',
  'javascript://a.org/%0aalert(1)',
  'vbscript:msgbox(1)',
  'VBScript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'DATA:text/html,1',
  'blob:https://a.org/1',
  'file:///etc/passwd',
  'filesystem:https://a.org/1',
  'view-source:javascript:alert(1)',
  'feed:javascript:alert(1)',
  'jar:javascript:alert(1)',
  'about:blank',
  'ftp://a.org',
  'xmpp:a@b.org',
];
const placements: ((address: string) => string)[] = [
  address => `[a](${address})`,
  address => `[a](<${address}>)`,
  address => `![a](${address})`,
  address => `![a](<${address}>)`,
  address => `<${address}>`,
  address => `[a]\n\n[a]: ${address}`,
  address => `![a][b]\n\n[b]: <${address}> "title"`,
  address => `[Video: a](${address}.mp4)`,
  address => `[Video: a](<${address}?.mp4>)`,
  address => `![Video: a](${address})`,
  address => `<a href="${address}">a</a>`,
  address => `<img src="${address}">`,
  address => `<iframe src="${address}"></iframe>`,
  address => `[^1]\n\n[^1]: [a](${address})`,
  address => `| [a](${address}) |\n|-|\n| ![a](<${address}>) |`,
];

const documents = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//a.org></sCrIpT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" alt="`" onerror="alert(1)`">',
  '<a href="#" onclick=alert(1) style="position:fixed">a</a>',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>a</text></a></svg>',
  '<math><mi xlink:href="javascript:alert(1)">a</mi></math>',
  '<style>@import "//a.org"</style>',
  '<div style="background:url(javascript:alert(1))">a</div>',
  '<base href="//a.org">',
  '<form action=javascript:alert(1)><input name=getElementById><button formaction=//a.org>a</button></form>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html,1"><embed src="//a.org"></object>',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)"><link rel=stylesheet href=//a.org>',
  '<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)><summary onclick=alert(1)>a</summary></details>',
  '<body onload=alert(1)><marquee onstart=alert(1)><isindex action=javascript:alert(1)>',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!-- --!><img src=x onerror=alert(1)> -->',
  '<![CDATA[><img src=x onerror=alert(1)>]]>',
  '<?xml-stylesheet href="javascript:alert(1)"?>',
  // Mutations: what a parser makes of these differs from what they look like.
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style><img onerror=alert(1) src>">',
  '<template><style><!--</style><a title="--></template><img src onerror=alert(1)>">',
  '<select><template><img src=x onerror=alert(1)></template></select>',
  '<textarea><a title="</textarea><img src=x onerror=alert(1)>">a</a></textarea>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
  '<table><td><svg><desc><table><img src=x onerror=alert(1)>',
  '<a title="a&quot; onclick=&quot;alert(1)">a</a>',
  '<p title=">" onclick="alert(1)">a</p>',
  '<a id="location" name="document">a</a><img id=x name=cookie>',
  '[a](b "c\\" onclick=\\"alert(1)")',
  '[a](b \'c" onmouseover="alert(1)\')',
  '![a" onerror="alert(1)](b)',
  '![a](b"onerror="alert(1))',
  '[a](b "&quot; onclick=&quot;alert(1)")',
  '[Video: a" onerror="alert(1)](b.mp4)',
  '[Video: <script>alert(1)</script>](b.mp4"onerror="alert(1))',
  '```"><script>alert(1)</script>\na\n```',
  '```js" onclick="alert(1)\nalert(1)\n```',
  '```html\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '# <img src=x onerror=alert(1)> a\n\n## " onclick="alert(1)',
  '[^<script>]\n\n[^<script>]: a" onclick="alert(1)',
  '| <script>alert(1)</script> |\n|-|\n| <img src=x onerror=alert(1)> |',
  '<a@b.org"onclick="alert(1)>',
  'https://a.org/"onclick="alert(1)',
  '<https://a.org/"><script>alert(1)</script>>',
  'www.a.org/<script>alert(1)</script>',
  '<details>\n\n<script>alert(1)</script>\n\n</details>',
  '<a href="a">[b](javascript:alert(1))</a>',
  '<b><b><b><img src=x onerror=alert(1)></b>',
];

test.each(documents)('28. nothing in a text can act: %s', markdown => {
  expect(dangersIn(renderMarkdown(markdown).html)).toEqual([]);
});

test.each(schemes)('28. no link, image or player leads to %j', address => {
  for (const place of placements) expect(dangersIn(renderMarkdown(place(address)).html)).toEqual([]);
});

test('links keep http, https, mailto, tel, paths and fragments', () => {
  const kept = [
    'http://a.org/',
    'HTTPS://a.org/',
    'mailto:a@b.org',
    'tel:+4930',
    '/a',
    'a?b:c',
    '../a',
    '?a',
    '#a',
  ];
  for (const address of kept) expect(renderMarkdown(`[a](${address})`).html).toContain('<a href=');
});

test('a refused link leaves its text, a refused image its alternative text', () => {
  expect(renderMarkdown('[a *b*](javascript:c)').html).toBe('<p>a <em>b</em></p>');
  expect(renderMarkdown('![a](data:image/png;base64,AA)').html).toBe('<p>a</p>');
});

test('links to other sites learn nothing of the page, links within the site stay plain', () => {
  const rel = 'rel="noopener noreferrer"';
  for (const address of ['https://a.org', '//a.org', '/\\a.org', '\\\\a.org', '/\t/a.org']) {
    expect(renderMarkdown(`<a href="${address}">a</a>`).html, address).toContain(rel);
  }
  for (const address of ['/a', '#a', 'a//b', 'mailto:a@b.org']) {
    expect(renderMarkdown(`[a](${address})`).html, address).not.toContain('rel=');
  }
});

test('28. property: nothing made of dangerous fragments can act', () => {
  const fragment = fc.oneof(
    fc.constantFrom(...documents),
    fc.constantFrom(...schemes),
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '`',
      '[',
      ']',
      '](',
      ')',
      '![',
      '\n',
      '\n\n',
      ' ',
      '\t',
      '&',
      ';',
      '=',
      '/',
      '\\',
    ),
    fc.constantFrom(
      '<a ',
      'href=',
      'src=',
      'onload=',
      'style=',
      '<!--',
      '-->',
      '</',
      '<img ',
      '<svg>',
      '<style>',
      '<p>',
    ),
    fc.constantFrom(
      '<table>',
      '<tr>',
      '</table>',
      '<math>',
      '</details>',
      '<pre>',
      '> ',
      '- ',
      '# ',
      '|',
      '|-|\n',
      '[^a]',
    ),
    fc.string({ maxLength: 8, unit: 'binary' }),
  );
  const text = fc.array(fragment, { maxLength: 12 }).map(parts => parts.join(''));
  fc.assert(
    fc.property(text, markdown => {
      expect(dangersIn(renderMarkdown(markdown).html)).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
});
