/**
 * Videos of boxes (ISO base media), as small as they get, with what cameras, editors and owners leave in
 * them.
 */

export const text = (value: string) => Buffer.from(value, 'latin1');

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value >>> 0, index * 4);
  });
  return bytes;
}

export function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), text(type), body]);
}

const made = 3_900_000_000;
export const place = '+48.2082+016.3738/';
const udta = box('udta', box('©xyz', u32(0x001215c7), text(place)), box('©mak', text('Secretcamera')));

/** The description of pictures: with its compressor's name, its decoder's settings, and more. */
const pictures = (codec: string) =>
  box(
    codec,
    u32(0, 1),
    text('\0\0\0\0Secr'),
    Buffer.alloc(26),
    text('\x0cSecretcamera'),
    Buffer.alloc(23),
    box('avcC', text('CONFIG')),
    box('uuid', text('Secret')),
  );

/** The media of a track, without its tables. */
export const media = (handler: string, ...parts: Buffer[]) =>
  box(
    'mdia',
    box('mdhd', u32(0, made, made, 600)),
    box('hdlr', u32(0, 0), text(`${handler}Secr`), u32(0, 0), text('\x0cSecretcamera')),
    box(
      'minf',
      box('hdlr', u32(0), text('dhlralisSecr'), u32(0, 0), text('Secret')),
      box('dinf', box('dref', u32(0, 1), box('alis', u32(0), text('Secretdisk')))),
      box('stbl', ...parts),
    ),
  );

export type TrackOf = {
  handler: string;
  id: number;
  /** Where its chunks begin. */
  chunks: number[];
  /** Of samples; how many there are where each has `fixed` bytes, or the table is `bytes`. */
  sizes: number[] | number;
  fixed?: number;
  bytes?: Buffer;
  isCompact?: boolean;
  codec?: string;
  entry?: Buffer;
};

export function track({
  handler,
  id,
  chunks,
  sizes,
  fixed = 0,
  bytes,
  isCompact = false,
  codec = 'avc1',
  entry,
}: TrackOf): Buffer {
  const counts = typeof sizes === 'number' ? [] : sizes;
  const count = typeof sizes === 'number' ? sizes : sizes.length;
  return box(
    'trak',
    box('tkhd', u32(7, made, made, id)),
    media(
      handler,
      box('stsd', u32(0, 1), entry ?? pictures(codec)),
      isCompact
        ? box('stz2', u32(0, 8, count), Buffer.from(counts), Buffer.alloc(3))
        : box('stsz', u32(0, fixed, count), bytes ?? u32(...counts), text('Secret')),
      box('stsc', u32(0, 1, 1, count / Math.max(1, chunks.length), 1)),
      box('stco', u32(0, chunks.length), Buffer.concat(chunks.map(chunk => u32(chunk)))),
    ),
    udta,
    box('meta', text('Secretcamera')),
  );
}

/**
 * A video of one track of pictures, one that notes where the camera was, and one of subtitles that says so.
 */
export function video({
  isIndexFirst,
  isCompact = false,
  start = box('ftyp', text('qt  \0\0\0\0qt  ')),
}: {
  isIndexFirst: boolean;
  isCompact?: boolean;
  start?: Buffer;
}): Buffer {
  const data = box('mdat', text('PICTURESat 48.2082at 16.3738GPS(16.3738)PICTURESSecret'));
  const xmp = box('uuid', text('0123456789abcdef<x:xmpmeta>Secretcamera'));
  const indexAt = (dataAt: number) =>
    box(
      'moov',
      box('mvhd', u32(0, made, made, 600)),
      track({ handler: 'vide', id: 1, chunks: [dataAt + 8, dataAt + 48], sizes: [8, 8], isCompact }),
      track({ handler: 'meta', id: 2, chunks: [dataAt + 16], sizes: [10, 10] }),
      track({ handler: 'sbtl', id: 3, chunks: [dataAt + 36], sizes: [12], codec: 'tx3g' }),
      box('meta', text(`com.apple.quicktime.location.ISO6709 ${place}`)),
      udta,
    );
  const { length } = indexAt(0);
  return isIndexFirst
    ? Buffer.concat([start, indexAt(start.length + length), data, xmp])
    : Buffer.concat([start, data, indexAt(start.length), xmp]);
}

/** The shortest frame of an MP3: MPEG-2, layer III, 8 kbit/s at 24 kHz, of silence. */
export const mp3Frame = Buffer.concat([Buffer.from('fff314c0', 'hex'), Buffer.alloc(20)]);
