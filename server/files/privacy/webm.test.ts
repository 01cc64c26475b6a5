import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { refused, spoiled } from '../../../test/support/spoiled.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { clearWebm } from './webm.ts';

const folder = temporaryFolder();

const secret = 'Secretcamera +48.2082+016.3738/';
/** An element whose length field is as short as possible, eight bytes long, or unknown. */
const element = (
  id: number,
  body: Buffer | string | Buffer[],
  form: 'short' | 'long' | 'unknown' = 'short',
) => {
  const bytes = Array.isArray(body) ? Buffer.concat(body) : Buffer.from(body);
  const head = Buffer.from(id.toString(16).padStart(2, '0'), 'hex');
  const long = Buffer.alloc(8);
  long.writeUIntBE(bytes.length, 2, 6);
  long[0] = 1;
  const short = Buffer.from(bytes.length < 127 ? [0x80 | bytes.length] : [0x40, bytes.length]);
  const length = { short: bytes.length < 256 ? short : long, long, unknown: Buffer.from([0xff]) }[form];
  return Buffer.concat([head, length, bytes]);
};

const track = (number: number, type: number, codec: string, ...more: Buffer[]) =>
  element(0xae, [
    element(0xd7, Buffer.from([number])),
    element(0x83, Buffer.from([type])),
    element(0x86, codec),
    element(0x536e, secret),
    ...more,
  ]);
/** The settings of Vorbis: three headers, the second of which contains tags. */
const vorbis = Buffer.concat([
  Buffer.from([2, 3, 70]),
  Buffer.from('ID.'),
  Buffer.from(`\x03vorbis${secret}`.padEnd(70)),
  Buffer.from('SETUP'),
]);
const tracks = (codec = 'V_VP9') =>
  element(0x1654ae6b, [
    track(1, 1, codec, element(0x63a2, 'SETTINGS')),
    track(2, 2, 'A_VORBIS', element(0x63a2, vorbis)),
    track(3, 17, 'S_TEXT/UTF8'),
  ]);
const blockOf = (number: number, text: string) =>
  element(0xa3, Buffer.from(`${String.fromCharCode(0x80 | number)}...${text}`, 'latin1'));

const blockIn = (number: number, text: string) =>
  element(0xa1, Buffer.from(`${String.fromCharCode(0x80 | number)}...${text}`, 'latin1'));

/** A video as cameras and programs write it, or as a browser does while recording. */
function video(isLive: boolean): Buffer {
  const form = isLive ? 'unknown' : 'long';
  const info = element(0x1549a966, [
    element(0x7ba9, secret),
    element(0x4461, secret.slice(0, 8)),
    element(0x4d80, secret),
  ]);
  const blocks = Array.from({ length: 300 }, (_, index) => blockOf(1, `PICTURE ${index}`.padEnd(400, '.')));
  const spoken = [
    blockOf(2, 'SOUND'),
    blockOf(3, secret),
    element(0xa0, [blockIn(3, secret), element(0x9b, '.')]),
    element(0xa0, [blockIn(1, 'GROUPED')]),
  ];
  const cluster = element(
    0x1f43b675,
    [element(0xe7, '\0'), ...blocks, ...spoken, element(0x5854, secret)],
    form,
  );
  const tags = element(0x1254c367, element(0x7373, secret.repeat(isLive ? 1 : 9)));
  const attached = element(0x1941a469, secret.repeat(40));
  const chapters = element(0x1043a770, secret);
  const cues = element(0x1c53bb6b, element(0xbb, element(0xb3, 'CUES')));
  const parts = [info, element(0xec, secret), tracks(), cluster, cluster, tags, attached, chapters, cues];
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, 'webm')),
    element(0x18538067, parts, form),
    Buffer.from(secret),
  ]);
}
async function cleared(bytes: Buffer): Promise<{ isChanged: boolean; stored: Buffer }> {
  const path = folder.at('video');
  await folder.write({ video: bytes });
  return { isChanged: await clearWebm(path), stored: await readFile(path) };
}

it.each([true, false])('cleaning keeps of a WebM video what plays, recorded live: %s', async isLive => {
  const received = video(isLive);
  const { isChanged, stored } = await cleared(received);
  expect([isChanged, stored.length]).toEqual([true, received.length]);
  for (const part of ['Secret', '48.2082']) expect([part, stored.includes(part)]).toEqual([part, false]);
  // What plays is unchanged.
  for (const part of ['webm', 'PICTURE 0', 'PICTURE 299', 'GROUPED', 'SOUND', 'SETTINGS', 'SETUP', 'CUES']) {
    expect([part, stored.lastIndexOf(part)]).toEqual([part, received.lastIndexOf(part)]);
  }
  expect(stored.includes('S_TEXT')).toBe(false);
  expect(await cleared(stored)).toEqual({ isChanged: false, stored });
});

it.each([
  ['frames that are pictures of their own', tracks('V_MJPEG'), /cannot be removed from this kind/],
  ['blocks of no track', element(0x1f43b675, blockOf(1, 'PICTURE')), /incomplete or damaged/],
])('cleaning refuses a video with a sentence that says what to do: %s', async (_, part, sentence) => {
  const head = element(0x1a45dfa3, element(0x4282, 'webm'));
  await expect(cleared(Buffer.concat([head, element(0x18538067, part, 'long')]))).rejects.toThrow(sentence);
});

it('fuzz: a hostile video ends at once, and keeps its length', async () => {
  for (const bytes of spoiled([video(true)], 120, 400)) {
    const result = await cleared(bytes).catch((error: Error) => error);
    if (result instanceof Error) expect(result.message).toMatch(refused);
    else expect(result.stored.length).toBe(bytes.length);
  }
});

it('a codec whose name is a long row of zeros is read in time linear in it', async () => {
  const codec = `${'\0'.repeat(1_000_000)}x`;
  const file = element(0x18538067, element(0x1654ae6b, element(0xae, element(0x86, codec)), 'long'), 'long');
  expect((await cleared(file)).stored.length).toBe(file.length);
});

it('a video with more descriptions than any video has is refused: the rest of them would stay', async () => {
  const described = (times: number) => Buffer.alloc(4 * times, element(0x5854, 's'));
  const few = await cleared(Buffer.concat([described(1_000), element(0x1254c367, secret)]));
  expect([few.isChanged, few.stored.includes('Secret')]).toEqual([true, false]);
  await expect(cleared(described(50_001))).rejects.toThrow(/video or recording has too many parts/);
});

it.each([
  ['tracks within each other', track(1, 1, 'V_VP9', track(2, 1, 'V_VP9'))],
  ['more tracks than any video has', Buffer.alloc(4 * 101, element(0xae, element(0xd7, '')))],
  ['a long description of a track', track(1, 1, 'V_VP9', Buffer.alloc(1024 * 1024, element(0xec, '')))],
  ['more empty elements than any video has', Buffer.alloc(2 * 50_001, element(0xec, ''))],
])('a WebM video with %s is refused', async (_, parts) => {
  const file = element(0x18538067, element(0x1654ae6b, parts, 'long'), 'long');
  await expect(cleared(file)).rejects.toThrow(/video or recording has too many parts/);
});
