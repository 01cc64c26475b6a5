import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { dayOneSource } from '../../server/moving/import/dayone/source.ts';
import type { Source } from '../../server/moving/import/draft.ts';
import { mastodonSource } from '../../server/moving/import/mastodon/source.ts';
import { describeSqlite } from '../support/engines.ts';
import { importAll } from '../support/imports.ts';
import { png } from '../support/png.ts';
import type { Site } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mp3Frame } from '../support/videos.ts';
import { zipOf } from '../support/zip.ts';

const { at } = temporaryFolder();

async function zip(files: Record<string, unknown>): Promise<string> {
  const path = at('archive.zip');
  const entries = Object.entries(files).map(([name, value]) => ({
    name,
    bytes: Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)),
  }));
  await writeFile(path, zipOf(entries));
  return path;
}

const run = (site: Site, source: Source) => importAll(site.deps, source);

const me = 'https://social.example/users/mina';
const everybody = 'https://www.w3.org/ns/activitystreams#Public';

const create = (number: number, fields: object) => ({
  type: 'Create',
  object: {
    id: `${me}/statuses/${number}`,
    type: 'Note',
    url: `https://social.example/@mina/${number}`,
    published: `2022-11-0${number}T10:00:00Z`,
    content: `<p>Words ${number}.</p>`,
    to: [everybody],
    cc: [`${me}/followers`],
    ...fields,
  },
});

describeSqlite(({ site }) => {
  it('the archive of a Mastodon account brings posts with their files, gives none more readers than before, and counts what is not imported', async () => {
    const s = await site();
    const path = await zip({
      'outbox.json': {
        type: 'OrderedCollection',
        orderedItems: [
          create(1, {
            content:
              '<p>Up the <a href="https://social.example/tags/hill" class="mention hashtag" rel="tag">#<span>hill</span></a> &lt;b&gt;</p>',
            attachment: [
              { mediaType: 'image/png', url: '/media_attachments/files/1/original/a.png', name: 'A hill' },
              { mediaType: 'image/png', url: '/media_attachments/files/1/original/gone.png', name: null },
            ],
          }),
          create(2, { to: [`${me}/followers`], cc: [everybody] }),
          create(3, { to: [`${me}/followers`], cc: [] }),
          create(4, { to: ['https://social.example/users/lucy'], cc: [] }),
          create(5, { inReplyTo: `${me}/statuses/1` }),
          create(6, { inReplyTo: 'https://else.example/users/lucy/statuses/1' }),
          { type: 'Announce', object: 'https://else.example/users/lucy/statuses/2' },
          create(7, { summary: 'Rain', content: '<p>Wet.</p>', oneOf: [{ name: 'Yes' }, { name: 'No' }] }),
          create(8, { to: undefined, cc: 7 }),
        ],
      },
      'media_attachments/files/1/original/a.png': png,
    });
    const source = await mastodonSource(path);
    expect(source.leftBehind).toEqual(
      expect.arrayContaining(['Boosts of others’ posts (1)', 'Replies to others (1)']),
    );
    const items = await run(s, source);
    expect(
      items.map(({ source, outcome, tags, notes }) => [source.split('/').at(-1), outcome, tags, ...notes]),
    ).toEqual([
      [
        '1',
        'created',
        [],
        { file: '/media_attachments/files/1/original/gone.png', text: 'is not in the archive' },
      ],
      ['2', 'created', ['unlisted']],
      ['3', 'created', ['followers']],
      ['4', 'created', ['direct']],
      ['5', 'created', []],
      ['7', 'created', []],
      // Who it was for cannot be read.
      ['8', 'created', ['direct']],
    ]);
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.map(post => post.publishedAt?.slice(0, 10))).toEqual([
      '2022-11-07',
      '2022-11-05',
      '2022-11-01',
    ]);
    const hill = posts.at(-1);
    expect(hill).toMatchObject({ type: 'short' });
    const { post } = await s.call(await s.admin(), 'getPost', { postId: hill?.id ?? '', withContent: true });
    expect(post.content).toMatch(/^Up the #hill \\<b>\n\n!\[A hill\]\(\/files\/[\w-]+\)\n\n!\[\]\(\/media_/);
    expect((await s.request('/@mina/1')).headers.get('location')).toBe(`/post/${post.id}`);
    expect(
      (await s.request('/users/mina/statuses/3', null, { redirect: 'manual' })).headers.get('location'),
    ).toBe('/');
    const again = await run(s, await mastodonSource(path));
    expect(new Set(again.map(item => item.outcome))).toEqual(new Set(['unchanged']));
    expect(await examine(s.deps)).toEqual([]);
  });

  it('the archive of a Mastodon account is refused if it has no outbox', async () => {
    await expect(mastodonSource(await zip({ 'actor.json': {} }))).rejects.toThrow('no outbox.json');
  });
});

