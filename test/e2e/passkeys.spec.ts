import type { Page } from '@playwright/test';
import { withDatabase } from './accounts.ts';
import { addAuthenticator } from './authenticator.ts';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, test, unfold } from './fixtures.ts';
import { expectToFit } from './layout.ts';

/** Adds a passkey on the account page. */
async function addPasskey(page: Page) {
  await page.goto('/account');
  await unfold(page, 'Other ways to log in');
  const section = page.getByRole('region', { name: 'Passkeys' });
  // It begins with what the list of sessions calls this browser.
  await expect(section.getByLabel('Passkey name')).toHaveValue('Chrome on Linux');
  await section.getByLabel('Passkey name').fill('phone');
  await page.keyboard.press('Enter');
  await expect(section.getByText('phone', { exact: true })).toBeVisible();
  return section;
}

/** Logs out on the timeline, which stays where it is: the account page leads to the login page by itself. */
async function logOut(page: Page): Promise<void> {
  await page.goto('/');
  await callFrom(page, 'signOut', {});
}

/**
 * A browser that offers passkeys with the button only. In the autofill the virtual authenticator chooses one
 * as soon as it is offered, before a test can press the button.
 */
async function offerNoAutofill(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
}

test('a passkey is added, named, renamed and removed, and logs in with the button', async ({
  site,
  people,
}) => {
  const page = await people.member('lucy');
  await addAuthenticator(page);
  await offerNoAutofill(page);
  const section = await addPasskey(page);
  await expect(section.getByText('never used')).toBeVisible();
  await expect(section.getByRole('heading')).toBeFocused();
  await expectAccessible(page);
  await expectToFit(page);

  await section.getByRole('button', { name: 'Rename phone' }).click();
  await expect(section.getByLabel('Name of “phone”')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('old phone');
  await page.keyboard.press('Enter');
  await expect(section.getByRole('button', { name: 'Rename old phone' })).toBeFocused();
  // The same device refuses a second passkey.
  await section.getByLabel('Passkey name').fill('again');
  await page.keyboard.press('Enter');
  await expect(section.getByRole('alert')).toHaveText('Your account has a passkey on this device already.');
  await expect(section.getByLabel('Passkey name')).toHaveValue('again');
  await expect(section.getByLabel('Passkey name')).toBeFocused();

  // Logs out and in again, with the keyboard, to the requested page.
  await logOut(page);
  await page.goto('/login?next=/account');
  await page.getByRole('button', { name: 'Log in with a passkey' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/account');
  await expect(section.getByText(/last used/)).toBeVisible();

  // Removing it needs a recent sign-in, which the passkey itself can confirm.
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
  await section.getByRole('button', { name: 'Remove old phone' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await expect(dialog.getByLabel('Your password')).toBeFocused();
  await expectAccessible(page);
  await expectToFit(page);
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(section.getByText('old phone')).toHaveCount(0);

  // The device still offers it, and gets the same answer as a wrong password.
  await logOut(page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(page.getByRole('alert')).toHaveText('This passkey was not accepted. Please try again.');
  await expectToFit(page);
});

test('the browser offers a passkey in the autofill of the address', async ({ people }) => {
  const page = await people.member('lucy');
  const authenticator = await addAuthenticator(page);
  await addPasskey(page);
  await logOut(page);
  await authenticator.touches(false);
  await page.goto('/login');
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', 'username webauthn');
  // While no user is present the passkey is not chosen; then it is as soon as the page offers it.
  await expect(page.getByRole('button', { name: 'Log in with a passkey' })).toBeVisible();
  await page.goto('about:blank');
  await authenticator.touches(true);
  await page.goto('/login');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'lucy' })).toBeVisible();
});

test('a passkey logs in to one browser, and signing out everywhere in another one ends that session', async ({
  people,
}) => {
  const page = await people.member('lucy');
  await addAuthenticator(page);
  await offerNoAutofill(page);
  await addPasskey(page);
  await logOut(page);
  await page.goto('/login');
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await expect(page).toHaveURL('/');

  const other = await people.visitor();
  await callFrom(other, 'signIn', { email: 'lucy@example.com', password: 'arthur' });
  await callFrom(other, 'signOutEverywhere', {});
  await page.goto('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
});

test('without scripts no passkey is offered, and the password works', async ({ people }) => {
  await people.member('lucy');
  const page = await people.visitor({ javaScriptEnabled: false });
  await page.goto('/login');
  await expect(page.getByRole('button')).toHaveText(['Log In']);
  await page.getByLabel('Email').fill('lucy@example.com');
  await page.getByLabel('Password').fill('arthur');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('link', { name: 'lucy' })).toBeVisible();
});
