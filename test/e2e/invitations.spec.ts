import type { Page } from '@playwright/test';
import { landscape } from '../../scripts/screenshots/pictures.ts';
import { addAccount, startSession } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, test as testWithoutMail } from './fixtures.ts';
import { expect, openMail, test } from './mailed.ts';
import { upload } from './upload.ts';

async function publishPicture(admin: Page): Promise<void> {
  const url = await upload(admin.request, 'garden.jpg', await landscape(1, 800, 500));
  await callFrom(admin, 'createPost', {
    type: 'short',
    content: `![The garden in May](${url})`,
    tags: ['family'],
    isDraft: false,
  });
}

test('an invited person sees the first picture two clicks after opening the mail, without a password', async ({
  smtp,
  site,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await publishPicture(page);
  await page.goto('/admin/mail');
  await page.getByRole('link', { name: 'Invitations' }).click();
  await expect(page.getByText('Nobody has been invited yet.')).toBeVisible();
  await page.getByLabel('people by their addresses').check();
  await page.getByRole('textbox', { name: 'Addresses' }).fill('Oma Grete <grete@example.org>');
  await page.getByRole('button', { name: 'family' }).click();
  await expect(page.getByText('People who join read 1 post that visitors do not see')).toBeVisible();
  const sent = page.waitForRequest('**/api/createInvitations');
  await page.getByRole('button', { name: 'Send invitations' }).click();
  // By its id, so that no other tag is given that has got its name meanwhile.
  expect((await sent).postDataJSON().data.tagIds).toEqual([expect.any(String)]);
  await expect(page.getByText('The invitation is on its way to grete@example.org.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Invited', exact: true })).toBeFocused();
  await expect(page.getByRole('textbox', { name: 'Addresses' })).toHaveValue('');

  const grete = await people.visitor();
  let clicks = 0;
  const click = async (press: () => Promise<void>) => {
    clicks += 1;
    await press();
  };
  await openMail(grete, smtp, 'grete@example.org', 'You are invited to Coterie');
  await expect(grete.getByText(/^Mina Harker invites you to read Coterie/)).toBeVisible();
  await click(() => grete.getByRole('link', { name: 'See the invitation' }).click());
  await expect(grete.getByLabel('Username')).toHaveValue('oma_grete');
  await expectAccessible(grete);
  await click(() => grete.getByRole('button', { name: 'Join' }).click());
  const picture = grete.getByAltText('The garden in May');
  await expect(picture).toBeVisible();
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
  expect(clicks).toBeLessThanOrEqual(3);
  await expect(grete.getByRole('link', { name: 'oma_grete' })).toBeVisible();

  // The welcome is for the account that has joined, in any tab of this browser.
  const tab = await grete.context().newPage();
  const welcome = tab.getByRole('region', { name: /^Welcome, / });
  await tab.goto('/');
  await expect(welcome).toBeVisible();
  await addAccount(site, { username: 'lucy', name: 'Lucy Westenra' });
  await startSession(site, grete.context(), 'lucy');
  await tab.goto('/');
  await expect(tab.getByRole('link', { name: 'lucy' })).toBeVisible();
  await expect(welcome).toHaveCount(0);
  // Who has answered is not asked again.
  await startSession(site, grete.context(), 'oma_grete');
  await tab.goto('/');
  await welcome.getByRole('button', { name: 'Not now' }).click();
  await expect(welcome).toHaveCount(0);
  await tab.reload();
  await expect(tab.getByRole('link', { name: 'oma_grete' })).toBeVisible();
  await expect(welcome).toHaveCount(0);

  await page.reload();
  await expect(page.getByRole('row', { name: /grete@example.org/ })).toContainText('oma_grete');
  await expect(page.getByRole('row', { name: /grete@example.org/ })).toContainText('used up');
});

