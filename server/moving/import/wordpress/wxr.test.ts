import { expect, it } from 'vitest';
import { wordpressExport } from '../../../../test/support/wordpress-export.ts';
import { readWxr, type WxrItem, type WxrPart } from './wxr.ts';

async function partsOf(text: string | AsyncIterable<Uint8Array>): Promise<WxrPart[]> {
  const bytes = typeof text === 'string' ? pieces(Buffer.from(text), 7) : text;
  const parts: WxrPart[] = [];
  for await (const part of readWxr(bytes)) parts.push(part);
  return parts;
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const itemsOf = (parts: readonly WxrPart[]) => parts.filter((part): part is WxrItem => part.kind === 'item');
const wrap = (inside: string, head = '') =>
  `${head}<rss xmlns:w="http://wordpress.org/export/1.1/" xmlns:c="http://purl.org/rss/1.0/modules/content/"><channel>${inside}</channel></rss>`;

it('an item comes with its fields, terms, meta values and comments, also where a piece ends within a character', async () => {
  const [item] = itemsOf(
    await partsOf(
      wordpressExport([
        {
          id: 7,
          title: 'Zürich 👋',
          content: 'a ]]> b',
          categories: ['Hügel'],
          meta: { _x: 'y' },
          comments: [{ id: 3 }],
        },
      ]),
    ),
  );
  expect(item?.fields.get('title')).toBe('Zürich 👋');
  expect(item?.fields.get('content')).toBe('a ]]> b');
  expect(item?.fields.get('wp:post_id')).toBe('7');
  expect(item?.terms).toEqual([{ domain: 'category', slug: 'hügel', name: 'Hügel' }]);
  expect([...(item?.meta ?? [])]).toEqual([['_x', 'y']]);
  expect(item?.comments[0]?.get('wp:comment_author')).toBe('Quincey');
});

it('elements are told by their namespace, and those of others count for nothing', async () => {
  const [item] = itemsOf(
    await partsOf(
      wrap(
        '<item><w:post_id>1</w:post_id><x:post_id xmlns:x="https://evil.example/">2</x:post_id><unbound:post_id>3</unbound:post_id><c:encoded>Text</c:encoded></item>',
      ),
    ),
  );
  expect([...(item?.fields ?? [])]).toEqual([
    ['wp:post_id', '1'],
    ['content', 'Text'],
  ]);
});

it('no entity is resolved but the fixed ones of XML and HTML', async () => {
  const [item] = itemsOf(await partsOf(wrap('<item><title>&amp; &lt; &nbsp; &x; a & b</title></item>')));
  expect(item?.fields.get('title')).toBe('& < \u00a0 &x; a & b');
  for (const doctype of ['<!DOCTYPE rss SYSTEM "file:///etc/passwd">', '<!DOCTYPE a [<!ENTITY x "y">]>'])
    await expect(partsOf(wrap('<item/>', doctype))).rejects.toThrow('It declares a document type');
});

it('what is cut short, and what is no export, are refused with the line', async () => {
  await expect(partsOf(wrap('\n<item>').slice(0, -10))).rejects.toThrow(
    /It is not whole XML: .* \(line \d+\)/,
  );
  for (const text of ['', 'no', '<html><body/></html>'])
    await expect(partsOf(text)).rejects.toThrow(/\(line 1\)/);
});

it('an item larger than any is told as that, is not held, and the next one comes', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  const open = Buffer.from('<item><c:encoded><![CDATA[');
  const close = Buffer.from(']]></c:encoded></item><item><title>next</title></item>');
  const [head = '', tail = ''] = wrap('|').split('|');
  const huge = (async function* () {
    yield Buffer.concat([Buffer.from(head), open]);
    for (let written = 0; written < 40; written += 1) yield mebibyte;
    yield Buffer.concat([close, Buffer.from(tail)]);
  })();
  const parts = (await partsOf(huge)).filter(part => part.kind !== 'site');
  expect(parts.map(part => part.kind)).toEqual(['oversized', 'item']);
  // Without text, too.
  const many = wrap(`<item>${'<w:comment></w:comment>'.repeat(400_000)}</item>`);
  const told = (await partsOf(pieces(Buffer.from(many), 1024 * 1024))).filter(part => part.kind !== 'site');
  expect(told.map(part => part.kind)).toEqual(['oversized']);
});

it('an export whose elements are nested too deeply is refused', async () => {
  await expect(partsOf(wrap(`<item>${'<a xmlns:b="">'.repeat(100_000)}`))).rejects.toThrow(
    'Its elements are nested more than 100 levels deep (line 1).',
  );
});
