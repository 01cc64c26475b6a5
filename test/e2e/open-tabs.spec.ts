import type { Page } from '@playwright/test';
import { asAdmin, memberPassword, open, publishEssay } from './readers.ts';
import { callFrom, expect, type RunningSite, test } from './site.ts';

/** Decision 9: denied and signed-out readers have a visitor's rights, at once, on every open tab; decision 7: what they are told. */

const secret = 'On herons';

/** Fails while anything of the restricted post is in the page: its text, its title, its description, its state. */
async function expectNothingOf(page: Page, words: string): Promise<void> {
  await expect.poll(async () => (await page.content()).includes(words)).toBe(false);
  await expect(page).not.toHaveTitle(new RegExp(words));
}

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(`${username}@example.com`);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log In' }).click();
}

async function deny(admin: Page, username: string): Promise<void> {
  const { users } = await callFrom(admin, 'getUsers', { list: 'approved', search: username });
  await callFrom(admin, 'denyUser', { userId: users[0]?.id ?? '' });
}

async function publishRestricted(site: RunningSite, admin: Page): Promise<string> {
  await asAdmin(site, admin);
  return await publishEssay(admin, secret, 'friends');
}

test('a reader who is denied loses the text of an open post at once, and what the page remembers of it', async ({
  site,
  page,
  browser,
}) => {
  const id = await publishRestricted(site, page);
  const reader = await open(browser, site, 'friend');
  await reader.goto('/');
  await reader.getByRole('link', { name: secret }).click();
  await expect(reader.getByText(`${secret}, at length.`)).toBeVisible();
  const address = reader.url();
  expect(address).toContain(id);

  await deny(page, 'friend');
  await expect(reader).toHaveURL(`/login?next=${encodeURIComponent(`/post/${id}`)}`);
  await expectNothingOf(reader, secret);
  await reader.goBack();
  await expect(reader.getByRole('link', { name: 'Login' })).toBeVisible();
  await expectNothingOf(reader, secret);
  await reader.context().close();
});

test('a reader who loses a tag loses the open post that it let them read, and stays signed in', async ({
  site,
  page,
  browser,
}) => {
  const id = await publishRestricted(site, page);
  const reader = await open(browser, site, 'friend');
  await reader.goto(`/post/${id}`);
  await expect(reader.getByText(`${secret}, at length.`)).toBeVisible();
  const { users } = await callFrom(page, 'getUsers', { list: 'approved' });
  await callFrom(page, 'setApprovedTags', { userId: users[0]?.id ?? '', tags: [] });
  await expect(reader.getByText('This post is not shared with your account.')).toBeVisible();
  await expectNothingOf(reader, secret);
  await reader.context().close();
});

test('a logout in one tab empties the others, and Back shows nothing again', async ({
  site,
  page,
  browser,
}) => {
  const id = await publishRestricted(site, page);
  const one = await open(browser, site, 'friend');
  const other = await one.context().newPage();
  await other.goto('/profile');
  await other.goto(`/post/${id}`);
  await other.goto('/');
  await expect(other.getByRole('link', { name: secret })).toBeVisible();
  await one.goto('/profile');
  await one.getByRole('button', { name: 'Logout' }).click();
  await expect(other.getByRole('link', { name: 'Login' })).toBeVisible();
  await expectNothingOf(other, secret);
  // Each is a document of its own, which the browser could have kept.
  await other.goBack();
  await expect(other).toHaveURL(`/login?next=${encodeURIComponent(`/post/${id}`)}`);
  await expectNothingOf(other, secret);
  await one.context().close();
});

test('a page that the browser kept whole asks before it shows anything again', async ({
  site,
  page,
  browser,
}) => {
  const id = await publishRestricted(site, page);
  const reader = await open(browser, site, 'friend');
  await reader.goto(`/post/${id}`);
  await expect(reader.getByText(`${secret}, at length.`)).toBeVisible();
  // As a browser does when it puts a page aside for "Back": nothing reaches it meanwhile.
  await reader.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
  await deny(page, 'friend');
  const held = Promise.withResolvers<void>();
  await reader.route('**/api/getViewer', async route => {
    await held.promise;
    await route.continue();
  });
  await reader.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await expect(reader.getByText(`${secret}, at length.`)).toBeHidden();
  held.resolve();
  await expect(reader).toHaveURL(`/login?next=${encodeURIComponent(`/post/${id}`)}`);
  await expect(reader.getByRole('button', { name: 'Log In' })).toBeVisible();
  await expectNothingOf(reader, secret);
  await reader.context().close();
});

test('a login in one tab reaches the others, where they stand', async ({ site, page, browser }) => {
  await publishRestricted(site, page);
  const openId = await publishEssay(page, 'On rivers');
  const friend = await open(browser, site, 'friend');
  await friend.context().clearCookies();
  const one = await friend.context().newPage();
  const reading = await friend.context().newPage();
  const signingUp = await friend.context().newPage();
  await reading.goto(`/post/${openId}`);
  await signingUp.goto('/signup');
  await signingUp.getByLabel('Full Name').fill('Lucy Westenra');
  await one.goto('/login');
  await logIn(one, 'friend', memberPassword);
  await expect(one.getByRole('link', { name: secret })).toBeVisible();

  await expect(reading.getByRole('link', { name: 'friend' })).toBeVisible();
  await expect(reading.getByText('On rivers, at length.')).toBeVisible();
  await reading.getByRole('button', { name: 'Like, 0 likes' }).first().click();
  await expect(reading.getByRole('button', { name: 'Like, 1 like' }).first()).toBeVisible();
  // A form that somebody has begun stays as it is, and says what has happened.
  await expect(signingUp.getByText('You are signed in as friend now.')).toBeVisible();
  await expect(signingUp.getByLabel('Full Name')).toHaveValue('Lucy Westenra');
  await friend.context().close();
});

test('a change of account in one tab changes the others, and what each began to write stays theirs', async ({
  site,
  page,
  browser,
}) => {
  await publishRestricted(site, page);
  const openId = await publishEssay(page, 'On rivers');
  const writing = await open(browser, site, 'friend');
  await writing.goto(`/post/${openId}#comments`);
  await writing.getByLabel('Write a comment').fill('From the friend');
  const one = await writing.context().newPage();
  await one.goto('/');
  await one.getByRole('button', { name: 'Logout' }).click();
  await expect(one.getByRole('link', { name: 'Login' })).toBeVisible();
  await one.getByRole('link', { name: 'Login' }).click();
  await logIn(one, 'mina', 'quincey morris');
  await expect(one.getByRole('link', { name: 'mina' })).toBeVisible();
  await expect(writing.getByRole('link', { name: 'mina' })).toBeVisible();
  await expectNothingOf(writing, 'From the friend');

  await one.getByRole('button', { name: 'Logout' }).click();
  await expect(one.getByRole('link', { name: 'Login' })).toBeVisible();
  await one.getByRole('link', { name: 'Login' }).click();
  await logIn(one, 'friend', memberPassword);
  await expect(writing.getByRole('link', { name: 'friend' })).toBeVisible();
  await writing.goto(`/post/${openId}#comments`);
  await expect(writing.getByLabel('Write a comment')).toHaveValue('From the friend');
  await writing.context().close();
});
