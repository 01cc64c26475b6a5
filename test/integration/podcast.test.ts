import { parseFeed } from 'podcast-partytime';
import { expect, it } from 'vitest';
import { prepareNext } from '../../server/files/make-variants.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { recordQueries } from '../support/queries.ts';
import { type Person, refusal, type Site } from '../support/site.ts';
import { silence } from '../support/sounds.ts';
import { upload } from '../support/storage.ts';

/** An open post and one for friends, each with a sound, and one that is silent. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  const files: string[] = [];
  for (const name of ['open.wav', 'closed.wav']) files.push((await upload(s, admin, name, silence)).url);
  const [open = '', closed = ''] = files;
  const said = (title: string, url: string, ...tags: string[]) =>
    essay({ title, tags, content: `[Sound: tide](${url})`, description: `About ${title}` });
  const [openId = ''] = await publish(
    s,
    admin,
    said('The tide & <us>', open),
    essay({ title: 'Silent', content: 'Nothing to hear.' }),
  );
  s.wait(1_000);
  const [closedId = ''] = await publish(s, admin, said('Among friends', closed, 'friends'));
  const make = async (as: Person) => {
    const { search } = new URL((await s.call(as, 'makePersonalFeed', {})).url);
    return `/podcast.xml${search}`;
  };
  /** What a podcast program reads. */
  const heard = async (path: string) => {
    const feed = parseFeed(await (await s.request(path)).text());
    if (feed === null) throw new Error('A podcast program cannot read it.');
    return feed;
  };
  const titles = async (path: string) => (await heard(path)).items.map(({ title }) => title);
  const pathOf = (url = '') => url.replace(s.config.publicUrl, '');
  return { admin, lucy, open, closed, openId, closedId, make, heard, titles, pathOf };
}

