import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { addAuthenticator } from '../../test/e2e/authenticator.ts';
import { click, dialog, type View } from './view.ts';

/** Logging in, and the account page in its states. */
export function accountViews(posts: ReadonlyMap<string, string>): View[] {
  return [
    { name: 'login', as: 'visitor', path: '/login' },
    { name: 'login-without-scripts', as: 'visitor', path: '/login', withoutScripts: true },
    {
      name: 'login-failed',
      as: 'visitor',
      path: '/login',
      act: async page => {
        await page.getByLabel('Email').fill('mina@example.com');
        await page.getByLabel('Password').fill('not this');
        await click('Log In')(page);
        await page.getByRole('alert').waitFor();
      },
    },
    { name: 'login-code', as: 'visitor', path: '/login/code' },
    { name: 'login-code-failed', as: 'visitor', path: '/login/code?failed=refused' },
    { name: 'sign-in-over', as: 'visitor', path: '/sign-in?token=none' },
    { name: 'signup', as: 'visitor', path: '/signup' },
    { name: 'forgot-password', as: 'visitor', path: '/forgot-password' },
    { name: 'reset-password', as: 'visitor', path: '/reset-password?token=none' },
    { name: 'confirm', as: 'visitor', path: '/confirm?token=none' },
    { name: 'unsubscribe', as: 'visitor', path: '/unsubscribe?token=none' },
    { name: 'setup', as: 'visitor', path: '/setup?token=none' },
    { name: 'invite', as: 'visitor', path: `/invite?token=${posts.get('invitation')}` },
    { name: 'invite-over', as: 'visitor', path: '/invite?token=none' },
    { name: 'invite-signed-in', as: 'member', path: `/invite?token=${posts.get('invitation')}` },
    { name: 'profile', as: 'member', path: '/profile' },
    { name: 'profile-empty', as: 'pending', path: '/profile' },
    { name: 'account', as: 'member', path: '/account' },
    { name: 'account-pending', as: 'pending', path: '/account' },
    { name: 'account-passkeys', as: 'member', path: '/account', act: addPasskeys },
    { name: 'account-factor', as: 'member', path: '/account', act: offerFactor },
    { name: 'account-factor-codes', as: 'reader', path: '/account', act: turnOnFactor },
    { name: 'account-propose', as: 'member', path: '/account', act: propose },
    { name: 'account-token', as: 'member', path: '/account', act: makeToken },
    {
      name: 'account-delete',
      as: 'member',
      path: '/account',
      isScreen: true,
      act: dialog('Delete account permanently'),
    },
    { name: 'sign-in-again', as: 'member', path: '/account', isScreen: true, act: askAgain },
  ];
}

/** Opens a part of the account page that is folded away, unless it is in use. */
async function unfold(page: Page, name: string): Promise<void> {
  const fold = page.locator('details:not([open]) > summary', { hasText: name });
  if (await fold.isVisible()) await fold.click();
}

/** The administration shows what was proposed (`invitations-proposed`). */
async function propose(page: Page): Promise<void> {
  await unfold(page, 'Propose somebody');
  await page.getByLabel('Their name').fill('Anna Kay');
  await page.getByLabel('Their email address').fill('anna@example.org');
  await page.getByLabel('Who they are (optional)').fill('My sister, who took most of the photos.');
  await click('Propose')(page);
  await page.getByText('The admins have been asked.').waitFor();
}

async function addPasskeys(page: Page): Promise<void> {
  await unfold(page, 'Other ways to log in');
  for (const name of ['Phone', 'A password manager with a name that takes more than a line on a phone']) {
    const authenticator = await addAuthenticator(page);
    await page.getByLabel('Passkey name').fill(name.slice(0, 50));
    await click('Add a passkey')(page);
    await page.getByText(name.slice(0, 50), { exact: true }).last().waitFor();
    await authenticator.remove();
  }
}

async function offerFactor(page: Page): Promise<void> {
  await unfold(page, 'Other ways to log in');
  await click('Set up a second factor')(page);
  await page.getByRole('img', { name: /QR code/ }).waitFor();
}

async function turnOnFactor(page: Page): Promise<void> {
  const section = page.getByRole('region', { name: 'Second factor' });
  if (await section.getByRole('button', { name: 'New recovery codes' }).isVisible()) {
    await click('New recovery codes')(page);
  } else {
    await offerFactor(page);
    const secret = ((await section.locator('code').textContent()) ?? '').replaceAll(' ', '');
    await section.getByLabel('Code of the app').fill(new TOTP({ secret }).generate());
    await section.getByRole('button', { name: 'Turn on' }).click();
  }
  await section.getByText('Your recovery codes').waitFor();
}

async function makeToken(page: Page): Promise<void> {
  await unfold(page, 'Feeds and programs');
  await page.getByLabel('Token name').fill('Backup of the boathouse');
  await click(/token$/)(page);
  await page.getByLabel(/^The token “/).waitFor();
}

/** Lets the server ask for a recent sign-in, as it does of a session that began long ago. */
async function askAgain(page: Page): Promise<void> {
  const error = { status: 'INVALID_ARGUMENT', message: 'again', details: { asks: 'recent-sign-in' } };
  await page.route('**/api/deleteAccount', route => route.fulfill({ status: 400, json: { error } }));
  await dialog('Delete account permanently')(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('dialog', { name: 'Please confirm that it is you' }).waitFor();
}
