import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { hourMs } from '../../server/base/clock.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

/** A member with a feed, and posts that they may read and may not. */
async function subscriber(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await publish(
    s,
    admin,
    essay({ title: 'For all' }),
    essay({ title: 'For friends', tags: ['friends'] }),
    essay({ title: 'For family', tags: ['family'] }),
  );
  const make = async (as: Person) => {
    const { pathname, search } = new URL((await s.call(as, 'makePersonalFeed', {})).url);
    return pathname + search;
  };
  const path = await make(lucy);
  const titles = async (address: string) => {
    const text = await (await s.request(address)).text();
    return [...text.matchAll(/<entry>.*?<title>([^<]*)/gs)].map(match => match[1]);
  };
  return { admin, lucy, make, path, titles };
}

describeEngines(({ site, siteWithAdmin }) => {
  it('a personal feed holds what its owner may read at this moment, for anybody who has its address', async () => {
    const s = await site();
    const { admin, lucy, path, titles } = await subscriber(s);
    expect(await titles(path)).toEqual(['For friends', 'For all']);
    expect(await titles('/feed.xml')).toEqual(['For all']);
    await s.call(admin, 'setApprovedTags', { userId: lucy.id, tags: [] });
    expect(await titles(path)).toEqual(['For all']);
  });

  it('a personal feed ends when it is replaced or ended, with a denial and with all sessions', async () => {
    const s = await site();
    const { lucy, make, path } = await subscriber(s);
    const status = async (address: string) => (await s.request(address)).status;
    const second = await make(lucy);
    expect([await status(path), await status(second)]).toEqual([404, 200]);
    await s.call(lucy, 'endPersonalFeed', {});
    expect(await status(second)).toBe(404);
    const [mina, third] = [await s.member(), await make(lucy)];
    await s.call(lucy, 'signOutEverywhere', {});
    expect(await status(third)).toBe(404);
    const fourth = await make(mina);
    expect(await status(fourth)).toBe(200);
    await denyUser(s.deps, mina.id);
    expect(await status(fourth)).toBe(404);
    expect(await refusal(s.call(await s.signUp(), 'makePersonalFeed', {}))).toBe('permission-denied');
  });

  it('a personal feed is made twenty times a minute', async () => {
    const s = await site();
    const { path } = await subscriber(s);
    s.deps.limits = new Limits(0.1);
    const status = async () => (await s.request(path)).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  });

  it('a personal feed is in no shared cache, answers conditional requests, and says when it was last used', async () => {
    const s = await site();
    const { lucy, path } = await subscriber(s);
    const feed = async () => (await s.call(lucy, 'getPersonalFeed', {})).feed;
    expect(await feed()).toMatchObject({ lastUsedAt: null });
    const { headers } = await s.request(path);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const etag = headers.get('etag') ?? '';
    expect((await s.request(path, null, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const first = (await feed())?.lastUsedAt;
    expect(first).toBe(new Date(s.deps.clock()).toISOString());
    s.wait(hourMs);
    await s.request(path);
    expect((await feed())?.lastUsedAt).not.toBe(first);
  });

  it('the secret of a personal feed is nowhere but in the answer that made it', async () => {
    const s = await site();
    const { lucy, path } = await subscriber(s);
    const secret = new URLSearchParams(path.split('?')[1]).get('key') ?? '';
    expect(await (await s.request(path)).text()).not.toContain(secret);
    const { data } = await s.call(lucy, 'exportAccount', {});
    expect(data).toMatchObject({ personalFeed: { lastUsedAt: expect.any(String) } });
    const stored = JSON.stringify(await s.deps.db.selectFrom('personal_feeds').selectAll().execute());
    expect(stored).not.toContain(secret);
  });

  it('a personal feed has its own id, and so has that of each open tag; a closed tag has none, like a missing one', async () => {
    const s = await site();
    const { admin, path, titles } = await subscriber(s);
    await publish(s, admin, essay({ title: 'On walks', tags: ['walks'] }));
    await s.setDefaultTags(['walks']);
    expect(await titles('/feed.xml?tag=walks')).toEqual(['On walks']);
    const idOf = async (address: string) => /<id>([^<]*)/.exec(await (await s.request(address)).text())?.[1];
    const ids = await Promise.all(['/feed.xml', '/feed.xml?tag=walks', path].map(idOf));
    expect(new Set(ids).size).toBe(3);
    expect(await titles('/feed.xml?tag=')).toEqual(await titles('/feed.xml'));
    for (const tag of ['friends', 'nothing'])
      expect((await s.request(`/feed.xml?tag=${tag}`)).status).toBe(404);
    expect((await s.request('/feed.xml?key=nothing')).status).toBe(404);
  });

  it('the page of an open tag names its feed to visitors, and no other page does', async () => {
    const s = await site();
    const { admin, lucy } = await subscriber(s);
    const about = essay({ title: 'Contact', shownIn: 'footer', tags: ['about'] });
    await publish(s, admin, essay({ tags: ['long walks'] }), about);
    await s.setDefaultTags(['long walks', 'about']);
    const feedsOn = async (path: string, as: Person = null) => {
      const links = (await (await s.request(path, as)).text()).matchAll(
        /<link rel="alternate"[^>]* href="([^"]*)"/g,
      );
      return [...links].map(([, address]) => address);
    };
    const own = '/feed.xml?tag=long%20walks';
    expect(await feedsOn('/tags/long%20walks')).toEqual([own, '/feed.xml']);
    expect((await s.request(own)).status).toBe(200);
    for (const path of ['/', '/tags/about']) expect(await feedsOn(path)).toEqual(['/feed.xml']);
    for (const tag of ['friends', 'nothing']) expect(await feedsOn(`/tags/${tag}`)).toEqual([]);
    // A member may read other posts of a tag than its feed has.
    for (const tag of ['friends', 'long%20walks'])
      expect(await feedsOn(`/tags/${tag}`, lucy)).toEqual(['/feed.xml']);
  });

  it('one network may only so often ask for feeds that must be made for it', async () => {
    const [s, admin] = await siteWithAdmin();
    // Three visits a minute.
    s.deps.limits = new Limits(3 / 1_200);
    const status = async (path: string) => (await s.request(path, null, { peer: '192.0.2.1' })).status;
    const statuses: number[] = [];
    for (const tag of ['', 'a', 'b', 'c']) statuses.push(await status(`/feed.xml?tag=${tag}`));
    expect(statuses).toEqual([200, 404, 404, 429]);
    expect(await status('/feed.xml')).toBe(200);
    await publish(s, admin, shortPost('Newer'));
    expect(await status('/feed.xml')).toBe(429);
    expect((await s.request('/feed.xml', null, { peer: '192.0.2.77' })).status).toBe(200);
    expect(await status('/feed.xml')).toBe(200);
  });
});
