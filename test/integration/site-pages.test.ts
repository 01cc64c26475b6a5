import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';

const pagesOf = async (s: Site, as: Person) =>
  (await s.call(as, 'getPages', {})).pages.map(({ title, shownIn }) => [title, shownIn]);
const timelineOf = async (s: Site, as: Person, tags: string[] = []) =>
  (await s.call(as, 'getPosts', { filtTags: tags })).posts.map(post => post.title ?? post.type);

const contact = essay({ title: 'Contact', shownIn: 'footer' });
const recipes = essay({ title: 'Recipes', shownIn: 'navigation', tags: ['friends'] });

describeEngines(({ site, siteWithAdmin }) => {
  it('a page is in no timeline, feed, archive or mail; search, its tags and the sitemap find it', async () => {
    const [s, admin] = await siteWithAdmin();
    const open = essay({ title: 'Contact', shownIn: 'footer', tags: ['about'] });
    const [walk = '', page = '', swim = ''] = await publish(s, admin, shortPost(), open, shortPost());
    await s.call(admin, 'setDefaultTags', { tags: ['about'] });
    expect(await timelineOf(s, null)).toEqual(['short', 'short']);
    expect(await timelineOf(s, null, ['about'])).toEqual(['Contact']);
    expect((await s.call(null, 'search', { q: 'contact' })).posts).toMatchObject([{ id: page }]);
    expect(await (await s.request('/feed.xml')).text()).not.toContain(`/post/${page}`);
    expect((await s.call(null, 'getArchive', {})).months).toMatchObject([{ count: 2 }]);
    expect((await s.request('/feed.xml?tag=about')).status).toBe(404);
    expect(await (await s.request('/sitemap.xml')).text()).toContain(`/post/${page}<`);
    const neighbours = (postId: string) => s.call(null, 'getNeighbours', { postId });
    expect(await neighbours(page)).toEqual({ older: null, newer: null });
    expect((await neighbours(walk)).newer?.postId).toBe(swim);
    const announced = await s.deps.db.selectFrom('announcements').select('post_id').execute();
    expect(announced.map(row => row.post_id).sort()).toEqual([walk, swim].sort());
  });

  it('only those who may read a page find it in the navigation and on the pages that link to it', async () => {
    const s = await site();
    const [admin, friend] = [await s.admin(), await s.member(['friends'])];
    await publish(s, admin, recipes, contact, essay({ title: 'Plans', shownIn: 'footer', isDraft: true }));
    expect(await pagesOf(s, null)).toEqual([['Contact', 'footer']]);
    expect(await pagesOf(s, friend)).toEqual([
      ['Recipes', 'navigation'],
      ['Contact', 'footer'],
    ]);
    expect(await pagesOf(s, admin)).toEqual(await pagesOf(s, friend));
    const shown = async (as: Person) => await (await s.request('/archive', as)).text();
    expect(await shown(null)).toContain('Contact');
    expect(await shown(null)).not.toContain('Recipes');
    expect(await shown(friend)).toContain('Recipes');
  });

  it('a page that is dated earlier does not come before those that were there', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, contact);
    s.wait(60_000);
    await s.call(admin, 'createPost', { ...recipes, tags: [], date: '2001-01-01T00:00:00Z' });
    expect((await pagesOf(s, null)).map(([title]) => title)).toEqual(['Contact', 'Recipes']);
  });

  it('cached pages follow an essay into the navigation, under its new title, and back', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, essay({ title: 'Harbours' }), shortPost());
    const page = async () => {
      const text = await (await s.request('/')).text();
      return [text.includes('aria-label="Pages"'), ...(await timelineOf(s, null))];
    };
    const save = (fields: Parameters<typeof essay>[0]) =>
      s.call(admin, 'updatePost', { ...essay(fields), postId });
    expect(await page()).toEqual([false, 'short', 'Harbours']);
    await save({ title: 'Harbours', shownIn: 'navigation' });
    expect(await page()).toEqual([true, 'short']);
    await save({ title: 'Ports' });
    expect(await pagesOf(s, null)).toEqual([['Ports', 'navigation']]);
    expect(await (await s.request('/')).text()).toContain('Ports');
    await save({ title: 'Ports', shownIn: 'timeline' });
    expect(await page()).toEqual([false, 'short', 'Ports']);
  });

  it('a page that becomes a short post is back in the timeline', async () => {
    const [s, admin] = await siteWithAdmin();
    const [postId = ''] = await publish(s, admin, contact);
    await s.call(admin, 'updatePost', { ...shortPost(), postId });
    expect(await pagesOf(s, null)).toEqual([]);
    expect(await timelineOf(s, null)).toEqual(['short']);
  });

  it('a page that is saved again after a lost answer stays one page', async () => {
    const [s, admin] = await siteWithAdmin();
    const save = () => s.call(admin, 'createPost', { ...contact, saveKey: 'k1' });
    const first = (await save()).post;
    expect((await save()).post).toMatchObject({ id: first.id, version: 1, shownIn: 'footer' });
  });
});
