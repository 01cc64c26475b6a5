import type { Page } from '@playwright/test';
import { fillHard } from '../../scripts/screenshots/hard.ts';
import { fillHardPeople } from '../../scripts/screenshots/hard-people.ts';
import { publishPost } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

test('nothing that an author can write makes a page scroll sideways', async ({
  page,
  allowedErrors,
  people,
}) => {
  // One of the pictures is not there.
  allowedErrors.push(/404/);
  await people.admin(page);
  const posts = await fillHard(page.request);
  for (const path of ['/', '/?page=2', ...[...posts.values()].map(id => `/post/${id}`)]) {
    await page.goto(path);
    await hydrated(page);
    for (const width of [360, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([path, width, await overflow(page)]).toEqual([path, width, 0]);
    }
  }
});

test('the box of a task stands beside its words, however long the first of them is', async ({
  admin: page,
}) => {
  const tasks = `- [ ] ${'Donaudampfschiff'.repeat(6)}\n- [x] cake\n  - [ ] candles\n\n1. [ ] first\n\n2. [x] second`;
  const id = await publishPost(page, tasks);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`/post/${id}`);
    const apart = await page.locator('.prose .task-list-item').evaluateAll(items =>
      items.map(item => {
        const words = document.createRange();
        words.selectNodeContents(item);
        const [box] = item.querySelector('input')?.getClientRects() ?? [];
        const line = [...words.getClientRects()].find(({ width: wide }) => wide > (box?.width ?? 0) * 2);
        return (box?.top ?? 0) < (line?.bottom ?? 0) && (box?.right ?? 0) <= (line?.left ?? 0);
      }),
    );
    expect(apart).toEqual([true, true, true, true, true]);
    expect(await overflow(page)).toBe(0);
  }
});

test('however people are called, and whatever they write, no page scrolls sideways, also on a phone that shows it twice as large', async ({
  admin: page,
  site,
}) => {
  const posts = await fillHard(page.request);
  await fillHardPeople(site, page.request, posts.get('rtl') ?? '');
  const tooWide: [path: string, width: number, by: number][] = [];
  for (const path of [
    '/',
    `/post/${posts.get('rtl')}#comments`,
    '/admin',
    '/admin?list=approved',
    '/admin/posts',
    '/admin/tags',
    '/admin/invitations',
    '/admin/mail',
    '/admin/webhooks',
    '/admin/history',
    '/admin/system',
    `/admin/posts/${posts.get('long-words')}/edit`,
    '/profile',
    '/account',
  ]) {
    await page.goto(path);
    await hydrated(page);
    for (const width of [360, 180]) {
      await page.setViewportSize({ width, height: 800 });
      const by = await overflow(page);
      if (by > 0) tooWide.push([path, width, by]);
    }
  }
  expect(tooWide).toEqual([]);
});

/** By how many pixels the page is wider than the screen. */
async function overflow(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}
