import { readFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { sweepFiles } from '../../server/files/jobs.ts';
import { prepareNext } from '../../server/files/make-variants.ts';
import { ffmpegIsMissing } from '../../server/files/videos/ffmpeg.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { everythingIn, iphoneVideo, madeMedium, tone, traces } from '../support/made-videos.ts';
import { objectPath } from '../support/multipart.ts';
import { saveSettings } from '../support/save-settings.ts';
import { openSite, type Person, type Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();
afterEach(() => vi.unstubAllEnvs());

const dayMs = 24 * 60 * 60_000;
const uploadVideo = async (s: Site, as: Person) =>
  await upload(s, as, 'IMG_2041.MOV', await readFile(iphoneVideo(at('video.mov'))));

async function keysIn(s: Site): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of s.deps.files.list()) keys.push(key);
  return keys.sort();
}

/** What is answered in each form: its type, what it is downloaded as, and its bytes. */
async function forms(s: Site, as: Person, url: string, others: string[] = []) {
  const answers: [string, string, Buffer][] = [];
  for (const path of [
    url,
    ...['480', 'poster', 'original'].map(width => `${url}?width=${width}`),
    ...others,
  ]) {
    const answer = await s.request(path, as);
    const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? '';
    const type = `${answer.status} ${answer.headers.get('content-type')}`;
    answers.push([type, name, Buffer.from(await answer.arrayBuffer())]);
  }
  return answers;
}

