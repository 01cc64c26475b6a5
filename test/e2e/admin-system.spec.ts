import { expectAccessible } from './axe.ts';
import { openAdminPage } from './content.ts';
import { expect, test } from './fixtures.ts';

test('an admin is told what runs, and what about its place should change', async ({ page, people }) => {
  await openAdminPage(page, people, 'System');
  await expect(page.getByRole('row', { name: /^Coterie/ })).toContainText(/\d+\.\d+\.\d+/);
  await expect(page.getByRole('row', { name: /^Database/ })).toContainText(/SQLite|PostgreSQL/);
  await expect(page.getByRole('row', { name: /^Last restored on trial/ })).toContainText('never');
  await expect(page.getByRole('heading', { name: 'Last errors of this process' })).toBeVisible();
  await expect(page.getByText('There is no recent backup that was read back.')).toBeVisible();
  await expect(page.getByRole('row', { name: /^Pictures and videos/ })).toContainText(/\d/);
  await page.getByRole('link', { name: 'Make one' }).click();
  await expect(page).toHaveURL('/admin/backups');
  await page.goBack();
  await expectAccessible(page);
});
