import type { Browser, Page } from '@playwright/test';
import type { Input } from '../../contract/operations.ts';
import { addAccount, startSession } from './accounts.ts';
import { callFrom, type RunningSite } from './site.ts';

export { memberPassword } from './accounts.ts';
export { expectAccessible } from './axe.ts';

/** A page of its own context, signed in as an admin who has just been made. */
export async function adminPage(site: RunningSite, browser: Browser): Promise<Page> {
  await site.createAdmin();
  const page = await pageOf(site, browser);
  await startSession(site, page.context(), 'mina');
  return page;
}

/** A page of its own context, of a visitor. */
export async function pageOf(site: RunningSite, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ baseURL: site.url });
  return await context.newPage();
}

/** A page of somebody who has an account, waiting for approval or approved. */
export async function memberPage(
  site: RunningSite,
  browser: Browser,
  username: string,
  { isApproved = true } = {},
): Promise<Page> {
  const page = await pageOf(site, browser);
  await addAccount(site, { username, name: 'A Member', status: isApproved ? 'approved' : 'pending' });
  await startSession(site, page.context(), username);
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
