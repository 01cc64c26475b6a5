import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom } from './fixtures.ts';
import { expect, openMail, test } from './mailed.ts';

test('somebody who signed up instead of joining uses the mailed invitation for that account', async ({
  smtp,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await callFrom(page, 'createInvitations', {
    tags: ['family', 'friends'],
    for: [{ email: 'karl@example.org', name: 'Opa Karl' }],
  });
  const karl = await people.visitor();
  await openMail(karl, smtp, 'karl@example.org', 'You are invited to Coterie');
  const invitation =
    (await karl.getByRole('link', { name: 'See the invitation' }).getAttribute('href')) ?? '';
  await karl.getByRole('link', { name: 'See the invitation' }).click();
  await expect(karl.getByRole('button', { name: 'Join' })).toBeVisible();
  // Nothing in the header leads away from the invitation.
  const header = karl.getByRole('navigation', { name: 'Account' });
  await expect(header.getByRole('link')).toHaveCount(0);
  // Nor does the way to log in.
  await karl.getByRole('link', { name: 'Already have an account? Log In' }).click();
  await expect(karl.getByRole('heading', { name: 'Log In' })).toBeVisible();
  await expect(header.getByRole('link')).toHaveCount(0);
  await karl.getByRole('link', { name: 'Need an account? Join by the invitation' }).click();
  await expect(karl.getByRole('button', { name: 'Join' })).toBeVisible();

  // He signs up all the same, with the same address, and confirms it.
  await karl.goto('/signup');
  await karl.getByLabel('Username').fill('karl');
  await karl.getByLabel('Full Name').fill('Opa Karl');
  await karl.getByLabel('Email').fill('karl@example.org');
  await karl.getByLabel('Password', { exact: true }).fill('apfelstrudel');
  await karl.getByRole('button', { name: 'Sign Up' }).click();
  await expect(karl.getByRole('link', { name: 'karl' })).toBeVisible();
  const tab = await karl.context().newPage();
  await openMail(tab, smtp, 'karl@example.org', 'Confirm your email address for Coterie');
  await tab.getByRole('link', { name: 'Confirm email address' }).click();
  await tab.getByRole('button', { name: 'Confirm' }).click();
  await expect(tab.getByText('Your email address is confirmed.')).toBeVisible();
  await karl.getByRole('button', { name: 'Logout' }).click();
  await expect(karl.getByRole('link', { name: 'Login' })).toBeVisible();

  // Signed out, the invitation leads to the account that the address has, and comes back.
  await karl.goto(invitation);
  await expect(karl.getByText('There is an account with the address karl@example.org already')).toBeVisible();
  await expectAccessible(karl);
  await karl.getByRole('link', { name: 'Log In', exact: true }).click();
  await karl.getByLabel('Email').fill('karl@example.org');
  await karl.getByLabel('Password', { exact: true }).fill('apfelstrudel');
  await karl.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(karl.getByText('You are logged in as karl.')).toBeVisible();
  await expectAccessible(karl);
  await karl.getByRole('button', { name: 'Use it for karl' }).click();
  await expect(karl.getByText('The invitation has been used for karl.')).toBeVisible();
  await expect(karl.getByText('For friends,family')).toBeVisible();
  await expect(karl.getByRole('region', { name: /^Welcome, / })).toBeVisible();

  await page.goto('/admin/invitations');
  await expect(page.getByRole('row', { name: /karl@example.org/ })).toContainText('used up');

  // The mail is still the way that people come back by.
  await karl.goto(invitation);
  await expect(karl.getByText('This invitation has been used. You are logged in as karl.')).toBeVisible();
});

test('a used invitation leads somebody who is signed out to the link that logs in', async ({
  smtp,
  admin: page,
  people,
}) => {
  await callFrom(page, 'createInvitations', { tags: [], for: [{ email: 'grete@example.org' }] });
  const grete = await people.visitor();
  await openMail(grete, smtp, 'grete@example.org', 'You are invited to Coterie');
  const invitation =
    (await grete.getByRole('link', { name: 'See the invitation' }).getAttribute('href')) ?? '';
  await grete.goto(invitation);
  await grete.getByRole('button', { name: 'Join' }).click();
  await expect(grete.getByRole('link', { name: 'grete' })).toBeVisible();

  const phone = await people.visitor();
  await phone.goto(invitation);
  await expect(phone.getByText('This invitation has been used.')).toBeVisible();
  await expect(phone.locator('.notice.bad')).toHaveCount(0);
  await expectAccessible(phone);
  await phone.getByRole('link', { name: 'Email me a link' }).click();
  await phone.getByLabel('Email').fill('grete@example.org');
  await phone.getByRole('button', { name: 'Email me a link' }).click();
  await expect(phone.getByText('we have emailed it a link')).toBeVisible();
  await phone.goto('about:blank');
  await openMail(phone, smtp, 'grete@example.org', 'Log in to Coterie');
  await phone.getByRole('link', { name: 'Log in' }).click();
  await phone.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(phone.getByRole('link', { name: 'grete' })).toBeVisible();
});

test('a member who is sent a link for several people uses it for their account, without scripts', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const { made } = await callFrom(page, 'createInvitations', {
    tags: ['family', 'friends'],
    for: { uses: 2 },
  });
  const lucy = await people.member('lucy', {}, { javaScriptEnabled: false });
  await lucy.goto(made[0]?.link ?? '');
  await lucy.getByRole('button', { name: 'Use it for lucy' }).click();
  await expect(lucy).toHaveURL('/');
  await expect(lucy.getByText('For friends,family')).toBeVisible();
  await lucy.goto(made[0]?.link ?? '');
  await expect(lucy.getByText('You can read everything already that this invitation is for.')).toBeVisible();
});
