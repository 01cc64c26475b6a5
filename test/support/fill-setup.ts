import type { Page } from '@playwright/test';

/** On the page of the link that the first start prints: makes the admin of a site with a name. */
export async function fillSetup(page: Page): Promise<void> {
  await page.getByLabel('What is your site called?').fill('The Lockhouse');
  await page.getByLabel('Username').fill('mina');
  await page.getByLabel('Full Name').fill('Mina Harker');
  await page.getByLabel('Email').fill('mina@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Create account' }).click();
}
