import type { Page } from '@playwright/test';
import { adminPassword, decide, memberPassword, withDatabase } from './accounts.ts';
import { publishEssay } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import type { People } from './people.ts';
import type { RunningSite } from './site.ts';

/**
 * Decision 9: denied and signed-out readers immediately have a visitor's rights in every open tab;
 * decision 7: what they are told.
 */

const secret = 'On herons';

/**
 * Fails if anything of the restricted post is in the page: its text, its title, its description, its state.
 */
async function expectNothingOf(page: Page, words: string): Promise<void> {
  await expect.poll(async () => (await page.content()).includes(words)).toBe(false);
  await expect(page).not.toHaveTitle(new RegExp(words));
}

async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(`${username}@example.com`);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
}

async function deny(admin: Page, username: string): Promise<void> {
  const { users } = await callFrom(admin, 'getUsers', { list: 'approved', search: username });
  await callFrom(admin, 'denyUser', { userId: users[0]?.id ?? '' });
}

/** A post for friends, and a friend who has a browser of their own. */
async function publishRestricted(people: People, admin: Page): Promise<{ id: string; friend: Page }> {
  await people.admin(admin);
  const id = await publishEssay(admin, secret, 'friends');
  return { id, friend: await people.open('friend') };
}

/** As {@link publishRestricted}; the friend has the post open. */
async function openRestricted(people: People, admin: Page): Promise<{ id: string; friend: Page }> {
  const scene = await publishRestricted(people, admin);
  await scene.friend.goto(`/post/${scene.id}`);
  await expect(scene.friend.getByText(`${secret}, at length.`)).toBeVisible();
  return scene;
}

async function expectLedToLogin(page: Page, postId: string): Promise<void> {
  await expect(page).toHaveURL(`/login?next=${encodeURIComponent(`/post/${postId}`)}`);
}

/** Logs out, and in as somebody else. */
async function changeAccount(
  page: Page,
  username: string,
  password: string,
  { keepsText = false } = {},
): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click();
  if (keepsText) await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('link', { name: 'Login' }).click();
  await logIn(page, username, password);
  await expect(page.getByRole('link', { name: username, exact: true })).toBeVisible();
}

test('when a reader is denied, the text of an open post disappears immediately, also from the memory of the page', async ({
  page,
  people,
}) => {
  const { id, friend: reader } = await publishRestricted(people, page);
  await reader.goto('/');
  await reader.getByRole('link', { name: secret }).click();
  await expect(reader.getByText(`${secret}, at length.`)).toBeVisible();
  const address = reader.url();
  expect(address).toContain(id);

  await deny(page, 'friend');
  await expectLedToLogin(reader, id);
  await expectNothingOf(reader, secret);
  await reader.goBack();
  await expect(reader.getByRole('link', { name: 'Login' })).toBeVisible();
  await expectNothingOf(reader, secret);
});

const endsWhileAway: Record<string, (site: RunningSite) => void> = {
  'a denial': site => decide(site, 'friend', 'denied'),
  'the end of a session': site => withDatabase(site, db => db.exec('delete from sessions')),
};
for (const [what, end] of Object.entries(endsWhileAway)) {
  test(`${what} while the server is away reaches an open post once it is back`, async ({
    site,
    page,
    people,
  }) => {
    const { id, friend: reader } = await openRestricted(people, page);
    await site.stop('SIGKILL');
    end(site);
    await site.start();
    await expectLedToLogin(reader, id);
    await expectNothingOf(reader, secret);
  });
}

test('a page whose script for live events was lost on its way hears of the end of the session later', async ({
  site,
  page,
  people,
}) => {
  const { id, friend: reader } = await publishRestricted(people, page);
  await reader.route('**/assets/live-*.js', route => route.abort(), { times: 1 });
  const loss = reader.waitForEvent('requestfailed');
  await reader.goto(`/post/${id}`);
  await loss;
  withDatabase(site, db => db.exec('delete from sessions'));
  await expectLedToLogin(reader, id);
  await expectNothingOf(reader, secret);
});

test('when a reader loses a tag, the open post with it disappears, and they stay signed in', async ({
  page,
  people,
}) => {
  const { friend: reader } = await openRestricted(people, page);
  const { users } = await callFrom(page, 'getUsers', { list: 'approved' });
  await callFrom(page, 'setApprovedTags', { userId: users[0]?.id ?? '', tags: [] });
  await expect(reader.getByText('This post is not shared with your account.')).toBeVisible();
  await expectNothingOf(reader, secret);
});

test('a logout in one tab empties the others, and Back does not show the content again', async ({
  page,
  people,
}) => {
  const { id, friend: one } = await publishRestricted(people, page);
  const other = await one.context().newPage();
  await other.goto('/profile');
  await other.goto(`/post/${id}`);
  await other.goto('/');
  await expect(other.getByRole('link', { name: secret })).toBeVisible();
  await one.goto('/profile');
  await one.getByRole('button', { name: 'Logout' }).click();
  await expect(other.getByRole('link', { name: 'Login' })).toBeVisible();
  await expectNothingOf(other, secret);
  // Each is a document of its own, which the browser could have cached.
  await other.goBack();
  await expectLedToLogin(other, id);
  await expectNothingOf(other, secret);
});

