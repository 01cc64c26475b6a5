import { fillSetup } from '../support/fill-setup.ts';
import { expectAccessible } from './axe.ts';
import { publishPost } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

/** The first visit of an owner: from the setup link to a named site. */

test.use({ locale: 'de-AT', timezoneId: 'Europe/Vienna' });

test('an owner names the site, and is shown what comes next', async ({ page, site, allowedErrors }) => {
  allowedErrors.push(/503 .*\/api\/leaveOutFirstStep$/);
  await page.goto(await site.setupLink());
  // Of the tab: the initial of the name.
  const icon = page.locator('link[rel=icon][type="image/svg+xml"]');
  const unnamed = (await icon.getAttribute('href')) ?? '';
  await fillSetup(page);
  await expect(page.getByRole('banner').getByText('The Lockhouse')).toBeVisible();
  await expect(page.getByText('Nothing here yet.')).toBeVisible();
  await expect(icon).not.toHaveAttribute('href', unnamed);

  const steps = page.getByRole('region', { name: 'What comes next?' });
  await expect(steps.getByRole('listitem')).toHaveCount(5);
  await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(0);
  expect(await callFrom(page, 'getSettings', {})).toMatchObject({
    timeZone: 'Europe/Vienna',
    dateLanguage: 'de',
  });
  await expectAccessible(page);
  await page.emulateMedia({ media: 'print' });
  await expect(steps).toBeHidden();
  await page.emulateMedia({ media: null });
  await publishPost(page);
  await page.reload();
  await hydrated(page);
  await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(1);
  const about = page.getByRole('complementary', { name: 'About' });
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(about).toBeHidden();
  await steps.getByRole('link', { name: 'Say who you are' }).click();
  await expect(about).toBeFocused();
  await expect(about).toBeInViewport();
  await page.setViewportSize({ width: 1280, height: 720 });

  // Of two things that are one step, the one that is missing is named.
  await expect(steps.getByRole('link', { name: 'Set up mail and backups' })).toBeVisible();
  const { version, values } = await callFrom(page, 'getSiteSettings', {});
  await callFrom(page, 'saveSiteSettings', { values: { ...values, backupAt: '03:30' }, version });
  await page.reload();
  await hydrated(page);
  await expect(steps.getByRole('link', { name: 'Set up mail', exact: true })).toBeVisible();
  await expect(steps.getByRole('img', { name: 'Done' })).toHaveCount(1);

  const skip = steps.getByRole('button', { name: 'Skip:' });
  await page.route('**/api/leaveOutFirstStep', route => route.fulfill({ status: 503 }), { times: 1 });
  await skip.first().press('Enter');
  const failure = page.getByRole('alertdialog');
  await expect(failure).toContainText('Failed to skip this step.');
  await failure.getByRole('button', { name: 'OK' }).click();
  await expect(skip.first()).toBeFocused();
  for (const left of [3, 2, 1]) {
    await page.keyboard.press('Enter');
    await expect(skip).toHaveCount(left);
    await expect(skip.first()).toBeFocused();
  }
  await page.keyboard.press('Enter');
  // Gone when done.
  await expect(steps).toHaveCount(0);
});
