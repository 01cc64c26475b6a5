import { expectAccessible } from './axe.ts';
import { openAdminPage } from './content.ts';
import { expect, test } from './fixtures.ts';

/** Where mail goes (decision 28). */

test('an admin is told that no mail server is set up, and sends a test mail', async ({ page, people }) => {
  await openAdminPage(page, people, 'Mail');
  await expect(page.getByText('No mail server is configured (SMTP_URL), so no email is sent')).toBeVisible();
  await expect(page.getByText(/^To send email, set SMTP_URL, such as smtps:/)).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: 'Backups' }).last()).toBeVisible();
  await page.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByText('Sent to mina@example.com.')).toBeVisible();
  await expectAccessible(page);
});
