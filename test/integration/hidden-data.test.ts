import { expect, it } from 'vitest';
import { describeSqlite } from '../support/engines.ts';
import { bucketPath, multipart, objectPath } from '../support/multipart.ts';
import { upload } from '../support/storage.ts';
import { box, text, video } from '../support/videos.ts';

describeSqlite(({ siteWithAdmin }) => {
  it.each(['uuid', 'udta', 'junk', 'PICT', 'meta', 'gps '])(
    'hidden data of an upload is removed from a video whose first box is %j, whatever it is called',
    async first => {
      const [s, admin] = await siteWithAdmin();
      const start = box(first, text('Secret at 48.2082'));
      for (const declared of ['video/mp4', 'text/csv', undefined]) {
        for (const isIndexFirst of [true, false]) {
          const received = video({ isIndexFirst, start });
          const { url, contentType } = await upload(s, admin, 'a.mp4', received, declared);
          const stored = Buffer.from(await (await s.request(url, admin)).arrayBuffer());
          expect([contentType, stored.length]).toEqual(['video/quicktime', received.length]);
          for (const hidden of ['Secret', '48.2082', '16.3738']) {
            expect([hidden, received.includes(hidden), stored.includes(hidden)]).toEqual([
              hidden,
              true,
              false,
            ]);
          }
          expect(stored.includes('PICTURES')).toBe(true);
        }
      }
    },
  );

  it('an upload that calls itself a video or a sound and is of no known kind is refused, because its hidden data would stay', async () => {
    const [s, admin] = await siteWithAdmin();
    const unknown = box('uuid', text('Secret at 48.2082'));
    for (const [declared, bytes] of [
      ['video/mp4', unknown],
      ['VIDEO/quicktime; codecs=avc1', unknown],
      ['audio/mpeg', text('\0\0\0\0Secret')],
    ] as const) {
      const refused = await s.request(bucketPath('a.mp4'), admin, multipart(bytes, {}, declared));
      expect([refused.status, (await refused.json()).error.message]).toEqual([
        403,
        'Hidden data such as the location cannot be removed from this kind of video or recording. Please save it as MP4 (H.264 and AAC) with another program.',
      ]);
      expect((await s.request(objectPath('a.mp4'), admin)).status).toBe(404);
    }
  });

  it('a picture of an unknown kind, or of one that a program keeps for itself, is refused, because its hidden data would stay', async () => {
    const [s, admin] = await siteWithAdmin();
    const known = 'Browsers cannot show this kind of picture. Please save it as JPEG.';
    const unknown =
      'Hidden data such as the location cannot be removed from this kind of picture. Please save it as JPEG or PNG.';
    for (const [declared, bytes, sentence] of [
      ['image/vnd.adobe.photoshop', '8BPS\0\x01 Secret', known],
      [undefined, 'II\x1a\0\0\0HEAPCCDR Secret', known],
      [undefined, 'v/1\x01 Secret', known],
      [undefined, `${'\0'.repeat(128)}DICM Secret`, known],
      ['image/x-tga', '\0\0\x02 Secret', unknown],
      ['IMAGE/x-eps', '%!PS-Adobe-3.0 EPSF-3.0 Secret', unknown],
    ] as const) {
      const refused = await s.request(bucketPath('a'), admin, multipart(text(bytes), {}, declared));
      expect([refused.status, (await refused.json()).error.message]).toEqual([403, sentence]);
      expect((await s.request(objectPath('a'), admin)).status).toBe(404);
    }
    for (const declared of ['image/bmp', 'image/vnd.dxf']) {
      const { contentType } = await upload(s, admin, 'a', 'BM..', declared);
      expect(contentType).toBe('application/octet-stream');
    }
  });

  it('hidden data of an upload is in no text and no notes of music, which browsers call videos and sounds', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const [name, declared, bytes] of [
      ['a.ts', 'video/mp2t', 'export const greeting = "Grüße";\n'],
      ['a.m3u', 'audio/x-mpegurl', '#EXTM3U\r\n#EXTINF:123,\tA song\r\n'],
      ['a.mid', 'audio/midi', 'MThd\0\0\0\x06\0\x01'],
      ['a.bin', 'application/octet-stream', box('uuid', text('any'))],
    ] as const) {
      const { contentType } = await upload(s, admin, name, bytes, declared);
      expect([name, contentType]).toEqual([name, 'application/octet-stream']);
    }
  });
});
