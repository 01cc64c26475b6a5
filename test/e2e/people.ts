import type { Browser, Page } from '@playwright/test';
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
  if (isApproved) await site.decide(username, 'approve');
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
