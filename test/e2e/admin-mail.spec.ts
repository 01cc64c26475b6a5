import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { expect, test } from './fixtures.ts';

/** Where mail goes (decisions.md 28). */

test('an admin is told that no mail server is set up, and sends a test mail', async ({ page, people }) => {
  await people.admin(page);
  await publishForFriends(page);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Mail' }).click();
  await expect(page).toHaveURL('/admin/mail');
  await expect(page.getByRole('heading', { name: 'Mail', level: 1 })).toBeFocused();
  await expect(page.getByText('No mail server is configured (SMTP_URL), so no email is sent')).toBeVisible();
  await page.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByText('Sent to mina@example.com.')).toBeVisible();
  await expectAccessible(page);
});
