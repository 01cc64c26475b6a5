import type { Page } from '@playwright/test';
import { hydrated } from './fixtures.ts';

/** Helpers for the journeys of the timeline. */

export const articles = (page: Page) => page.locator('article');

export const chip = (page: Page, name: string) =>
  page.getByRole('search').getByRole('button', { name, exact: true });

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Resolves once the page is hydrated: only then its buttons work, and it notices the network. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
}

/** So many notes, as `publishNotes` takes them. */
export const numbered = (count: number, tag?: string) =>
  Array.from({ length: count }, (_, n): [string, ...string[]] =>
    tag === undefined ? [`Note ${n + 1}.`] : [`Note ${n + 1}.`, tag],
  );
