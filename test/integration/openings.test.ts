import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { callOf, type Person, refusal, type Site } from '../support/site.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const setCounting = (s: Site, admin: Person, countsOpenings: 'true' | 'false', version = 0) =>
  s.call(admin, 'saveSiteSettings', { values: { countsOpenings }, version });

/** Opens a post in a browser that sends these headers too. */
async function open(s: Site, who: Person, postId: string, headers: Record<string, string> = {}) {
  const call = callOf({ postId }, { 'user-agent': firefox, ...headers });
  expect(await (await s.request('/api/countOpening', who, call)).json()).toEqual({ result: {} });
}

const counted = async ({ deps: { db } }: Site) =>
  await db.selectFrom('openings').selectAll().orderBy('post_id').execute();

describeEngines(({ site, siteWithAdmin }) => {
  it('openings of posts are counted of visitors and members, and told the author of the post and admins from ten on', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [author, other] = [await s.member(), await s.member()];
    for (const { id } of [author, other]) await s.call(admin, 'setAuthor', { userId: id, isAuthor: true });
    await setCounting(s, admin, 'true');
    const [postId = ''] = await publish(s, author, essay());
    const shown = (who: Person) => s.call(who, 'getOpenings', { postIds: [postId] });
    for (let time = 1; time <= 9; time += 1) await open(s, time % 2 === 0 ? null : member, postId);
    expect(await shown(author)).toEqual({ isCounted: true, counts: [] });
    expect(await (await s.request(`/post/${postId}`, author)).text()).toContain('Opened fewer than 10 times');
    await open(s, other, postId);
    // One more opening does not show until the next step.
    await open(s, other, postId);
    const ten = { isCounted: true, counts: [{ postId, times: 10 }] };
    expect([await shown(author), await shown(admin)]).toEqual([ten, ten]);
    expect(await (await s.request(`/post/${postId}`, author)).text()).toContain('Opened 10+ times');
    expect(await (await s.request('/admin/posts', admin)).text()).toContain('Opened 10+ times');
    // Another author learns nothing, nor do readers.
    expect((await shown(other)).counts).toEqual([]);
    expect(await (await s.request(`/post/${postId}`, other)).text()).not.toContain('Opened');
    expect(await refusal(shown(member))).toBe('permission-denied');
    expect(await refusal(shown(null))).toBe('unauthenticated');
  });

  it('openings of posts are told in steps, so that no exact number leaves the server', async () => {
    const [s, admin] = await siteWithAdmin();
    await setCounting(s, admin, 'true');
    const [postId = ''] = await publish(s, admin, essay());
    await open(s, null, postId);
    const told: unknown[] = [];
    for (const times of [9, 10, 19, 20, 49, 50, 99, 100, 1_000, 1_999, 2_000, 54_321]) {
      await s.deps.db.updateTable('openings').set({ times }).execute();
      const { counts } = await s.call(admin, 'getOpenings', { postIds: [postId] });
      told.push(counts[0]?.times);
    }
    expect(told).toEqual([undefined, 10, 10, 20, 20, 50, 50, 100, 1_000, 1_000, 2_000, 50_000]);
  });

  it('openings of posts are not counted of the author, admins, bots, and readers whose browser asks not to be followed', async () => {
    const [s, admin] = await siteWithAdmin();
    const author = await s.member();
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await setCounting(s, admin, 'true');
    const [postId = ''] = await publish(s, author, essay());
    await open(s, author, postId);
    await open(s, admin, postId);
    await open(s, null, postId, { 'user-agent': googlebot });
    await open(s, null, postId, { 'user-agent': '' });
    await open(s, null, postId, { dnt: '1' });
    await open(s, null, postId, { 'sec-gpc': '1' });
    expect(await counted(s)).toEqual([]);
    await open(s, null, postId, { dnt: '0' });
    expect(await counted(s)).toEqual([{ post_id: postId, times: 1 }]);
    const { token } = await s.makeToken(author);
    const byToken = callOf({ postId }, { 'user-agent': firefox, authorization: `Bearer ${token}` });
    expect((await s.request('/api/countOpening', null, byToken)).status).toBe(403);
  });

  it('openings of posts are not counted of a post that the reader may not read, and nothing is told', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    await setCounting(s, admin, 'true');
    const [closed = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    for (let each = 0; each < 11; each += 1) await s.member(['friends']);
    const { post: draft } = await s.call(admin, 'createPost', { ...essay(), isDraft: true });
    for (const postId of [closed, draft.id, 'nothing']) {
      await open(s, member, postId);
      await open(s, null, postId);
    }
    expect(await counted(s)).toEqual([]);
  });

  it('openings of posts are not counted of a post that few members may read, because the number would tell who it was', async () => {
    const [s, admin] = await siteWithAdmin();
    await setCounting(s, admin, 'true');
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    const first = await s.member(['friends']);
    for (let others = 0; others < 9; others += 1) await s.member(['friends']);
    await open(s, first, postId);
    expect(await counted(s)).toEqual([]);
    const eleventh = await s.member(['friends']);
    await open(s, first, postId);
    expect(await counted(s)).toEqual([{ post_id: postId, times: 1 }]);
    await s.call(admin, 'setApprovedTags', { userId: eleventh.id, tags: [] });
    await open(s, first, postId);
    expect(await counted(s)).toEqual([{ post_id: postId, times: 1 }]);
  });

  it('openings of posts are not counted until an admin wants it, and go with the post', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay());
    await open(s, null, postId);
    expect(await counted(s)).toEqual([]);
    expect(await (await s.request(`/post/${postId}`, admin)).text()).not.toContain('Opened');
    await setCounting(s, admin, 'true');
    await open(s, null, postId);
    await setCounting(s, admin, 'false', 1);
    expect(await s.call(admin, 'getOpenings', { postIds: [postId] })).toEqual({
      isCounted: false,
      counts: [],
    });
    expect(await counted(s)).toHaveLength(1);
    await s.call(admin, 'deletePost', { postId });
    expect(await counted(s)).toEqual([]);
  });

  it('openings of posts change no cached page, and nothing is recorded of them', async () => {
    const [s, admin] = await siteWithAdmin();
    await setCounting(s, admin, 'true');
    const [postId = ''] = await publish(s, admin, essay());
    const changes = async () => await s.deps.db.selectFrom('changes').select(['kind', 'key']).execute();
    const before = await changes();
    await open(s, null, postId);
    expect([await changes(), await counted(s)]).toEqual([before, [{ post_id: postId, times: 1 }]]);
  });
});
