import { decide } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { adminPage, memberPage, memberPassword, pageOf, publishPost } from './people.ts';
import { expect, test } from './site.ts';

test('signing up says that the account waits, and an approval reaches the open tab', async ({
  site,
  browser,
}) => {
  await adminPage(site, browser);
  const page = await pageOf(site, browser);
  await page.goto('/login');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Need an account? Sign Up' }).click();
  await expect(page.getByRole('link', { name: 'Already have an account? Log In' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Username').fill('lu cy');
  await page.getByLabel('Full Name').fill('Lucy Westenra');
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill(memberPassword);
  // The browser says what is wrong before anything is sent.
  await page.getByRole('button', { name: 'Sign Up' }).click();
  expect(
    await page.getByLabel('Username').evaluate(input => (input as HTMLInputElement).validity.patternMismatch),
  ).toBe(true);
  await expect(page.getByLabel('Username')).toHaveAttribute(
    'title',
    'Username can only contain letters, numbers, and underscores',
  );
  await page.getByLabel('Username').fill('lucy');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  // Then the server, at the field that it concerns, and nothing typed is lost.
  await expect(page.getByRole('alert')).toContainText('Failed to create an account. ');
  await expect(page.getByLabel('Email')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Username')).toHaveValue('lucy');
  await page.getByLabel('Email').fill('lucy@example.com');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByText('Your account is waiting for approval by an admin.')).toBeVisible();
  decide(site, 'lucy', 'approved');
  await expect(page.getByText('Your account is waiting for approval by an admin.')).toBeHidden();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
});

test('logging in says what failed, is busy meanwhile, and leads back', async ({ site, browser }) => {
  const admin = await adminPage(site, browser);
  const postId = await publishPost(admin, 'for friends', ['friends']);
  const page = await memberPage(site, browser, 'lucy');
  await page.context().clearCookies();
  await page.goto(`/post/${postId}`);
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByRole('alert')).toHaveText('Failed to sign in. Please check your credentials.');
  await expect(page.getByLabel('Email')).toHaveValue('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  let go = () => {};
  const held = new Promise<void>(resolve => {
    go = resolve;
  });
  await page.route('**/api/signIn', async route => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page.getByRole('button', { name: 'Logging in...' })).toBeDisabled();
  go();
  await expect(page).toHaveURL(`/post/${postId}`);
  await expect(page.getByText('for friends').first()).toBeVisible();
});

test('only a path of this site is gone to after logging in', async ({ site, browser }) => {
  await adminPage(site, browser);
  const page = await pageOf(site, browser);
  await page.goto(`/login?next=${encodeURIComponent('/..//evil.test')}`);
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Log In' }).click();
  await expect(page).toHaveURL('/');
});
