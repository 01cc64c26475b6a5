import type { Page } from '@playwright/test';
import { png } from '../support/png.ts';

/** Helpers for the journeys of authors. */

export const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png });

export const text = (page: Page) => page.getByRole('textbox', { name: 'Content' });

export async function write(page: Page, words: string): Promise<void> {
  await text(page).click();
  await page.keyboard.insertText(words);
}

export async function startEssay(page: Page, title: string): Promise<void> {
  await page.goto('/admin/posts/new');
  await page.getByText('Essay', { exact: true }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Description').fill('What they carry.');
}
