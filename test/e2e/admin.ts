import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from '@playwright/test';
import { callFrom, expect, type RunningSite, signIn } from './site.ts';

/** What the admin's journeys share. */

const password = 'arthur';

/** An admin at work on a site with two posts for friends and an open one. */
export async function asAdmin(site: RunningSite, page: Page): Promise<void> {
  await site.createAdmin();
  await signIn(page, 'mina');
  for (const tags of [['friends'], ['friends', 'family'], []]) {
    await callFrom(page, 'createPost', { type: 'short', content: `For ${tags}`, tags, isDraft: false });
  }
}

/** Somebody with a browser of their own, who has just signed up. */
export async function newcomer(site: RunningSite, browser: Browser, username: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: site.url })).newPage();
  const email = `${username}@example.com`;
  await callFrom(page, 'signUp', { username, name: `Full ${username}`, email, password });
  return page;
}

/** Fails when axe finds anything on the page as it stands, light and dark, on a phone and a desktop. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const axe = new AxeBuilder({ page });
      // What has nothing to do with colour is the same in both themes.
      if ((width === 360) === (colorScheme === 'dark'))
        axe.withRules(['color-contrast', 'link-in-text-block']);
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
      expect([width, colorScheme, ...found]).toEqual([width, colorScheme]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
    }
  }
}