test('somebody who joined by a link reads that new posts are mailed once the address is confirmed', async ({
  smtp,
  admin: page,
  people,
}) => {
  const { made } = await callFrom(page, 'createInvitations', { tags: [], for: { uses: 2 } });
  const grete = await people.visitor();
  await grete.goto(made[0]?.link ?? '');
  await grete.getByLabel('Username').fill('oma_grete');
  await grete.getByLabel('Full Name').fill('Oma Grete');
  await grete.getByLabel('Email').fill('grete@example.org');
  await grete.getByLabel('Password', { exact: true }).fill('apfelstrudel');
  await grete.getByRole('button', { name: 'Join' }).click();
  await grete.getByRole('button', { name: 'Yes, please' }).click();
  const told = 'New posts are sent to grete@example.org once you open the link that we sent there.';
  await expect(grete.getByText(told)).toBeVisible();
  await grete.goto('/profile');
  const waits = grete.getByText('Nothing is sent before you confirm this address.');
  await expect(waits).toBeVisible();
  await expectAccessible(grete);

  const mail = await grete.context().newPage();
  await openMail(mail, smtp, 'grete@example.org', 'Confirm your email address for Coterie');
  await mail.getByRole('link', { name: 'Confirm email address' }).click();
  await mail.getByRole('button', { name: 'Confirm' }).click();
  await expect(mail.getByText('Your email address is confirmed.')).toBeVisible();
  await grete.reload();
  await expect(grete.getByText('New posts that you may read are sent to')).toBeVisible();
  await expect(waits).toHaveCount(0);
});

