import type { Page } from '@playwright/test';
import { hydrated } from './fixtures.ts';

/** The parts of the timeline that its journeys share. */

export const articles = (page: Page) => page.locator('article');

export const chip = (page: Page, name: string) =>
  page.getByRole('search').getByRole('button', { name, exact: true });

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Resolves once the app has taken the page over: only then do its buttons do anything, and does it hear of the network. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
}

/** So many notes, as `publishNotes` takes them. */
export const numbered = (count: number, tag?: string) =>
  Array.from({ length: count }, (_, n): [string, ...string[]] =>
    tag === undefined ? [`Note ${n + 1}.`] : [`Note ${n + 1}.`, tag],
  );
