import { expect, it } from 'vitest';
import { DamagedPicture, stripMetadata } from './strip.ts';

const text = (value: string) => Buffer.from(value, 'latin1');
const repeated = (bytes: Buffer, times: number) => Buffer.alloc(bytes.length * times, bytes);

const segment = (marker: number, body: Buffer) =>
  Buffer.concat([Buffer.from([0xff, marker, 0, body.length + 2]), body]);
const scan = Buffer.concat([segment(0xda, Buffer.alloc(10)), Buffer.from([1, 0xff, 0, 2, 0xff, 0xd9])]);
const jpeg = (...parts: Buffer[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, scan]);
/** A block of Exif that claims this many entries, one of which is the orientation. */
const exif = (orientation: number, entries: number) => {
  const tiff = Buffer.concat([text('MM\0*'), Buffer.alloc(22)]);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(entries, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return segment(0xe1, Buffer.concat([text('Exif\0\0'), tiff]));
};

const chunk = (name: string) => Buffer.concat([Buffer.alloc(4), text(name), Buffer.alloc(4)]);
const png = (...parts: Buffer[]) => Buffer.concat([text('\x89PNG\r\n\x1a\n'), ...parts, chunk('IEND')]);

const webp = (...parts: Buffer[]) => {
  const body = Buffer.concat([text('WEBP'), ...parts]);
  const head = Buffer.concat([text('RIFF'), Buffer.alloc(4)]);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};

const gif = (...parts: Buffer[]) => Buffer.concat([text('GIF89a'), Buffer.alloc(7), ...parts, text(';')]);

it('a picture is turned as its first block of Exif says, however many there are and whatever they claim', () => {
  const stripped = stripMetadata('image/jpeg', jpeg(exif(6, 0xffff), repeated(exif(3, 0xffff), 10_000)));
  expect(stripped.equals(jpeg(exif(6, 1)))).toBe(true);
});

it('a JPEG ends where its own data do, whatever stands in them and behind them', () => {
  const restarts = Buffer.concat([
    repeated(Buffer.from([0xff, 0]), 1_000),
    Buffer.from([0xff, 0xff, 0xd3, 9]),
  ]);
  const table = segment(0xc4, Buffer.from([0xff, 0xd9, 0]));
  const whole = Buffer.concat([jpeg().subarray(0, -2), restarts, table, scan]);
  expect(stripMetadata('image/jpeg', Buffer.concat([whole, jpeg()])).equals(whole)).toBe(true);
});

it('a JPEG keeps nothing between its scans, no thumbnail, and no bytes that its segments do not need', () => {
  const jfif = (more: string) => segment(0xe0, text(`JFIF\0\x01\x01\0\0\x48\0\x48${more}`));
  const adobe = (more: string) => segment(0xee, text(`Adobe\0\x64\0\0\0\0\x01${more}`));
  const scans = (between: Buffer) =>
    Buffer.concat([scan.subarray(0, -2), between, segment(0xc4, Buffer.from([7])), scan]);
  const of = (first: Buffer, second: Buffer, between: Buffer) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), first, second, scans(between)]);
  const received = of(
    jfif('\x01\x01Secret'),
    adobe('Secret'),
    Buffer.concat([
      segment(0xe1, text('Exif\0\0Secret')),
      segment(0xfe, text('Secret')),
      segment(0xf0, text('Secret')),
    ]),
  );
  const clean = of(jfif('\0\0'), adobe(''), Buffer.alloc(0));
  expect(stripMetadata('image/jpeg', received).equals(clean)).toBe(true);
});

it.each([[10], [21]])('a JPEG that is cut off after %i bytes says so', length => {
  const cut = jpeg().subarray(0, length);
  expect(() => stripMetadata('image/jpeg', cut)).toThrow(expect.objectContaining({ isCut: true }));
});

it('a picture of more pieces than any has is refused', () => {
  const many = 25_000;
  const pictures: [type: string, of: (times: number) => Buffer][] = [
    ['image/jpeg', times => jpeg(repeated(segment(0xdb, Buffer.alloc(0)), times))],
    ['image/png', times => png(repeated(chunk('IDAT'), times))],
    ['image/webp', times => webp(repeated(Buffer.concat([text('ALPH'), Buffer.alloc(4)]), times))],
    ['image/gif', times => gif(repeated(Buffer.from([0x21, 0xf9, 0]), times))],
    ['image/gif', times => gif(Buffer.from([0x21, 0xf9]), repeated(text('\x01x'), 50 * times), text('\0'))],
  ];
  for (const [type, of] of pictures) {
    expect([type, stripMetadata(type, of(1_000)).equals(of(1_000))]).toEqual([type, true]);
    expect(() => stripMetadata(type, of(many))).toThrow(DamagedPicture);
  }
});