describeSqlite(({ site }) => {
  it('a journal of Day One brings entries with photos, videos and recordings, which only the author may read', async () => {
    const s = await site();
    const md5 = (letter: string) => letter.repeat(32);
    const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');
    const path = await zip({
      'Journal.json': {
        metadata: { version: '1.0' },
        entries: [
          {
            uuid: 'AA11',
            text: '# Up the hill\n\nRain\\. ![](dayone-moment://P1)\n\n![](dayone-moment:/video/V1)\n\n[before](dayone://view?entryId=BB22)',
            creationDate: '2021-03-04T05:06:07Z',
            modifiedDate: '2021-03-04T06:06:07Z',
            tags: ['rain'],
            photos: [
              { identifier: 'P1', md5: md5('a'), type: 'png', orderInEntry: 0 },
              { identifier: 'P2', md5: md5('b'), type: 'jpeg', orderInEntry: 1 },
            ],
            videos: [{ identifier: 'V1', md5: md5('c') }],
            audios: [{ identifier: 'A1', md5: md5('d') }],
          },
          { uuid: 'BB22', text: 'Short.', creationDate: '2021-03-03T05:06:07Z' },
          { uuid: 'CC33', creationDate: '2021-03-02T05:06:07Z' },
        ],
      },
      'Work.json': { entries: [{ uuid: 'DD44', text: 'At work.', creationDate: '2021-01-01T00:00:00Z' }] },
      [`photos/${md5('a')}.png`]: png,
      [`videos/${md5('c')}.mp4`]: mp4,
      [`audios/${md5('d')}.m4a`]: mp3Frame,
    });
    const items = await run(s, await dayOneSource(path, 'UTC'));
    expect(items.map(({ source, outcome, tags, notes }) => [source, outcome, tags, ...notes])).toEqual([
      [
        'entries/AA11',
        'created',
        ['rain', 'journal Journal'],
        { file: 'dayone-moment://P2', text: 'is not in the export' },
      ],
      ['entries/BB22', 'created', ['journal Journal']],
      ['entries/CC33', 'skipped', undefined],
      ['entries/DD44', 'created', ['journal Work']],
    ]);
    expect((await s.call(null, 'getPosts', {})).posts).toEqual([]);
    const admin = await s.admin();
    const { posts } = await s.call(admin, 'getPosts', {});
    const { post } = await s.call(admin, 'getPost', { postId: posts[0]?.id ?? '', withContent: true });
    expect(post).toMatchObject({
      title: 'Up the hill',
      publishedAt: '2021-03-04T05:06:07.000Z',
      updatedAt: null,
    });
    expect(post.content).toMatch(
      /^Rain\\\. !\[\]\(\/files\/[\w-]+\)\n\n\[Video: recording\]\(\/files\/[\w-]+\/c{32}\.mp4\)\n\n\[before\]\(\/post\/[\w-]+\)\n\n!\[\]\(dayone-moment:\/\/P2\)\n\n\[Audio: recording\]\(\/files\/[\w-]+\/d{32}\.m4a\)$/,
    );
    expect(post.html).toContain('<video');
    expect(await examine(s.deps)).toEqual([]);
  });

  it('a journal of Day One brings an export that the Finder has packed again, photos that name no check sum, and the local days of entries', async () => {
    const s = await site();
    const folder = '__MACOSX/Diary of 2021';
    const path = await zip({
      'Diary of 2021/JSON/Journal.json': {
        entries: [
          {
            uuid: 'AA11',
            text: 'Late. ![](dayone-moment://P1) ![](dayone-moment://P2)',
            creationDate: '2021-03-04T22:30:00Z',
            timeZone: 'Asia/Tokyo',
            photos: [
              { identifier: 'P1', type: 'png' },
              'no photo',
              { identifier: 'P2', md5: 'a'.repeat(32) },
            ],
          },
          { uuid: 'BB22', text: 'Here.', creationDate: '2021-03-04T22:30:00Z', timeZone: 'Nowhere/None' },
        ],
      },
      [`Diary of 2021/JSON/photos/${'a'.repeat(32)}.png`]: png,
      [`${folder}/JSON/._Journal.json`]: Buffer.from('\0\x05\x16\x07'),
      [`${folder}/._Journal.json`]: Buffer.from('\0\x05\x16\x07'),
      'Diary of 2021/._Journal.json': Buffer.from('\0\x05\x16\x07'),
      'Diary of 2021/.DS_Store': Buffer.from('\0'),
    });
    const items = await run(s, await dayOneSource(path, 'Europe/Berlin'));
    expect(items.map(({ source, files, notes }) => [source, files, ...notes])).toEqual([
      ['entries/AA11', 1, { file: 'dayone-moment://P1', text: 'is not in the export' }],
      ['entries/BB22', 0],
    ]);
    const { posts } = await s.call(await s.admin(), 'getPosts', {});
    // At half past seven in Tokyo on the fifth; the other by its moment.
    expect(posts.map(post => post.publishedAt).sort()).toEqual([
      '2021-03-04T22:30:00.000Z',
      '2021-03-05T06:30:00.000Z',
    ]);
  });

  it('a journal of Day One is refused if the file is no journal', async () => {
    await expect(dayOneSource(await zip({ 'x.json': { entries: [] } }), 'UTC')).rejects.toThrow(
      'no journal of Day One',
    );
  });
});