describeEngines(({ site, siteWithAdmin, location, engine }) => {
  it('a video plays as it was uploaded until it is prepared, and then everywhere', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url, name, id } = await uploadVideo(s, admin);
    const [postId = ''] = await publish(
      s,
      admin,
      essay({ content: `[Video: thaw](${url})`, tags: ['friends'] }),
    );
    const media = `${objectPath(name)}?alt=media`;
    const original = ['200 video/quicktime', 'IMG_2041.MOV'];
    const before = await forms(s, admin, url, [media]);
    expect(before.map(([type, name]) => [type, name])).toEqual([
      original,
      original,
      ['204 null', ''],
      original,
      original,
    ]);
    const waiting = await s.request(`${url}?width=poster`, admin);
    expect(waiting.headers.get('retry-after')).toBe('15');

    expect([await prepareNext(s.deps), await prepareNext(s.deps)]).toEqual([true, false]);
    const after = await forms(s, admin, url, [media]);
    expect(after.map(([type, name]) => [type, name])).toEqual([
      ['200 video/mp4', 'IMG_2041.mp4'],
      ['200 video/mp4', 'IMG_2041.mp4'],
      ['200 image/jpeg', 'IMG_2041.jpg'],
      original,
      original,
    ]);
    expect(after[3]?.[2].equals(before[3]?.[2] ?? Buffer.of())).toBe(true);
    for (const [index, [, , bytes]] of after.entries()) {
      await write({ [`${index}`]: bytes });
      expect(everythingIn(at(String(index)))).not.toMatch(traces);
    }

    for (const person of [null, await s.member()]) {
      const answers = await forms(s, person, url, [media]);
      expect(new Set(answers.map(([type]) => type.slice(0, 3)))).toEqual(new Set(['404']));
    }
    s.wait(3 * dayMs);
    await sweepFiles(s.deps);
    expect(await examine(s.deps)).toEqual([]);
    await s.call(admin, 'deletePost', { postId });
    expect((await keysIn(s)).filter(key => key.startsWith(id))).toEqual([]);
  });

  it('preparing goes on after a restart in the middle of a video', async () => {
    const s = await site();
    const { id } = await uploadVideo(s, await s.admin());
    const stopping = new AbortController();
    const files: typeof s.deps.files = {
      ...s.deps.files,
      put: async (...args) => {
        await s.deps.files.put(...args);
        stopping.abort();
      },
    };
    expect(await prepareNext({ ...s.deps, files, stopping: stopping.signal })).toBe(true);
    const row = s.deps.db.selectFrom('files').select(['variants', 'variants_attempts']).where('id', '=', id);
    expect(await row.executeTakeFirst()).toEqual({ variants: null, variants_attempts: 0 });
    s.wait(10_000);
    expect(await prepareNext(s.deps)).toBe(true);
    expect(JSON.parse((await row.executeTakeFirst())?.variants ?? '')).toHaveLength(3);
  });

  it('an archive holds a prepared sound, and a prepared video without its original', async () => {
    const [s, admin] = await siteWithAdmin();
    const sound = await upload(s, admin, 'a.caf', await readFile(madeMedium(at('a.caf'), tone)));
    expect(await prepareNext(s.deps)).toBe(true);
    await saveSettings(s, admin, { originals: 'dropped' });
    const media = [sound, await uploadVideo(s, admin)];
    expect(await prepareNext(s.deps)).toBe(true);
    await publish(s, admin, essay({ content: media.map(({ url }) => `[Video: thaw](${url})`).join('\n\n') }));
    const { path } = await exportSite(s.deps);
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(path));
    const restored = await openSite(place);
    try {
      expect(await examine(restored.deps)).toEqual([]);
      expect(await keysIn(restored)).toEqual(await keysIn(s));
      for (const { url } of media)
        expect(await forms(restored, null, url)).toEqual(await forms(s, null, url));
    } finally {
      await restored.close();
    }
  });

  // What ffmpeg makes does not depend on the database.
  if (engine === 'postgres') return;

  it('a video has its poster before it is prepared, also behind others, and it is deleted with the video', async () => {
    const [s, admin] = await siteWithAdmin();
    const video = await readFile(iphoneVideo(at('video.mov')));
    const videos = [await upload(s, admin, 'a.MOV', video), await upload(s, admin, 'b.MOV', video)];
    const posters = async () =>
      await Promise.all(
        videos.map(async ({ url }) => {
          const { status, headers } = await s.request(`${url}?width=poster`, admin);
          return `${status} ${headers.get('content-type')} ${headers.get('retry-after')} ${headers.get('cache-control')}`;
        }),
      );
    const prepared = async () => (await forms(s, admin, videos[0]?.url ?? ''))[0]?.[0];
    expect(await prepareNext(s.deps)).toBe(true);
    expect(await posters()).toEqual(['200 image/jpeg 15 private, no-store', '204 null 15 private, no-store']);
    expect(await prepared()).toBe('200 video/quicktime');
    for (const person of [null, await s.member()])
      expect((await s.request(`${videos[0]?.url}?width=poster`, person)).status).toBe(404);
    expect(await examine(s.deps)).toEqual([]);
    await s.request(objectPath(videos[0]?.name ?? ''), admin, { method: 'DELETE' });
    expect(await keysIn(s)).toEqual([videos[1]?.id]);
    expect(await prepareNext(s.deps)).toBe(true);
    videos.shift();
    expect(await posters()).toEqual(['200 image/jpeg null private, no-cache']);
    expect(await prepared()).toBe('200 video/mp4');
  });

  it('a video in a text has a poster, its size and a source for narrow screens', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploadVideo(s, admin);
    const [postId = ''] = await publish(s, admin, essay({ content: `[Video: thaw](${url})` }));
    expect((await s.call(null, 'getPost', { postId })).post.html).toContain(
      `<video width="1280" height="720" loading="lazy" poster="${url}?width=poster" controls preload="metadata" aria-label="thaw">` +
        `<source src="${url}?width=480" media="(max-width: 30rem)"><source src="${url}">`,
    );
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed).toContain(`poster=&quot;${s.config.publicUrl}${url}?width=poster&quot;`);
  });

  it('an original is dropped where the site says so, and the prepared video is the file', async () => {
    const [s, admin] = await siteWithAdmin();
    await saveSettings(s, admin, { originals: 'dropped' });
    const { url, name, id } = await uploadVideo(s, admin);
    const post = essay({ content: `[Video: thaw](${url})`, attachments: [{ url, description: null }] });
    const [postId = ''] = await publish(s, admin, post);
    expect(await prepareNext(s.deps)).toBe(true);
    const video = ['200 video/mp4', 'IMG_2041.mp4'];
    const answers = await forms(s, admin, url, [`${objectPath(name)}?alt=media`]);
    expect(answers.map(([type, name]) => [type, name])).toEqual([
      video,
      video,
      ['200 image/jpeg', 'IMG_2041.jpg'],
      video,
      video,
    ]);
    expect(answers[3]?.[2].equals(answers[0]?.[2] ?? Buffer.of())).toBe(true);
    const described = await (await s.request(objectPath(name), admin)).json();
    expect(described).toMatchObject({ contentType: 'video/mp4', size: String(answers[0]?.[2].length) });
    const { attachments } = (await s.call(null, 'getPost', { postId })).post;
    const size = answers[0]?.[2].length;
    expect(attachments).toMatchObject([{ url, type: 'video/mp4', name: 'IMG_2041.mp4', size }]);
    s.wait(3 * dayMs);
    await sweepFiles(s.deps);
    expect(await keysIn(s)).toEqual([`${id}.1080`, `${id}.480`, `${id}.poster`]);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('a video that cannot be prepared is served as it came, and a sound is prepared too', async () => {
    const [s, admin] = await siteWithAdmin();
    const broken = await upload(s, admin, 'a.mp4', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom');
    const sound = await upload(s, admin, 'a.caf', await readFile(madeMedium(at('a.caf'), tone)));
    expect([await prepareNext(s.deps), await prepareNext(s.deps), await prepareNext(s.deps)]).toEqual([
      true,
      true,
      false,
    ]);
    const typesOf = async (url: string) => (await forms(s, admin, url)).map(([type]) => type);
    const [video, caf, aac] = ['200 video/mp4', '200 audio/x-caf', '200 audio/mp4'];
    expect(await typesOf(broken.url)).toEqual([video, video, '204 null', video]);
    expect(await typesOf(sound.url)).toEqual([aac, aac, '204 null', caf]);
    expect((await s.request(`${sound.url}?width=poster`, admin)).headers.get('retry-after')).toBeNull();
  });

  it('without ffmpeg videos are served as they came, and admins read what is missing', async () => {
    vi.stubEnv('PATH', at('empty'));
    const [s, admin] = await siteWithAdmin();
    const { url } = await upload(s, admin, 'a.mp4', '\0\0\0\x18ftypmp42\0\0\0\0mp42isom');
    expect(await prepareNext(s.deps)).toBe(false);
    expect((await s.request(url, admin)).status).toBe(200);
    expect((await s.request(`${url}?width=poster`, admin)).headers.get('retry-after')).toBeNull();
    expect(JSON.stringify(await s.call(admin, 'getSiteSettings', {}))).toContain(ffmpegIsMissing);
  });
});
