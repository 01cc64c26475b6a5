import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { text, write } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { kept, newPost, posts, pressOffline, publish, published, waiting } from './unsent-posts.ts';

/** New posts that are written without a connection (issue 31, point 8). */

test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/] });

test('a post that waited in a closed tab is sent once by two open tabs', async ({ admin: page }) => {
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

test('a post that waited is sent once by tabs of a browser without locks', async ({ admin: page }) => {
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

test('a draft that waited is saved by the page that is opened next', async ({ admin: page }) => {
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

test('a post is sent from the open composer while the next one is written', async ({ admin: page }) => {
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

test('a post that waits is opened and changed, or discarded', async ({ admin: page }) => {
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

test('a post whose answer was lost is published once', async ({ admin: page }) => {
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
    admin: page,
    site,
  }) => {
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

  test('a post whose answer a proxy has lost is published once', async ({ admin: page }) => {
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

  test('a refusal of the site, and the text of a post that stands, do not wait', async ({ admin: page }) => {
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