describeEngines(({ site }) => {
  it('the open podcast holds the open posts that can be heard, as podcast programs read it', async () => {
    const s = await site();
    const { open, openId, heard } = await scene(s);
    const { publicUrl } = s.config;
    const { post } = await s.call(null, 'getPost', { postId: openId });
    const feed = await heard('/podcast.xml');
    const icon = `${publicUrl}/icon-512.png`;
    expect(feed).toMatchObject({
      ...{ title: 'Coterie', link: `${publicUrl}/`, author: 'Coterie', explicit: false, itunesBlock: false },
      ...{ itunesImage: icon, image: { url: icon } },
    });
    expect(feed.owner).toBeUndefined();
    expect(feed.items).toHaveLength(1);
    expect(feed.items[0]).toMatchObject({
      title: 'The tide & <us>',
      link: `${publicUrl}/post/${openId}`,
      enclosure: { url: publicUrl + open, type: 'audio/wav', length: silence.length },
      pubDate: new Date(post.publishedAt ?? ''),
      description: 'About The tide & <us>',
    });
    expect(feed.items[0]?.guid).toMatch(new RegExp(`/?post/${openId}#`));
  });

  it('a personal podcast holds what its owner may hear at this moment, and plays without a session', async () => {
    const s = await site();
    const { admin, lucy, closed, make, heard, titles, pathOf } = await scene(s);
    const path = await make(lucy);
    expect(await titles(path)).toEqual(['Among friends', 'The tide & <us>']);
    const { items, title, itunesBlock } = await heard(path);
    expect([title, itunesBlock]).toEqual(['Coterie (lucy)', true]);
    const sound = pathOf(items[0]?.enclosure.url);
    expect(sound.split('?')[0]).toBe(closed);
    expect((await s.request(sound)).status).toBe(200);
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: [] });
    expect(await titles(path)).toEqual(['The tide & <us>']);
    expect((await s.request(sound)).status).toBe(404);
  });

  it('a personal podcast has the address of the feed, and ends with it', async () => {
    const s = await site();
    const { admin, lucy, make } = await scene(s);
    const status = async (path: string) => (await s.request(path)).status;
    const [before, path] = [await make(lucy), await make(lucy)];
    expect([await status(before), await status(path)]).toEqual([404, 200]);
    expect(await status('/podcast.xml?key=nothing')).toBe(404);
    await s.call(admin, 'denyUser', { userId: lucy.id });
    expect(await status(path)).toBe(404);
  });

  it('the podcast answers conditional requests and is cached as the feed is, and holds no secret', async () => {
    const s = await site();
    const { lucy, make } = await scene(s);
    const path = await make(lucy);
    for (const [address, caching] of [
      ['/podcast.xml', 'public, no-cache'],
      [path, 'private, no-store'],
    ] as const) {
      const { headers } = await s.request(address);
      expect(headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
      expect(headers.get('cache-control')).toBe(caching);
      const etag = headers.get('etag') ?? '';
      expect((await s.request(address, null, { headers: { 'if-none-match': etag } })).status).toBe(304);
    }
    const answer = await s.request(path);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-robots-tag')).toBe('noindex');
    expect(await answer.text()).not.toContain(new URLSearchParams(path.split('?')[1]).get('key'));
  });

  it('without an open sound there is no open podcast, and a sound that is added to a post is heard', async () => {
    const s = await site();
    const { admin, lucy, make, openId, titles } = await scene(s);
    const { post } = await s.call(admin, 'getPost', { postId: openId });
    await s.call(admin, 'updatePost', {
      ...essay({ title: 'Silent' }),
      postId: openId,
      version: post.version,
    });
    const { plugin, queries } = recordQueries();
    s.deps.db = s.deps.db.withPlugin(plugin);
    const searches = async () => {
      queries.length = 0;
      expect((await s.request('/podcast.xml')).status).toBe(404);
      return queries.filter(node => JSON.stringify(node).includes('post_files')).length;
    };
    // Only once after a change: all posts are looked through.
    expect([(await searches()) > 0, await searches()]).toEqual([true, 0]);
    expect(await s.call(lucy, 'getPersonalFeed', {})).toMatchObject({ hasSound: true });
    const mina = await s.member();
    expect(await s.call(mina, 'getPersonalFeed', {})).toMatchObject({ hasSound: false });
    const empty = await make(mina);
    expect(await titles(empty)).toEqual([]);
    const { url } = await upload(s, admin, 'later.wav', silence);
    const again = { ...essay({ title: 'Silent', content: `[Sound: tide](${url})` }), postId: openId };
    await s.call(admin, 'updatePost', again);
    expect([await titles('/podcast.xml'), await titles(empty)]).toEqual([['Silent'], ['Silent']]);
    expect(await s.call(mina, 'getPersonalFeed', {})).toMatchObject({ hasSound: true });
    expect(await refusal(s.call(null, 'getPersonalFeed', {}))).toBe('unauthenticated');
  });

  it('each of several sounds of a post is an episode, with its length once it was prepared', async () => {
    const s = await site();
    const { admin, heard } = await scene(s);
    const second = Buffer.concat([silence.subarray(0, 44), Buffer.alloc(16_000, 128)]);
    second.writeUInt32LE(36 + 16_000, 4);
    second.writeUInt32LE(16_000, 40);
    const files: string[] = [];
    for (const name of ['one.wav', 'two.wav']) files.push((await upload(s, admin, name, second)).url);
    // The second one was moved to the front.
    const [moved = ''] = files.reverse();
    await publish(s, admin, shortPost(files.map((url, n) => `[Sound: ${n}](${url})`).join('\n\n')));
    expect((await heard('/podcast.xml')).items[0]?.enclosure).toMatchObject({ type: 'audio/wav' });
    while (await prepareNext(s.deps));
    const [one, two] = (await heard('/podcast.xml')).items;
    expect([one?.title, two?.title].map(title => title?.slice(-6))).toEqual([' (1/2)', ' (2/2)']);
    expect(one?.guid?.split('#')[1]).toBe(moved.split('/')[2]);
    expect(one?.guid).not.toBe(two?.guid);
    expect([one?.duration, two?.duration]).toEqual([2, 2]);
    expect(one?.enclosure).toMatchObject({ type: 'audio/mp4' });
    const sound = await s.request((one?.enclosure.url ?? '').replace(s.config.publicUrl, ''));
    expect((await sound.arrayBuffer()).byteLength).toBe(one?.enclosure.length);
  });
});
