import { publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Where something of an invitation cannot be saved. */

test.use({ allowedErrors: [[/status of 409/, /ERR_FAILED/], { scope: 'test' }] });

test('the link of the invitation before can still be copied', async ({ admin: page }) => {
  await page.goto('/admin/invitations');
  const name = page.getByLabel('Name of the link');
  await name.fill('Choir');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = page.getByLabel('Choir', { exact: true });
  await expect(link).toHaveValue(/\/invite\?token=/);
  await page.route('**/api/createInvitations', route => route.abort());
  await name.fill('Neighbours');
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached.');
  await expect(name).toHaveValue('Neighbours');
  await expect(link).toBeVisible();
});

test('the tags that were chosen for an invitation stay', async ({ admin: page }) => {
  await publishForFriends(page);
  const { made } = await callFrom(page, 'createInvitations', {
    tags: ['friends', 'family'],
    for: { uses: 2, name: 'Choir' },
  });
  await page.goto('/admin/invitations');
  const row = page.getByRole('row', { name: /Choir/ });
  const family = row.getByRole('button', { name: 'family' });
  const save = row.getByRole('button', { name: 'Save the tags of Choir' });
  const alert = page.getByRole('alert');
  await row.getByRole('button', { name: 'Edit Choir' }).click();
  await family.click();
  await page.route('**/api/setInvitationTags', route => route.abort());
  await save.click();
  await expect(alert).toContainText('Failed to save the tags of “Choir”. The server cannot be reached.');
  await expect(save).toHaveText('Save');
  await expect(family).toHaveAttribute('aria-pressed', 'false');
  await page.unroute('**/api/setInvitationTags');

  // Another admin is faster; who has read that may replace it.
  const invitationId = made[0]?.invitation.id ?? '';
  await callFrom(page, 'setInvitationTags', { invitationId, tags: ['family'] });
  await save.click();
  await expect(alert).toContainText('Somebody else has changed the tags of the invitation');
  await expect(save).toHaveText('Save');
  await save.click();
  await expect(row.getByRole('button', { name: 'Edit Choir' })).toBeFocused();
  await expect(row).toContainText('friends');
  await expect(row).not.toContainText('family');
});
