import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, unfold } from './fixtures.ts';
import { expect, openMail, test } from './mailed.ts';

test('a member proposes somebody with the keyboard, and an admin sends the invitation in two presses', async ({
  smtp,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const lucy = await people.member('lucy');
  await lucy.goto('/account');
  await unfold(lucy, 'Propose somebody');
  await lucy.getByLabel('Their name').focus();
  await lucy.keyboard.type('Anna Kay');
  await lucy.keyboard.press('Tab');
  await lucy.keyboard.type('anna@example.org');
  await lucy.keyboard.press('Tab');
  await lucy.keyboard.type('My sister');
  await lucy.keyboard.press('Tab');
  await lucy.keyboard.press('Enter');
  await expect(lucy.getByText('The admins have been asked.')).toBeVisible();
  await expect(lucy.getByText('anna@example.org, proposed')).toBeVisible();
  await expect(lucy.getByLabel('Their name')).toHaveValue('');
  await expectAccessible(lucy);

  await page.goto('/admin');
  await page.getByRole('link', { name: 'Invitations 1 proposed by members' }).click();
  const proposals = page.getByRole('region', { name: 'Proposed by members' });
  await expect(proposals.getByText('My sister')).toBeVisible();
  await proposals.getByRole('button', { name: 'Invite Anna Kay' }).press('Enter');
  await expect(proposals.getByRole('button', { name: 'family' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(proposals.getByRole('button', { name: 'Invite Anna Kay' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(proposals.getByText('People who join read no more posts than visitors')).toBeVisible();
  await expectAccessible(page);
  await proposals.getByRole('button', { name: 'Send invitation' }).press('Enter');
  await expect(page.getByText('The invitation is on its way to anna@example.org.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Invited', exact: true })).toBeFocused();
  await expect(proposals).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Invitations', exact: true })).toBeVisible();
  await expect(page.getByRole('row', { name: /anna@example.org/ })).toContainText('No tags');

  const anna = await people.visitor();
  await openMail(anna, smtp, 'anna@example.org', 'You are invited to Coterie');
  await anna.getByRole('link', { name: 'See the invitation' }).click();
  await expect(anna.getByLabel('Username')).toHaveValue('anna_kay');
  await lucy.reload();
  await expect(lucy.getByText('anna@example.org')).toHaveCount(0);
});

test('a proposal is declined in two presses, and a member withdraws another', async ({
  admin: page,
  people,
}) => {
  const lucy = await people.member('lucy');
  for (const name of ['Anna Kay', 'Ben Kay'])
    await callFrom(lucy, 'proposePerson', { email: `${name.split(' ')[0]}@example.org`, name });
  await page.goto('/admin/invitations');
  const proposals = page.getByRole('region', { name: 'Proposed by members' });
  await proposals.getByRole('button', { name: 'Not now Anna Kay' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(proposals.getByText('Anna Kay')).toHaveCount(0);
  await expect(proposals.getByRole('button', { name: 'Invite Ben Kay' })).toBeFocused();

  await lucy.goto('/account');
  await expect(lucy.getByText('Anna Kay')).toHaveCount(0);
  await lucy.getByRole('button', { name: 'Withdraw Ben Kay' }).press('Enter');
  await expect(lucy.getByText('Ben Kay')).toHaveCount(0);
  await expect(lucy.getByRole('heading', { name: 'Somebody who should read here' })).toBeFocused();
  await page.reload();
  await expect(proposals).toHaveCount(0);
});

test('after the last proposal is declined, the focus is on the heading of the page', async ({
  admin: page,
  people,
}) => {
  const lucy = await people.member('lucy');
  await callFrom(lucy, 'proposePerson', { email: 'anna@example.org', name: 'Anna Kay' });
  await page.goto('/admin/invitations');
  const proposals = page.getByRole('region', { name: 'Proposed by members' });
  await proposals.getByRole('button', { name: 'Not now Anna Kay' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(proposals).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});
