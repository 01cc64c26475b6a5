import type { Page } from '@playwright/test';
import { addAccount, startSession } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** New posts that are written without a connection (issue 31, point 8). */

test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/] });

const newPost = '/admin/posts/new';
const waiting = (page: Page) => page.getByRole('region', { name: 'Not sent yet' });
const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true });
const published = (page: Page) => page.getByRole('status').filter({ hasText: 'Your post is published.' });
/** Everything that this browser keeps for people. */
const kept = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter(key => key.includes('-draft:')));

/** Presses a button of the composer without a connection. */
async function pressOffline(page: Page, words: string, button = 'Publish'): Promise<void> {
  await page.goto(newPost);
  await write(page, words);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: button, exact: true }).click();
  await expect(waiting(page)).toContainText(words);
}

async function posts(page: Page): Promise<string[]> {
  const list = await callFrom(page, 'listPosts', { filter: 'all', page: 1 });
  return list.posts.map(({ excerpt, isDraft }) => (isDraft ? `draft: ${excerpt}` : excerpt));
}

test('a post that waited in a closed tab is sent once by two open tabs', async ({ page, people }) => {
  await people.admin(page);
  const context = page.context();
  const first = await context.newPage();
  const second = await context.newPage();
  for (const tab of [first, second]) await tab.goto('/');
  await pressOffline(page, 'From the train.');
  await expect(waiting(page)).toContainText('Not sent yet. It is published when the connection is back.');
  await expect(page.getByRole('status').filter({ hasText: 'Not sent yet.' })).toBeVisible();
  await expect(text(page)).toHaveText('Write here, in Markdown...');
  await expectAccessible(page);
  await page.close();
  const sent: string[] = [];
  context.on('request', request => {
    if (request.url().endsWith('/api/createPost')) sent.push(request.url());
  });
  await context.setOffline(false);
  await expect.poll(() => kept(first)).toEqual([]);
  expect(await posts(first)).toEqual(['From the train.']);
  await second.reload();
  expect(sent).toHaveLength(1);
});

test('a post that waited is sent once by tabs of a browser without locks', async ({ page, people }) => {
  await people.admin(page);
  const context = page.context();
  await context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  const other = await context.newPage();
  await other.goto('/');
  await pressOffline(page, 'From the train.');
  await context.setOffline(false);
  await expect(waiting(page)).toHaveCount(0);
  await expect.poll(() => kept(other)).toEqual([]);
  expect(await posts(other)).toEqual(['From the train.']);
});

test('a draft that waited is saved by the page that is opened next', async ({ page, people }) => {
  await people.admin(page);
  await pressOffline(page, 'Not done.', 'Save as Draft');
  await expect(waiting(page)).toContainText(
    'Not sent yet. It is saved as a draft when the connection is back.',
  );
  await page.goto('about:blank');
  await page.context().setOffline(false);
  await page.goto('/');
  await expect(page.getByRole('status').filter({ hasText: 'Your draft is saved.' })).toBeVisible();
  expect(await posts(page)).toEqual(['draft: Not done.']);
});

test('a post is sent from the open composer while the next one is written', async ({ page, people }) => {
  await people.admin(page);
  await pressOffline(page, 'The first.');
  await write(page, 'The second.');
  await publish(page).click();
  await expect(waiting(page)).toHaveCount(2);
  await write(page, 'The third.');
  await page.context().setOffline(false);
  await expect(waiting(page)).toHaveCount(0);
  await expect(published(page)).toBeVisible();
  await expect(text(page)).toHaveText('The third.');
  expect(await posts(page)).toEqual(['The second.', 'The first.']);
});

