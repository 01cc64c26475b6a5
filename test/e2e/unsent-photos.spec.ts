import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';
import { keptFiles, newPost, publish, published, waiting } from './unsent-posts.ts';

/** New posts with files that are written without a connection. */

test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/] });

const choose = (page: Page) => page.getByLabel(/^Images and videos to/);

async function newestPost(page: Page) {
  const { posts } = await callFrom(page, 'getPosts', {});
  return (await callFrom(page, 'getPost', { postId: posts[0]?.id ?? '' })).post;
}

test('photos and files that are chosen without a connection are sent with their post, in their order', async ({
  admin: page,
}) => {
  const context = page.context();
  await page.setViewportSize({ width: 360, height: 740 });
  await startEssay(page, 'The tunnel');
  await write(page, 'From the tunnel.');
  await context.setOffline(true);
  await choose(page).setInputFiles(['a.png', 'b.png'].map(picture));
  await page.getByLabel('Files to attach').setInputFiles([picture('c.png')]);
  await expect(
    page.getByText('No connection. 3 files wait. Publish, and all is sent when it is back.'),
  ).toBeVisible();
  await expectToFit(page);
  await publish(page).click();
  await expect(waiting(page)).toContainText('Not uploaded yet: 3 files');
  await expect(text(page)).toHaveText('Write here, in Markdown...');
  await expectAccessible(page);
  await page.close();

  await context.setOffline(false);
  const next = await context.newPage();
  await next.goto('/');
  await expect(published(next)).toBeVisible();
  const { html, attachments } = await newestPost(next);
  expect(html).toMatch(/From the tunnel\..*alt="a\.png".*alt="b\.png"/s);
  expect(attachments.map(({ name }) => name)).toEqual(['c.png']);
  expect(await keptFiles(next)).toEqual([]);
});

test('photos alone wait for a connection, and arrive once although it is lost again', async ({
  admin: page,
}) => {
  const context = page.context();
  await page.goto(newPost);
  await context.setOffline(true);
  await choose(page).setInputFiles(['a.png', 'b.png'].map(picture));
  await publish(page).click();
  await expect(waiting(page)).toBeVisible();

  const arrived: string[] = [];
  await context.route('**/v0/b/**', async route => {
    if (arrived.length > 0) return await route.abort();
    arrived.push(route.request().url());
    await route.continue();
  });
  await context.setOffline(false);
  await expect.poll(() => keptFiles(page)).toEqual(['b.png']);
  await page.close();
  await context.unrouteAll({ behavior: 'wait' });
  const next = await context.newPage();
  await next.goto('/');
  await expect(published(next)).toBeVisible();
  const { html } = await newestPost(next);
  expect([...html.matchAll(/src="[^"]*\/(.*?)"/g)].map(([, name]) => name)).toEqual(['a.png', 'b.png']);
});

test('a post that waits with a file is opened and goes on in the editor', async ({ admin: page }) => {
  await page.goto(newPost);
  await write(page, 'Later.');
  await page.context().setOffline(true);
  await choose(page).setInputFiles([picture('a.png')]);
  await publish(page).click();
  await waiting(page).getByRole('button', { name: 'Open' }).click();
  await expect(text(page)).toContainText('Later.');
  await page.context().setOffline(false);
  await expect(page.getByLabel('Caption of a.png')).toBeVisible();
  await publish(page).click();
  await expect(page).toHaveURL('/admin/posts');
});
