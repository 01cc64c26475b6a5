import { expectAccessible } from './axe.ts';
import { publishEssay } from './content.ts';
import { expect, test } from './fixtures.ts';

/** The settings of the site: decisions.md 47. */

test('an admin makes the site their own, and every reader sees it', async ({ page, people }) => {
  await people.admin(page);
  await publishEssay(page, 'On rivers');
  await page.goto('/admin/settings');
  await expectAccessible(page);
  const region = page.getByRole('region', { name: 'The site' });
  await region.getByLabel('Name').fill('The Lockhouse');
  await region.getByLabel('One line about it').fill('Letters from a lock keeper.');
  await region.getByRole('button', { name: 'Add a link' }).click();
  await region.getByLabel('Words of link 1').fill('Contact');
  await region.getByLabel('Address of link 1').fill('mailto:lock@example.com');
  await region.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('banner').getByText('The Lockhouse')).toBeVisible();

  const look = page.getByRole('region', { name: 'Look' });
  await look.getByLabel('Blue').check();
  await look.getByLabel('EB Garamond').check();
  await expectAccessible(page);
  await look.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('region', { name: 'Last change' })).toContainText('by mina');

  const reader = await people.visitor();
  await reader.goto('/');
  await expect(reader).toHaveTitle('The Lockhouse');
  await expect(reader.getByText('Letters from a lock keeper.')).toBeVisible();
  await expect(reader.getByRole('contentinfo').getByRole('link', { name: 'Contact' })).toBeVisible();
  const font = () =>
    reader.evaluate(() => getComputedStyle(document.querySelector('h2') as Element).fontFamily);
  expect(await font()).toContain('EB Garamond');
  expect(await reader.evaluate(() => document.fonts.check('18px "EB Garamond"'))).toBe(true);
  await expectAccessible(reader);
});
