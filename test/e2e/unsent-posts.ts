import type { Page } from '@playwright/test';
import { write } from './editor.ts';
import { callFrom, expect } from './fixtures.ts';

/** Steps of the journeys of posts that wait in the browser. */

export const newPost = '/admin/posts/new';
export const waiting = (page: Page) => page.getByRole('region', { name: 'Not sent yet' });
export const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true });
export const published = (page: Page) =>
  page.getByRole('status').filter({ hasText: 'Your post is published.' });
/** Everything that this browser keeps for people. */
export const kept = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter(key => key.includes('-draft:')));

/** Presses a button of the composer without a connection. */
export async function pressOffline(page: Page, words: string, button = 'Publish'): Promise<void> {
  await page.goto(newPost);
  await write(page, words);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: button, exact: true }).click();
  await expect(waiting(page)).toContainText(words);
}

export async function posts(page: Page): Promise<string[]> {
  const list = await callFrom(page, 'listPosts', { filter: 'all', page: 1 });
  return list.posts.map(({ excerpt, isDraft }) => (isDraft ? `draft: ${excerpt}` : excerpt));
}

/** The names of the files that this browser keeps. */
export async function keptFiles(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    // Opened before the page has made it, it would have no store.
    if ((await indexedDB.databases()).every(({ name }) => name !== 'coterie-files')) return [];
    const opened = indexedDB.open('coterie-files');
    await new Promise(resolve => opened.addEventListener('success', resolve, { once: true }));
    const asked = opened.result.transaction('files').objectStore('files').getAll();
    await new Promise(resolve => asked.addEventListener('success', resolve, { once: true }));
    opened.result.close();
    return asked.result.flatMap(({ file }: { file?: File }) => file?.name ?? []).sort();
  });
}
