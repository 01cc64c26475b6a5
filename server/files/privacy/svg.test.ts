import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { newFolder } from '../../../test/support/temporary-folder.ts';
import { clearSvg } from './svg.ts';

async function cleaned(written: string | Buffer): Promise<string> {
  const folder = await newFolder();
  const path = join(folder, 'drawing.svg');
  await writeFile(path, written);
  await clearSvg(path);
  return await readFile(path, 'utf8');
}

const start = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

it('a drawing loses what Inkscape writes into it, and keeps what it shows', async () => {
  const drawing = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created by Secret Name -->
<svg xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"
 xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://www.w3.org/2000/svg" width="9" viewBox="0 0 9 9" sodipodi:docname="/home/secret/plan.svg" inkscape:export-filename="/home/secret/plan.png">
<sodipodi:namedview inkscape:window-width="1920"/><metadata><rdf:RDF><dc:creator>Secret</dc:creator></rdf:RDF></metadata>
<title>A plan &amp; more</title><style>/* Secret */ .a > b { fill: red }</style>
<g inkscape:label="Secret" data-name="Secret"><path d="M0 0" style="fill:#fff /* Secret */"/><text xml:space="preserve">a  b</text></g>
</svg>`;
  const kept = await cleaned(drawing);
  expect(kept).not.toMatch(/secret|inkscape|sodipodi|rdf|<!--|<\?/i);
  expect(kept.replaceAll('\n', '')).toBe(
    `${start} width="9" viewBox="0 0 9 9"><title>A plan &#38; more</title><style> .a &#62; b { fill: red }</style>` +
      '<g><path d="M0 0" style="fill:#fff "/><text xml:space="preserve">a  b</text></g></svg>',
  );
  // Once more changes nothing.
  expect(await cleaned(kept)).toBe(kept.replaceAll('/* */', ''));
});

it('a drawing loses what Illustrator writes into it, which names its namespaces by entities', async () => {
  const kept = await cleaned(`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [
  <!ENTITY ns_ai "http://ns.adobe.com/AdobeIllustrator/10.0/">
  <!ENTITY ns_svg "http://www.w3.org/2000/svg"> ]>
<svg xmlns="&ns_svg;" xmlns:i="&ns_ai;" i:rulerOrigin="0 0"><switch><i:pgf id="x"><![CDATA[secret]]></i:pgf><rect width="1"/></switch><i:pgfRef xlink="#x"/></svg>`);
  expect(kept).toBe(`${start}><switch><rect width="1"/></switch></svg>`);
});

