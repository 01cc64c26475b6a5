import { box } from './videos.ts';

const u16 = (number: number) => Buffer.from([number >> 8, number & 255]);
const u32 = (number: number) => Buffer.concat([u16(number >>> 16), u16(number & 0xffff)]);
const fullBox = (type: string, version: number, ...parts: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts);

type Part = { width: number; height: number };

/**
 * An AVIF, or HEIC as `source` is, that shows `shown` of a grid of one tile, which is the picture of `source`
 * and says that it is as large as `tile` (ISO/IEC 23008-12, 6.6.2.3). `kind`: how it is put together.
 */
export function gridOf(source: Buffer, shown: Part, tile: Part, kind: 'grid' | 'iovl' = 'grid'): Buffer {
  const isHeic = source.includes('hvcC', 0, 'latin1');
  const [configuration, coded, brand] = isHeic ? ['hvcC', 'hvc1', 'heic'] : ['av1C', 'av01', 'avif'];
  const at = source.indexOf(configuration, 0, 'latin1') - 4;
  const config = source.subarray(at, at + source.readUInt32BE(at));
  const data = source.subarray(source.indexOf('mdat', 0, 'latin1') + 4);
  const size = ({ width, height }: Part) => fullBox('ispe', 0, u32(width), u32(height));
  const item = (id: number, type: string) =>
    fullBox('infe', 2, u16(id), u16(0), Buffer.from(`${type}\0`, 'latin1'));
  const layout = Buffer.concat([Buffer.alloc(4), u16(shown.width), u16(shown.height)]);
  const place = (id: number, method: number, from: number, length: number) =>
    Buffer.concat([u16(id), u16(method), u16(0), u16(1), u32(from), u32(length)]);
  const head = box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}mif1miaf`, 'latin1'));
  const meta = (from: number) =>
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, u32(0), Buffer.from('pict', 'latin1'), Buffer.alloc(13)),
      fullBox('pitm', 0, u16(1)),
      fullBox(
        'iloc',
        1,
        Buffer.from([0x44, 0]),
        u16(2),
        place(1, 1, 0, layout.length),
        place(2, 0, from, data.length),
      ),
      fullBox('iinf', 0, u16(2), item(1, kind), item(2, coded)),
      fullBox('iref', 0, box('dimg', u16(1), u16(1), u16(2))),
      box(
        'iprp',
        box('ipco', size(shown), size(tile), config),
        fullBox('ipma', 0, u32(2), u16(1), Buffer.from([1, 1]), u16(2), Buffer.from([2, 2, 0x83])),
      ),
      box('idat', layout),
    );
  return Buffer.concat([head, meta(head.length + meta(0).length + 8), box('mdat', data)]);
}
