import { expect, hydrated, test } from './fixtures.ts';

test.use({ allowedErrors: [/status of 503/] });

test('an upload goes on after a lock screen, however long that was', async ({ admin: page }) => {
  let isDown = true;
  await page.route('**/v0/b/**', route => (isDown ? route.fulfill({ status: 503 }) : route.fallback()));
  await page.clock.install();
  await page.goto('/admin/posts/new');
  await hydrated(page);
  /** As a phone tells the page that its screen is locked, or no longer is. */
  const setHidden = async (isHidden: boolean) =>
    await page.evaluate(hidden => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  const asked = page.waitForResponse(response => response.status() === 503);
  const buffer = Buffer.from('a file');
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'night.txt', mimeType: 'text/plain', buffer });
  await asked;
  await setHidden(true);
  // A request that nobody answers, an hour later, and one that is made as soon as the page is seen.
  const hidden = page.waitForResponse(response => response.status() === 503);
  await page.clock.fastForward(3_600_000);
  await hidden;
  await expect(page.getByText('Failed to upload media')).toHaveCount(0);
  isDown = false;
  await setHidden(false);
  await expect(page.getByLabel('Description of night.txt')).toBeVisible();
});
