import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type OpenidProvider, startOpenidProvider } from '../openid-provider.ts';
import { scratchFolder } from '../scratch.ts';
import { expectAccessible, memberPage, memberPassword } from './people.ts';
import { test as base, expect, freePort, RunningSite } from './site.ts';

/** Signing in with OpenID Connect, at a real provider. */

const test = base.extend<{ port: number; provider: OpenidProvider }>({
  // Playwright tells fixtures by their destructured parameter, so it must be an object pattern.
  // biome-ignore lint/correctness/noEmptyPattern: see above
  port: async ({}, use) => use(await freePort()),
  provider: async ({ port }, use) => {
    const provider = await startOpenidProvider(`http://localhost:${port}`);
    await use(provider);
    await provider.close();
  },
  site: async ({ port, provider }, use) => {
    const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-e2e-'));
    const site = new RunningSite(dataDir, port, provider.environment);
    await site.start();
    await use(site);
    await site.stop();
    await rm(dataDir, { recursive: true, force: true });
  },
});

/** Signs in on the pages of the provider and allows the site to know who it was. */
async function signInThere(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

test('somebody joins with an account elsewhere and is led on, also without scripts', async ({
  site,
  provider,
  browser,
}) => {
  provider.people.set('lucy', { sub: 'lucy', name: 'Lucy Westenra', email: 'lucy@example.com' });
  const context = await browser.newContext({ baseURL: site.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/login?next=/account');
  await page.getByRole('link', { name: 'Continue with House Keys' }).click();
  await signInThere(page, 'lucy');
  await expect(page).toHaveURL('/account');
  await expect(page.getByRole('heading', { name: 'Your Account' })).toBeVisible();
  await expect(page.getByText('You log in with House Keys.')).toBeVisible();
  await context.close();
});

test('a member connects an account elsewhere, logs in with it, and disconnects it', async ({
  site,
  provider,
  browser,
}) => {
  provider.people.set('arthur', { sub: 'arthur', email: 'arthur@elsewhere.example' });
  const page = await memberPage(site, browser, 'arthur');
  await page.goto('/account');
  const section = page.getByRole('region', { name: 'House Keys' });
  await section.getByLabel('Your password').fill(memberPassword);
  await section.getByLabel('Your password').press('Enter');
  await signInThere(page, 'arthur');
  await expect(section.getByText('Connected.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).click();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Continue with House Keys' }).click();
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
  await page.goto('/account');
  await section.getByRole('button', { name: 'Disconnect House Keys' }).click();
  await expect(section.getByRole('button', { name: 'Connect House Keys' })).toBeVisible();
});