test('after a logout in another tab, an editor says why it closed, and its text is there again after logging in', async ({
  page: writing,
  people,
}) => {
  await people.admin(writing);
  await writing.goto('/admin/posts/new');
  const text = writing.getByRole('textbox', { name: 'Content' });
  await text.click();
  await writing.keyboard.insertText('Half a thought');
  await expect(writing.getByText('Saved in this browser')).toBeVisible();
  const other = await writing.context().newPage();
  await other.goto('/');
  await other.getByRole('button', { name: 'Logout' }).click();
  await other.getByRole('button', { name: 'Keep it' }).click();
  await expect(writing).toHaveURL('/');
  const notice = writing.getByRole('alert').filter({ hasText: 'You were signed out.' });
  await expect(notice).toContainText(
    'You were signed out. Your login has expired, or was ended in another tab, on another device or by an admin. What you have not saved is kept in this browser.',
  );
  // Who has logged out here knows why.
  await expect(other.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(other.getByRole('alert')).toHaveCount(0);
  await notice.getByRole('link', { name: 'Log in to go on' }).click();
  await logIn(writing, 'mina', adminPassword);
  await expect(writing).toHaveURL('/admin/posts/new');
  await writing.getByRole('button', { name: 'Restore' }).click();
  await expect(text).toHaveText('Half a thought');
  await expect(notice).toHaveCount(0);
  // The Logout button of this page.
  await writing.getByRole('button', { name: 'Logout' }).click();
  await writing.getByRole('button', { name: 'Keep it' }).click();
  await expect(writing.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(notice).toHaveCount(0);
  // Once somebody has logged in elsewhere, what this page did before explains nothing any more.
  await other.goto('/login');
  await logIn(other, 'mina', adminPassword);
  await expect(writing.getByRole('button', { name: 'Logout' })).toBeVisible();
  await writing.getByRole('link', { name: 'Admin' }).click();
  await expect(writing).toHaveURL('/admin');
  await other.getByRole('button', { name: 'Logout' }).click();
  await other.getByRole('button', { name: 'Keep it' }).click();
  await expect(notice).toContainText('You were signed out.');
});

test('a page from the back/forward cache asks the server before it shows anything', async ({
  page,
  people,
}) => {
  const { id, friend: reader } = await openRestricted(people, page);
  // As in the back/forward cache: the page receives nothing meanwhile.
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
  await expectLedToLogin(reader, id);
  await expect(reader.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
  await expectNothingOf(reader, secret);
});

test('a login in one tab reaches the others, which stay on their pages', async ({ page, people }) => {
  const { friend } = await publishRestricted(people, page);
  const openId = await publishEssay(page, 'On rivers');
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
  // A form that was begun keeps its text, and says what has happened.
  await expect(signingUp.getByText('You are logged in as friend now.')).toBeVisible();
  await expect(signingUp.getByLabel('Full Name')).toHaveValue('Lucy Westenra');
});

test('a change of account in one tab reaches the others, and each account keeps its own drafts', async ({
  page,
  people,
}) => {
  const { friend: writing } = await publishRestricted(people, page);
  const openId = await publishEssay(page, 'On rivers');
  await writing.goto(`/post/${openId}#comments`);
  await writing.getByLabel('Write a comment', { exact: true }).fill('From the friend');
  // An answer about the friend, which comes later.
  const renaming = await writing.context().newPage();
  await renaming.goto('/account');
  const held = Promise.withResolvers<void>();
  await renaming.route('**/api/changeName', async route => {
    const response = await route.fetch();
    await held.promise;
    await route.fulfill({ response });
  });
  const sent = renaming.waitForRequest('**/api/changeName');
  await renaming.getByRole('button', { name: 'Save name' }).click();
  await sent;
  const one = await writing.context().newPage();
  await one.goto('/');
  await changeAccount(one, 'mina', adminPassword, { keepsText: true });
  await expect(writing.getByRole('link', { name: 'mina' })).toBeVisible();
  await expectNothingOf(writing, 'From the friend');
  const who = renaming.getByRole('link', { name: 'mina', exact: true });
  await expect(who).toBeVisible();
  const askedAgain = renaming.waitForResponse('**/api/getViewer');
  held.resolve();
  await askedAgain;
  await expect(who).toBeVisible();

  await changeAccount(one, 'friend', memberPassword);
  await expect(writing.getByRole('link', { name: 'friend', exact: true })).toBeVisible();
  await writing.goto(`/post/${openId}#comments`);
  await expect(writing.getByLabel('Write a comment', { exact: true })).toHaveValue('From the friend');
});
