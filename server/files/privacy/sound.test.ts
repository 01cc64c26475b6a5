import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { spoiled } from '../../../test/support/spoiled.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { mp3Frame } from '../../../test/support/videos.ts';
import { clearAmr } from './amr.ts';
import { clearChunks } from './chunks.ts';
import { clearMedium } from './clear-medium.ts';
import { clearOgg } from './ogg.ts';
import { clearFlac, clearFrames } from './sound.ts';

const folder = temporaryFolder();

type Clear = (path: string) => Promise<boolean>;

async function cleared(clear: Clear, bytes: Buffer): Promise<{ isChanged: boolean; stored: Buffer }> {
  const path = folder.at('sound');
  await folder.write({ sound: bytes });
  return { isChanged: await clear(path), stored: await readFile(path) };
}

const secret = 'Secretband at 48.2082';
const text = (value: string) => Buffer.from(value, 'latin1');
const join4 = (...parts: (Buffer | string)[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'string' ? text(part) : part)));

const id3 = (body: string, footer = '') =>
  join4('ID3\x04\0', footer === '' ? '\0' : '\x10', Buffer.from([0, 0, 0, body.length]), body, footer);
const frames = Buffer.concat([mp3Frame, mp3Frame, mp3Frame, mp3Frame]);
const id3v1 = text(`TAG${secret}`.padEnd(128, '\0'));
const ape = (() => {
  const item = join4(Buffer.from([secret.length, 0, 0, 0, 0, 0, 0, 0]), 'Title\0', secret);
  const edge = (flags: number) =>
    join4(
      'APETAGEX',
      Buffer.from([0xd0, 7, 0, 0, item.length + 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, flags]),
      Buffer.alloc(8),
    );
  return join4(edge(0xa0), item, edge(0x80));
})();
const adts = Buffer.from('fff15080017ffc0102030405'.slice(0, 22), 'hex');

const flacBlock = (kind: number, body: string) => join4(Buffer.from([kind, 0, 0, body.length]), body);
const flac = join4(
  'fLaC',
  flacBlock(0, 'STREAMINFO'.padEnd(34)),
  flacBlock(4, secret),
  flacBlock(6, secret),
  flacBlock(3, 'SEEK'),
  flacBlock(0x81, secret),
  '\xff\xf8SOUND',
);

const page = (serial: number, flags: number, ...packets: string[]) =>
  join4(
    'OggS\0',
    Buffer.from([flags]),
    Buffer.alloc(8),
    Buffer.from([serial, 0, 0, 0]),
    Buffer.alloc(8),
    Buffer.from([packets.length]),
    Buffer.from(packets.map(packet => packet.length)),
    ...packets,
  );
const comment = `\x15\0\0\0${secret}\x01\0\0\0\x15\0\0\0${secret}\x01`;
const long = `OpusTags${comment}`.padEnd(300, 's');
const ogg = join4(
  page(1, 2, '\x01vorbisIDENT'),
  page(2, 2, 'OpusHeadIDENT'),
  page(3, 2, '\x7fFLAC\x01\0\0\x02fLaCSTREAMINFO'),
  page(4, 2, 'fishead\0'),
  page(1, 0, `\x03vorbis${comment}`, '\x05vorbisSETUP'),
  // One packet on two pages.
  page(2, 0, long.slice(0, 255)),
  page(2, 1, long.slice(255)),
  page(3, 0, `\x04\0\0${String.fromCharCode(comment.length)}${comment}`, `\x86\0\0\x15${secret}`),
  page(4, 0, `fisbone${secret}`),
  secret,
  page(1, 0, 'SOUND'),
  page(2, 0, 'SOUND'),
  page(3, 4, '\xff\xf8SOUND'),
  secret,
);

const chunk = (name: string, body: string, isLittle = true) => {
  const length = Buffer.alloc(4);
  if (isLittle) length.writeUInt32LE(body.length);
  else length.writeUInt32BE(body.length);
  return join4(name, length, body, body.length % 2 === 1 ? '\0' : '');
};
const wav = join4(
  chunk(
    'RIFF',
    join4(
      'WAVE',
      chunk('bext', secret),
      chunk('fmt ', 'FORMAT'),
      chunk('id3 ', secret),
      chunk('data', 'SOUND'),
      chunk('LIST', secret),
    ).toString('latin1'),
  ),
  secret,
);
const aiff = join4(
  chunk(
    'FORM',
    join4(
      'AIFF',
      chunk('NAME', secret, false),
      chunk('COMM', 'FORMAT', false),
      chunk('SSND', 'SOUND', false),
      chunk('ID3 ', secret, false),
    ).toString('latin1'),
    false,
  ),
  secret,
);
const cafChunk = (name: string, body: string) =>
  join4(name, Buffer.alloc(7), Buffer.from([body.length]), body);
const caf = join4(
  'caff\0\x01\0\0',
  cafChunk('desc', 'FORMAT'),
  cafChunk('info', secret),
  cafChunk('data', 'SOUND'),
);

