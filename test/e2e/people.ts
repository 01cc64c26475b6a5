import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, expect, type Page } from '@playwright/test';
import type { Input } from '../../contract/operations.ts';
import { callFrom, type RunningSite, signIn } from './site.ts';

export const memberPassword = 'arthur';

/** A page of its own context, signed in as an admin who has just been made. */
export async function adminPage(site: RunningSite, browser: Browser): Promise<Page> {
  await site.createAdmin();
  const page = await pageOf(site, browser);
  await signIn(page, 'mina');
  return page;
}

/** A page of its own context, of a visitor. */
export async function pageOf(site: RunningSite, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: site.url });
  return await context.newPage();
}

/** A page of somebody who has signed up and, unless told otherwise, was approved. */
export async function memberPage(
  site: RunningSite,
  browser: Browser,
  username: string,
  { isApproved = true } = {},
): Promise<Page> {
  const page = await pageOf(site, browser);
  await callFrom(page, 'signUp', {
    username,
    name: 'A Member',
    email: `${username}@example.com`,
    password: memberPassword,
  });
  if (isApproved) await site.cli('user', 'approve', username);
  return page;
}

export async function publishPost(
  admin: Page,
  content = 'A short post.',
  tags: string[] = [],
): Promise<string> {
  const input: Input<'createPost'> = { type: 'short', content, tags, isDraft: false };
  return (await callFrom(admin, 'createPost', input)).post.id;
}

/** axe finds nothing on the page as it stands, light and dark, on a phone and on a desk. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const width of [360, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`)).toEqual(
        [],
      );
    }
  }
}