it('a drawing runs nothing, and asks for nothing from elsewhere', async () => {
  const kept =
    await cleaned(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink" onload="a()" content="secret">
<script>a()</script><a l:href="javascript:a()"><text>b</text></a><a href="https://example.org/"><text>c</text></a>
<image href="file:///home/secret/a.png"/><image l:href="https://example.org/a.png"/><use l:href="#a"/>
<foreignObject><p xmlns="http://www.w3.org/1999/xhtml" onclick="a()">d<iframe src="https://example.org"/></p></foreignObject></svg>`);
  expect(kept.replaceAll('\n', '')).toBe(
    `${start}><a><text>b</text></a><a href="https://example.org/"><text>c</text></a><image/><image/><use xlink:href="#a"/>` +
      '<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">d</p></foreignObject></svg>',
  );
});

it('a drawing has pictures in it, which lose their metadata', async () => {
  const photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#a63' } })
    .jpeg()
    .withExif({ IFD0: { Artist: 'Secret' } })
    .toBuffer();
  const address = `data:image/jpg;base64,${photo.toString('base64')}`;
  const kept = await cleaned(
    `<svg><image href="${address}"/><rect style="fill:url(${address})"/><image href="data:image/png;base64,AAAA"/></svg>`,
  );
  const pictures = [...kept.matchAll(/data:image\/jpeg;base64,([\w+/=]+)/g)];
  expect(pictures).toHaveLength(2);
  for (const [, data = ''] of pictures) {
    const bytes = Buffer.from(data, 'base64');
    expect(bytes.includes('Secret')).toBe(false);
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 300, height: 200 });
  }
  expect(kept).toMatch(/<image\/><\/svg>$/);
});

it('a drawing is read in its encoding; one that cannot be read is refused', async () => {
  const latin = Buffer.from(
    '<?xml version="1.0" encoding="iso-8859-1"?><svg><text>\xe9</text></svg>',
    'latin1',
  );
  expect(await cleaned(latin)).toBe(`${start}><text>é</text></svg>`);
  for (const broken of [
    '<svg><g></svg>',
    '<svg>',
    '<svg>&unknown;</svg>',
    '<?xml version="1.0" encoding="x-none"?><svg/>',
    Buffer.from('<svg><text>\xe9</text></svg>', 'latin1'),
  ])
    await expect(cleaned(broken), String(broken)).rejects.toThrow(
      'This drawing (SVG) cannot be read. Please save it again as plain SVG, or as PNG.',
    );
  await expect(cleaned(`<svg>${' '.repeat(2 ** 24)}</svg>`)).rejects.toThrow('has at most 16 MB');
});

it('a drawing loses elements of a program whose prefix it does not declare', async () => {
  expect(await cleaned('<svg><inkscape:grid id="Secret"/><g xmlns=""/></svg>')).toBe(`${start}><g/></svg>`);
});

it('a drawing keeps its fonts and the drawings in it, which are cleaned too', async () => {
  const font = `data:font/woff2;base64,${Buffer.from('wOF2 and letters').toString('base64')}`;
  const inner = '<svg xmlns="http://www.w3.org/2000/svg" id="Inner"><metadata>Secret</metadata></svg>';
  const kept = await cleaned(
    `<svg><style>@font-face{src:url(${font})}</style><image href="data:image/svg+xml;base64,${btoa(inner)}"/>` +
      `<image href="data:image/svg+xml,${encodeURIComponent(inner)}"/><image href="data:text/html;base64,PGI+"/></svg>`,
  );
  expect(kept).toContain(`src:url(&#34;${font}&#34;)`);
  const drawings = [...kept.matchAll(/data:image\/svg\+xml;base64,([\w+/=]+)/g)].map(([, data = '']) =>
    atob(data),
  );
  expect(drawings).toEqual(Array(2).fill(`${start} id="Inner"></svg>`));
  expect(kept).toMatch(/<image\/><\/svg>$/);
});

it('a drawing keeps styles whose comments hide markup, and strings in which comments seem to begin', async () => {
  const kept = await cleaned(
    '<svg><style>/*<![CDATA[*/ .a{content:"/*";fill:red} /*]]>*/</style><rect style="fill:url(#b)"/></svg>',
  );
  expect(kept).toBe(
    `${start}><style> .a{content:&#34;/*&#34;;fill:red} </style><rect style="fill:url(&#34;#b&#34;)"/></svg>`,
  );
});

it('a drawing changes no link, and names no file of a machine, by animations and styles', async () => {
  const kept = await cleaned(
    `<svg xmlns:l="http://www.w3.org/1999/xlink"><a l:href="#a"><set attributeName="href" to="javascript:a()"/><animate attributeName="l:href" to="b"/></a>
<style>@import url(https://example.org/a.css); .a{fill:url('file:///home/secret/a.svg')}</style><set attributeName="x" to="1"/></svg>`,
  );
  expect(kept.replaceAll('\n', '')).toBe(
    `${start}><a xlink:href="#a"></a><style> .a{fill:none}</style><set attributeName="x" to="1"/></svg>`,
  );
});

it.each([
  ['of elements within each other', '<g xmlns:a="b">'.repeat(300) + '</g>'.repeat(300)],
  ['of attributes', `<g ${Array.from({ length: 1_100 }, (_, i) => `a${i}=""`).join(' ')}/>`],
  ['in one value', `<g id="${'x'.repeat(5 * 1024 * 1024)}"/>`],
  ['in a name that the parser needs', '<g hasOwnProperty="1" id="2"/>'],
])('a drawing with too much %s is refused', async (_, content) => {
  await expect(cleaned(`<svg>${content}</svg>`)).rejects.toThrow('This drawing (SVG) cannot be read.');
});

it('a drawing has styles with a string without an end, of 4 MB and with comments in the next line', async () => {
  const drawing = `${start}><style>a{content:"${'\\"'.repeat(2_000_000)}\n/* secret */}</style></svg>`;
  const kept = await cleaned(drawing);
  expect(kept.length).toBeGreaterThan(4_000_000);
  expect(kept.includes('secret')).toBe(false);
});

it('a drawing with entities within entities does not grow', async () => {
  const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};">`).join('');
  const bomb = `<!DOCTYPE svg [<!ENTITY a0 "${'x'.repeat(100)}">${entities}]><svg>&a0;</svg>`;
  expect((await cleaned(bomb)).length).toBeLessThan(400);
});

const inner = (bytes: number) => `<svg>${'<path d="M0 0h1"/>'.repeat(bytes / 18)}</svg>`;
const grown = 'With everything that it refers to, this drawing (SVG) has more than 16 MB.';

it('a drawing cannot write the placeholder of a file in it', async () => {
  const font = `data:font/ttf;base64,${Buffer.from('\0\x01\0\0letters').toString('base64')}`;
  const kept = await cleaned(
    `<svg><image href="${font}"/><image href="data:coterie,0"/><text>data:coterie,0</text><g id="${font}"/></svg>`,
  );
  expect(kept).toBe(
    `${start}><image href="${font}"/><image/><text>data:coterie,0</text><g id="data:,"/></svg>`,
  );
});

it.each([
  ['a long entity', 'x'.repeat(3_900), '<text>&a;</text>', 5_000],
  ['a long entity in one text', 'x'.repeat(3_900), '&a;', 100_000],
  ['a font', `data:font/ttf;base64,${Buffer.alloc(750_000, 65).toString('base64')}`, '<text>&a;</text>', 400],
  ['a drawing', `data:image/svg+xml;base64,${btoa(inner(450_000))}`, '<image href="&a;"/>', 400],
])(
  'a drawing that mentions %s in an entity again and again is refused before it grows',
  async (_, value, mention, times) => {
    const bomb = `<!DOCTYPE svg [<!ENTITY a "${value}">]><svg>${mention.repeat(times)}</svg>`;
    await expect(cleaned(bomb)).rejects.toThrow(grown);
  },
);

it('a drawing that grows beyond its limit by what must be escaped is refused', async () => {
  await expect(cleaned(`<svg><text>${'"'.repeat(3_900_000)}</text></svg>`)).rejects.toThrow(grown);
});

it('a drawing keeps the namespaces of prefixes that are declared within each other', async () => {
  const svg = 'http://www.w3.org/2000/svg';
  const kept = await cleaned(
    `<a:svg xmlns:a="${svg}"><g xmlns:a="urn:program"><a:path/></g><a:path/><b:path xmlns:b="${svg}"/><b:path/></a:svg>`,
  );
  expect(kept).toBe(`${start}><g></g><path/><path/></svg>`);
});
