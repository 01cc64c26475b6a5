import type { Browser, Page } from '@playwright/test';
import { callFrom, type RunningSite, signIn } from './site.ts';

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
