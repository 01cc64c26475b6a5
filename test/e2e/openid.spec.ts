import type { Page } from '@playwright/test';
import { type OpenidProvider, startOpenidProvider } from '../support/openid-provider.ts';
import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { test as base, expect, unfold } from './fixtures.ts';

/** Signing in with OpenID Connect, at a real provider. */

const test = base.extend<{ provider: OpenidProvider }>({
  provider: async ({ port }, use) => {
    const provider = await startOpenidProvider(`http://localhost:${port}`);
    await use(provider);
    await provider.close();
  },
  settings: async ({ provider }, use) => use(provider.environment),
});

// A call that needs a recent sign-in is answered 400, which the browser logs in its console.
test.use({ allowedErrors: [[/status of 400/], { scope: 'test' }] });

/** Signs in on the pages of the provider. */
async function logInThere(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

/** Signs in there for the first time, and allows the site to know the account. */
async function signInThere(page: Page, login: string): Promise<void> {
  await logInThere(page, login);
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('somebody signs up with an account at the provider and is led on, also without scripts', async ({
  provider,
  people,
}) => {
  provider.people.set('lucy', { sub: 'lucy', name: 'Lucy Westenra', email: 'lucy@example.com' });
  const page = await people.visitor({ javaScriptEnabled: false });
  await page.goto('/login?next=/account');
  await page.getByRole('link', { name: 'Continue with House Keys' }).click();
  await signInThere(page, 'lucy');
  await expect(page).toHaveURL('/account');
  await expect(page.getByRole('heading', { name: 'Your Account' })).toBeVisible();
  await expect(page.getByText('You log in with House Keys.')).toBeVisible();
});

test('a member connects an account at the provider, logs in with it, and disconnects it', async ({
  provider,
  people,
}) => {
  provider.people.set('arthur', { sub: 'arthur', email: 'arthur@elsewhere.example' });
  const page = await people.member('arthur');
  await page.goto('/account');
  await unfold(page, 'Other ways to log in');
  const section = page.getByRole('region', { name: 'House Keys' });
  await section.getByRole('button', { name: 'Connect House Keys' }).focus();
  await page.keyboard.press('Enter');
  await signInThere(page, 'arthur');
  await expect(section.getByText('Connected.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).click();
  await expect(page.getByRole('heading', { name: 'Log In' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Continue with House Keys' }).click();
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
  await page.goto('/account');
  await section.getByRole('button', { name: 'Disconnect House Keys' }).click();
  await expect(section.getByRole('button', { name: 'Connect House Keys' })).toBeVisible();
  await expect(section.getByRole('heading')).toBeFocused();
});

test('a member without a password confirms in another tab at the provider, and the first tab continues', async ({
  site,
  provider,
  people,
}) => {
  provider.people.set('lucy', { sub: 'lucy', name: 'Lucy Westenra', email: 'lucy@example.com' });
  const page = await people.visitor();
  await page.goto('/login?next=/account');
  await page.getByRole('link', { name: 'Continue with House Keys' }).click();
  await signInThere(page, 'lucy');
  await expect(page).toHaveURL('/account');
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
  await page.getByRole('button', { name: 'Delete account permanently' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await expectAccessible(page);
  const opened = page.context().waitForEvent('page');
  await dialog.getByRole('link', { name: 'Continue with House Keys' }).click();
  const other = await opened;
  // The provider still has a session, but asks for the password.
  await logInThere(other, 'lucy');
  // It may ask again for the consent.
  const allow = other.getByRole('button', { name: 'Continue' });
  const confirmed = other.getByText('Confirmed. Go back to the other tab to continue.');
  await allow.or(confirmed).waitFor();
  if (await allow.isVisible()) await allow.click();
  await expect(confirmed).toBeVisible();
  await other.close();
  // A headless browser does not give a page the focus by itself.
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  expect(await site.cli('user', 'list')).not.toContain('lucy');
});