test('a post that waits is opened and changed, or discarded', async ({ page, people }) => {
  await people.admin(page);
  await pressOffline(page, 'From the train.');
  await waiting(page).getByRole('button', { name: 'Open' }).click();
  await expect(text(page)).toHaveText('From the train.');
  await expect(text(page)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.insertText(' To Whitby.');
  await page.context().setOffline(false);
  // It is sent by its author alone from now on.
  await expect(waiting(page)).toHaveCount(0);
  expect(await posts(page)).toEqual([]);
  await page.context().setOffline(true);
  await publish(page).click();
  await expect(waiting(page)).toContainText('From the train. To Whitby.');
  await write(page, 'Never mind.');
  await publish(page).click();
  await expect(waiting(page)).toHaveCount(2);
  const unwanted = waiting(page).filter({ hasText: 'Never mind.' });
  await unwanted.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect(waiting(page)).toHaveCount(1);
  await page.context().setOffline(false);
  await expect(waiting(page)).toHaveCount(0);
  expect(await posts(page)).toEqual(['From the train. To Whitby.']);
});

test('a post whose answer was lost is published once', async ({ page, people }) => {
  await people.admin(page);
  const context = page.context();
  await page.goto(newPost);
  await write(page, 'From the train.');
  await page.route('**/api/createPost', async route => {
    await route.fetch();
    await context.setOffline(true);
    await route.abort('internetdisconnected');
  });
  await publish(page).click();
  await expect(waiting(page)).toContainText('From the train.');
  await page.unroute('**/api/createPost');
  await context.setOffline(false);
  await expect(published(page)).toBeVisible();
  expect(await posts(page)).toEqual(['From the train.']);
});

test.describe('a site that does not answer', () => {
  test.use({ allowedErrors: [/ERR_|502|503/] });
  const send = (page: Page) => page.getByRole('button', { name: 'Send it later' });

  test('a post that its author lets wait is published once, when the site answers again', async ({
    page,
    people,
    site,
  }) => {
    await people.admin(page);
    await page.goto(newPost);
    await write(page, 'From the tunnel.');
    await site.stop('SIGKILL');
    await publish(page).click();
    const dialog = page.getByRole('alertdialog', { name: 'Failed to save post. Please try again.' });
    await expect(dialog).toContainText('The site cannot be reached.');
    await expectAccessible(page);
    // Nothing waits that its author has not left.
    await dialog.getByRole('button', { name: 'OK' }).click();
    await expect(text(page)).toHaveText('From the tunnel.');
    await expect(waiting(page)).toHaveCount(0);
    await publish(page).click();
    await send(page).click();
    await expect(waiting(page)).toContainText('From the tunnel.');
    await expect(text(page)).toHaveText('Write here, in Markdown...');
    await site.start();
    await expect(published(page)).toBeVisible();
    await expect(waiting(page)).toHaveCount(0);
    expect(await posts(page)).toEqual(['From the tunnel.']);
  });

  test('a post whose answer a proxy has lost is published once', async ({ page, people }) => {
    await people.admin(page);
    await page.goto(newPost);
    await write(page, 'Behind a proxy.');
    await page.route('**/api/createPost', async route => {
      await route.fetch();
      await route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' });
    });
    await publish(page).click();
    await send(page).click();
    await expect(waiting(page)).toContainText('Behind a proxy.');
    await page.unroute('**/api/createPost');
    await expect(published(page)).toBeVisible();
    expect(await posts(page)).toEqual(['Behind a proxy.']);
  });

  test('a refusal of the site, and the text of a post that stands, do not wait', async ({ page, people }) => {
    await people.admin(page);
    await page.goto(newPost);
    await write(page, 'Refused.');
    const refused = { status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } };
    await page.route('**/api/*Post', route => route.fulfill(refused));
    await publish(page).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'OK' }).click();
    await expect(page.getByText('Not now.')).toBeVisible();
    await page.unroute('**/api/*Post');
    await publish(page).click();
    await expect(page).toHaveURL('/admin/posts');
    await page.getByRole('link', { name: 'Edit' }).first().click();
    await write(page, 'Changed. ');
    await page.route('**/api/updatePost', route => route.abort());
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Failed to save post. Please try again.' });
    await expect(dialog.getByRole('button')).toHaveText(['OK']);
  });
});

