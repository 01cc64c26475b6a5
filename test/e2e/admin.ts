import type { Browser, Page } from '@playwright/test';
import { addAccount, startSession } from './accounts.ts';
import { callFrom, type RunningSite } from './site.ts';

export { expectAccessible } from './axe.ts';

/** What the admin's journeys share. */

/** An admin at work on a site with two posts for friends and an open one. */
export async function asAdmin(site: RunningSite, page: Page): Promise<void> {
  await site.createAdmin();
  await startSession(site, page.context(), 'mina');
  for (const tags of [['friends'], ['friends', 'family'], []]) {
    await callFrom(page, 'createPost', { type: 'short', content: `For ${tags}`, tags, isDraft: false });
  }
}

/** Somebody with a browser of their own, who waits for approval. */
export async function newcomer(site: RunningSite, browser: Browser, username: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: site.url })).newPage();
  await addAccount(site, { username, name: `Full ${username}`, status: 'pending' });
  await startSession(site, page.context(), username);
  return page;
}