/** Frames of the types that a phone mixes: sound, and silence that is not sent. */
const amr = (start: string, ...heads: readonly [first: number, body: number][]) =>
  join4(
    start,
    ...Array.from({ length: 10 }, () =>
      heads.map(([first, body]) => join4(Buffer.from([first]), 'S'.repeat(body))),
    ).flat(),
  );
const narrow = amr('#!AMR\n', [0x3c, 31], [0x44, 5], [0x7c, 0]);
const wide = amr('#!AMR-WB\n', [0x44, 60], [0x4c, 5], [0x7c, 0]);
/** It begins like a frame. */
const likeFrames = `<x:xmpmeta>${secret.repeat(2)}`;

it.each([
  [
    'an MP3 with tags of each kind',
    clearFrames,
    join4(id3(secret), id3(secret, '3DI\x04\0\x10\0\0\0\x15'), frames, secret, frames, ape, id3v1),
    [mp3Frame.toString('latin1').repeat(4)],
  ],
  ['an AAC', clearFrames, join4(id3(secret), adts, adts, adts, id3v1), [adts.toString('latin1').repeat(3)]],
  ['a FLAC', clearFlac, join4(flac, ape, id3v1), ['STREAMINFO', 'SEEK', 'SOUND']],
  ['a FLAC behind an ID3 tag', clearFrames, join4(id3(secret), flac, id3v1), ['STREAMINFO', 'SEEK', 'SOUND']],
  [
    'an Ogg of Vorbis, Opus and FLAC',
    clearOgg,
    ogg,
    ['vorbisIDENT', 'OpusHeadIDENT', 'STREAMINFO', 'SETUP', 'SOUND', '\xff\xf8SOUND'],
  ],
  ['a WAV', clearChunks, wav, ['FORMAT', 'SOUND']],
  ['an AIFF', clearChunks, aiff, ['FORMAT', 'SOUND']],
  ['a CAF', clearChunks, caf, ['FORMAT', 'SOUND']],
  ['an AMR', clearAmr, join4(narrow, likeFrames), [narrow.toString('latin1', 0, 6 + 6 * 39)]],
  ['a wide AMR', clearAmr, join4(wide, likeFrames), [wide.toString('latin1', 0, 9 + 6 * 68)]],
  ['an AMR that is cut short', clearAmr, join4(narrow, '\x3c', secret), [narrow.toString('latin1', 0, 240)]],
] as const)('cleaning keeps of %s the sound, where it was', async (_, clear, received, sounds) => {
  expect(received.includes('Secret')).toBe(true);
  const { isChanged, stored } = await cleared(clear, received);
  for (const part of ['Secret', '48.2082']) expect([part, stored.includes(part)]).toEqual([part, false]);
  for (const sound of sounds) {
    const at = received.lastIndexOf(sound, undefined, 'latin1');
    expect([sound, stored.lastIndexOf(sound, undefined, 'latin1'), at >= 0]).toEqual([sound, at, true]);
  }
  expect([isChanged, await cleared(clear, stored)]).toEqual([true, { isChanged: false, stored }]);
});

it.each([
  ['an MP3 without a frame', clearFrames, join4(id3(secret), secret)],
  ['a FLAC that is cut short', clearFlac, flac.subarray(0, 60)],
  ['an Ogg of a codec that is not known', clearOgg, page(1, 2, 'SecretCodec')],
  ['an AMR without a frame', clearAmr, join4('#!AMR\n', secret)],
  ['an AMR of several channels', clearAmr, join4('#!AMR_MC1.0\n', '\0\0\0\x02', narrow)],
] as const)('cleaning refuses %s with a sentence', async (_, clear, bytes) => {
  await expect(cleared(clear, bytes)).rejects.toThrow(/video or recording/);
});

it.each(['video/x-msvideo', 'audio/rf64', 'audio/x-newer'])(
  'cleaning refuses %s, which nothing cleans',
  async type => {
    await expect(clearMedium(folder.at('none'), folder.at('clean'), type)).rejects.toThrow(
      'cannot be removed from this kind',
    );
  },
);

it('a file that only begins like a sound is refused: zeros behind a tag, and beginnings of frames without any', async () => {
  await expect(cleared(clearFrames, join4(id3(secret), Buffer.alloc(20_000_000)))).rejects.toThrow(
    'incomplete',
  );
  const beginnings = Buffer.alloc(2_000_000, join4(mp3Frame.subarray(0, 4), '\0\0\0'));
  await expect(cleared(clearFrames, beginnings)).rejects.toThrow('too many parts');
});

it('fuzz: hostile sounds end at once, and grow by nothing', async () => {
  const sounds: [Clear, Buffer][] = [
    [clearFrames, join4(id3(secret), frames, ape, id3v1)],
    [clearFlac, join4(flac, ape)],
    [clearOgg, ogg],
    [clearChunks, wav],
    [clearChunks, caf],
    [clearAmr, join4(narrow, secret)],
  ];
  for (const [clear, whole] of sounds) {
    for (const bytes of spoiled([whole], 34)) {
      const result = await cleared(clear, bytes).catch((error: Error) => error);
      if (result instanceof Error) expect(result.message).toMatch(/video or recording/);
      else expect(result.stored.length).toBeLessThanOrEqual(bytes.length);
    }
  }
});