test.describe('what is refused', () => {
  test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|403/] });

  test('a post is sent with the rights of that moment; one that is refused says why and is opened', async ({
    people,
  }) => {
    const mina = await people.admin();
    await publishForFriends(mina);
    const lucy = await people.member('lucy', { tags: ['friends'] });
    const { users } = await callFrom(mina, 'getUsers', { list: 'approved', search: 'lucy' });
    const userId = users[0]?.id ?? '';
    await callFrom(mina, 'setAuthor', { userId, isAuthor: true });
    await lucy.goto(newPost);
    const tags = lucy.getByRole('combobox', { name: 'Tags' });
    await tags.fill('friends');
    await tags.press('Enter');
    await write(lucy, 'From Whitby.');
    await lucy.context().setOffline(true);
    await publish(lucy).click();
    await expect(waiting(lucy)).toContainText('From Whitby.');
    await callFrom(mina, 'setApprovedTags', { userId, tags: [] });
    await lucy.goto('about:blank');
    await lucy.context().setOffline(false);
    await lucy.goto('/');
    const toast = lucy.getByRole('status').filter({ hasText: 'Your post was not published.' });
    await expect(toast).toContainText('friends');
    await toast.getByRole('link', { name: 'Open it' }).click();
    await expect(lucy).toHaveURL(new RegExp(`${newPost}#`));
    await expect(text(lucy)).toHaveText('From Whitby.');
    await expect(toast).toBeVisible();
    await lucy.getByRole('button', { name: 'Remove friends' }).click();
    await publish(lucy).click();
    await expect(lucy).toHaveURL('/admin/posts');
    expect(await posts(lucy)).toEqual(['From Whitby.']);
    expect(await kept(lucy)).toEqual([]);
  });

  test('a post of somebody who is no longer an author is not published, and says so', async ({
    page,
    people,
  }) => {
    const mina = await people.admin(page);
    const lucy = await people.member('lucy');
    const { users } = await callFrom(mina, 'getUsers', { list: 'approved', search: 'lucy' });
    const userId = users[0]?.id ?? '';
    await callFrom(mina, 'setAuthor', { userId, isAuthor: true });
    await pressOffline(lucy, 'From Whitby.');
    await callFrom(mina, 'setAuthor', { userId, isAuthor: false });
    await lucy.goto('about:blank');
    await lucy.context().setOffline(false);
    await lucy.goto('/');
    const toast = lucy.getByRole('status').filter({ hasText: 'Your post was not published.' });
    await expect(toast).toBeVisible();
    await expect(toast.getByRole('link', { name: 'Open it' })).toHaveCount(0);
    expect(await posts(mina)).toEqual([]);
  });
});

test('a post that waits is sent for its author alone, and is gone when it is deleted at logout', async ({
  page,
  people,
  site,
}) => {
  await people.admin(page);
  const context = page.context();
  await pressOffline(page, 'From the train.');
  await page.goto('about:blank');
  await context.setOffline(false);
  await addAccount(site, { username: 'quincey', name: 'Quincey Morris', isAdmin: true });
  await startSession(site, context, 'quincey');
  await page.goto(newPost);
  await expect(publish(page)).toBeVisible();
  await expect(waiting(page)).toHaveCount(0);
  expect(await posts(page)).toEqual([]);
  await startSession(site, context, 'mina');
  await page.goto('/');
  await expect(published(page)).toBeVisible();

  await pressOffline(page, 'Another.');
  await context.setOffline(false);
  await expect(waiting(page)).toHaveCount(0);
  await page.route('**/api/createPost', route => route.abort());
  await pressOffline(page, 'Never mind.');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  expect(await kept(page)).toEqual([]);
  await page.unroute('**/api/createPost');
  await startSession(site, context, 'mina');
  await page.goto('/admin/posts');
  await expect(page.getByRole('article')).toHaveCount(2);
});
