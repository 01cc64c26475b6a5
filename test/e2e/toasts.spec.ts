import { publishPost } from './content.ts';
import { write } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { button } from './timeline.ts';

/** What has just happened, said over the page. */

test('a link that the browser does not copy stays until it is dismissed, and the focus goes back', async ({
  people,
}) => {
  const page = await people.admin();
  const postId = await publishPost(page);
  // As on plain http, and as a browser that shares nothing from this page.
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    const share = async () => {
      throw new DOMException('Not now.', 'NotAllowedError');
    };
    Object.defineProperty(navigator, 'share', { value: share, configurable: true });
  });
  await page.clock.install();
  await page.goto(`/post/${postId}`);
  await button(page, 'Share').press('Enter');
  const toast = page.locator('.toast');
  await expect(toast).toContainText(`The link is http://localhost`);
  await page.clock.fastForward(60_000);
  await expect(toast).toBeVisible();
  // It covers nothing at the end of the page.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const footer = await page.getByRole('contentinfo').getByText('Dark').boundingBox();
  const covered = await toast.boundingBox();
  expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBeLessThanOrEqual(covered?.y ?? 0);
  await toast.getByRole('button', { name: 'Dismiss' }).focus();
  await page.keyboard.press('Enter');
  await expect(toast).toHaveCount(0);
  await expect(button(page, 'Share')).toBeFocused();
});

test('a toast is held by the pointer or the focus, and is not left for the next reader', async ({
  people,
}) => {
  const page = await people.admin();
  const postId = await publishPost(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.clock.install();
  await page.goto(`/post/${postId}`);
  // Time stands still but for what passes below, so that no toast goes before it is seen.
  await page.clock.pauseAt(Date.now() + 60_000);
  await button(page, 'Copy link').click();
  const toast = page.locator('.toast');
  await expect(toast).toHaveText(/Link copied\./);
  await toast.getByRole('button', { name: 'Dismiss' }).focus();
  await toast.hover();
  await page.mouse.move(5, 5);
  await page.clock.fastForward(20_000);
  await expect(toast).toBeVisible();
  await button(page, 'Copy link').focus();
  await page.clock.fastForward(20_000);
  await expect(toast).toHaveCount(0);

  await button(page, 'Copy link').click();
  await expect(toast).toBeVisible();
  await button(page, 'Logout').click();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(toast).toHaveCount(0);
});

test('a link that is copied from a toast is said in another one, which goes as well', async ({ people }) => {
  const page = await people.admin();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.clock.install();
  await page.goto('/admin/posts/new');
  await write(page, 'A short post.');
  await page.clock.pauseAt(Date.now() + 60_000);
  await button(page, 'Publish').click();
  const toast = page.locator('.toast');
  await expect(toast).toContainText('Published.');
  await expect(toast).toContainText('Who can read it: everybody, including visitors.');
  await toast.getByRole('button', { name: 'Copy link' }).click();
  await expect(toast).toHaveText(/^Link copied\./);
  await page.mouse.move(5, 5);
  await page.clock.fastForward(20_000);
  await expect(toast).toHaveCount(0);
});