test('a mailed invitation works without scripts, with the keyboard', async ({
  smtp,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await publishPicture(page);
  await callFrom(page, 'createInvitations', {
    tags: ['family'],
    for: [{ email: 'grete@example.org', name: 'Oma Grete' }],
  });
  const grete = await people.visitor({ javaScriptEnabled: false });
  await openMail(grete, smtp, 'grete@example.org', 'You are invited to Coterie');
  await grete.getByRole('link', { name: 'See the invitation' }).focus();
  await grete.keyboard.press('Enter');
  await grete.getByRole('button', { name: 'Join' }).focus();
  await grete.keyboard.press('Enter');
  await expect(grete).toHaveURL('/');
  await expect(grete.getByAltText('The garden in May')).toBeVisible();
});

testWithoutMail(
  'an admin makes a link, hands it on, narrows it and revokes it',
  async ({ admin: page, people }) => {
    await publishForFriends(page);
    await page.goto('/admin/invitations');
    await expectAccessible(page);
    await page.getByLabel('Name of the link').fill('Choir');
    await page.getByLabel('People who may join by it').fill('2');
    await page.getByRole('button', { name: 'friends' }).click();
    await page.getByRole('button', { name: 'family' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = await page.getByLabel('Choir', { exact: true }).inputValue();
    await expect(page.getByRole('img', { name: 'QR code of the link: Choir' })).toBeVisible();
    await expectAccessible(page);

    const ann = await people.visitor();
    await ann.goto(link);
    await expectAccessible(ann);
    await ann.getByLabel('Username').fill('Ann Kay');
    await ann.getByLabel('Full Name').fill('Ann Kay');
    await ann.getByLabel('Email').fill('ann@example.org');
    await ann.getByLabel('Password').fill('quincey');
    await ann.getByRole('button', { name: 'Join' }).click();
    const username = ann.getByRole('textbox', { name: 'Username', description: /only contain letters/ });
    await expect(username).toHaveAttribute('aria-invalid', 'true');
    await expect(ann.getByText('Username can only contain letters, numbers, and underscores.')).toBeVisible();
    await expectAccessible(ann);
    await ann.getByLabel('Username').fill('mina');
    await expect(ann.locator('[aria-invalid]')).toHaveCount(0);
    await ann.getByRole('button', { name: 'Join' }).click();
    await expect(ann.getByRole('alert')).toContainText('This username is already taken.');
    await expect(ann.getByLabel('Email')).toHaveValue('ann@example.org');
    await ann.getByLabel('Username').fill('ann_kay');
    await ann.getByRole('button', { name: 'Join' }).click();
    await expect(ann.getByText('For friends,family')).toBeVisible();
    const welcome = ann.getByRole('region', { name: 'Welcome to Coterie.' });
    await expectAccessible(ann);
    await welcome.getByRole('button', { name: 'Close' }).click();
    await expect(welcome).toHaveCount(0);
    await ann.goto(link);
    await expect(ann.getByText('You are logged in as ann_kay.')).toBeVisible();

    await page.reload();
    const row = page.getByRole('row', { name: /Choir/ });
    await expect(row).toContainText('1 of 2 joined');
    await row.getByRole('button', { name: 'Edit Choir' }).press('Enter');
    await expect(row.locator('.editing button').first()).toBeFocused();
    await row.getByRole('button', { name: 'family' }).press('Enter');
    await row.getByRole('button', { name: 'Save the tags of Choir' }).click();
    await expect(row.getByRole('button', { name: 'Edit Choir' })).toBeFocused();
    await expect(row).not.toContainText('family');
    await row.getByRole('button', { name: 'Revoke Choir' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await expect(row).toContainText('revoked');
    await expect(row.getByRole('rowheader')).toBeFocused();
    const late = await people.visitor();
    await late.goto(link);
    await expect(late.getByText('This invitation is no longer valid.')).toBeVisible();
  },
);

testWithoutMail(
  'while tags are saved no others can be chosen, and then the focus stays where the admin is',
  async ({ admin: page }) => {
    await publishForFriends(page);
    await callFrom(page, 'createInvitations', {
      tags: ['friends', 'family'],
      for: { uses: 2, name: 'Choir' },
    });
    await page.goto('/admin/invitations');
    const row = page.getByRole('row', { name: /Choir/ });
    await row.getByRole('button', { name: 'Edit Choir' }).click();
    await row.getByRole('button', { name: 'family' }).click();
    const held = Promise.withResolvers<void>();
    await page.route('**/api/setInvitationTags', async route => {
      await held.promise;
      await route.continue();
    });
    const save = row.getByRole('button', { name: 'Save the tags of Choir' });
    await save.click();
    await expect(row.getByRole('button', { name: 'friends' })).toBeDisabled();
    await expect(row.getByRole('button', { name: 'Cancel editing Choir' })).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(save).toBeFocused();
    const name = page.getByLabel('Name of the link');
    await name.fill('Neigh');
    held.resolve();
    await expect(row.getByRole('button', { name: 'Edit Choir' })).toBeVisible();
    await page.keyboard.type('bours');
    await expect(name).toHaveValue('Neighbours');
  },
);

testWithoutMail.describe('a list of addresses', () => {
  testWithoutMail(
    'a list of addresses that is wrong says where, and keeps what was typed',
    async ({ admin: page }) => {
      await publishForFriends(page);
      await page.goto('/admin/invitations');
      await page.getByLabel('people by their addresses').check();
      const list = page.getByRole('textbox', { name: 'Addresses' });
      await list.fill('ann@example.org\nnobody');
      await expect(page.getByText('nobody is not an email address.')).toBeVisible();
      await page.getByRole('button', { name: 'Create links' }).click();
      await expect(list).toHaveValue('ann@example.org\nnobody');
      await list.fill('Ann <ann@example.org>\nbob@example.org, mina@example.com');
      await page.getByRole('button', { name: 'Create links' }).click();
      await expect(page.getByText('mina@example.com has an account already.')).toBeVisible();
      await expect(page.getByLabel('ann@example.org', { exact: true })).toHaveValue(/\/invite\?token=/);
      await expect(page.getByLabel('bob@example.org', { exact: true })).toHaveValue(/\/invite\?token=/);
      await expect(list).toHaveValue('');
    },
  );
});

test('an invitation that was mailed is sent again with a new link, until it is used', async ({
  smtp,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await callFrom(page, 'createInvitations', {
    tags: ['family'],
    expiresInDays: 7,
    for: [{ email: 'grete@example.org', name: 'Oma Grete' }],
  });
  const linksTo = () => smtp.mails.flatMap(({ text }) => /\/invite\?token=\S+/.exec(text)?.[0] ?? []);
  // One that is replaced before its mail goes out is not mailed.
  await expect.poll(linksTo).toHaveLength(1);
  await page.goto('/admin/invitations');
  const rows = page.getByRole('row', { name: /grete@example.org/ });
  await expect(rows).toContainText('has not joined yet');
  await rows.getByRole('button', { name: 'Send the invitation of grete@example.org again' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Mail grete@example.org a new invitation, with family?');
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByText('A new invitation is on its way to grete@example.org.')).toBeVisible();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('open until');
  await expect(rows.last()).toContainText('replaced by a newer one');
  await expect(rows.last().getByRole('button')).toHaveCount(0);
  await expect.poll(linksTo).toHaveLength(2);
  const [first = '', second = ''] = linksTo();
  const grete = await people.visitor();
  await grete.goto(first);
  await expect(grete.getByText('This invitation is no longer valid.')).toBeVisible();
  await grete.goto(second);
  await expect(grete.getByLabel('Full Name')).toHaveValue('Oma Grete');
  await grete.getByRole('button', { name: 'Join' }).click();
  await expect(grete.getByRole('link', { name: 'oma_grete' })).toBeVisible();
  await page.reload();
  await expect(rows.first()).toContainText('has joined');
  await expect(rows.getByRole('button', { name: /again$/ })).toHaveCount(0);
});
