import type { Page } from '@playwright/test';
import { shortPost } from '../support/factories.ts';
import { text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/**
 * Texts that editors have left in this browser: several tabs, a post that is deleted, and the end of a text.
 */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

const newPost = '/admin/posts/new';
const offer = (page: Page) => page.getByRole('region', { name: 'Unsaved text' });
const restore = (page: Page) => offer(page).getByRole('button', { name: 'Restore' });
/** The texts that this browser keeps. */
const kept = (page: Page) => page.evaluate(() => Object.values(localStorage).join('\n'));
const alert = (page: Page, name: string) => page.getByRole('alertdialog', { name });

/** Another tab of the same browser. */
async function openTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(path);
  return tab;
}

/** Leaves a text in the browser, as a tab that is closed. */
async function leave(page: Page, path: string, words: string): Promise<void> {
  const tab = await openTab(page, path);
  await write(tab, words);
  await expect(tab.getByText('Saved in this browser')).toBeVisible();
  await tab.close();
}

test('an unsaved text is open in one tab at a time, and the next one gets what was written there', async ({
  page,
}) => {
  await leave(page, newPost, 'Left behind.');
  await page.goto(newPost);
  const second = await openTab(page, newPost);
  await expect(offer(page)).toContainText('Left behind.');
  await expect(offer(second)).toContainText('Left behind.');
  await restore(page).click();
  await expect(text(page)).toHaveText('Left behind.');
  await expect(text(page)).toBeFocused();
  await restore(second).click();
  await alert(second, 'This text is open in another tab.').getByRole('button', { name: 'OK' }).click();
  await expect(offer(second)).toHaveCount(0);
  await write(second, 'Another text.');
  await expect(second.getByText('Saved in this browser')).toBeVisible();
  await write(page, 'More. ');
  await expect.poll(() => kept(page)).toContain('More.');

  const third = await openTab(page, newPost);
  await write(third, 'A third text.');
  await page.close();
  await expect(offer(third)).toContainText(/Left behind|More/);
  // Also where it was open elsewhere before.
  await expect(offer(second)).toContainText(/Left behind|More/);
  await restore(third).click();
  await expect(text(third)).toContainText('More.');
  await expect(text(third)).toContainText('Left behind.');
  await expect(text(second)).toHaveText('Another text.');
});

test('a restored text is published under the day that was chosen for it, and as quietly', async ({
  page,
}) => {
  const tab = await openTab(page, newPost);
  await write(tab, 'Written late.');
  await expect(tab.getByText('Saved in this browser')).toBeVisible();
  await tab.getByText('Date: today').click();
  await tab.getByLabel('Day', { exact: true }).fill('2021-03-05');
  await tab.getByLabel('Do not tell subscribers').check();
  await expect.poll(() => kept(tab)).toContain('2021-03-05');
  await tab.close();
  await page.goto(newPost);
  await restore(page).click();
  await expect(page.getByText('Date: March 5, 2021, without telling subscribers')).toBeVisible();
  const saved = page.waitForRequest(request => request.url().endsWith('/api/createPost'));
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  expect((await saved).postDataJSON().data).toMatchObject({ isQuiet: true });
  // The link of a toast loads no new document.
  const mark = () => Object.assign(window, { isSame: true });
  await page.evaluate(mark);
  await page.getByRole('link', { name: 'View it' }).click();
  await expect(page.getByRole('article').getByText('March 5, 2021', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
  await expect(page.getByRole('link', { name: 'View it' })).toHaveCount(0);
});

test('a text that was saved in another tab is not restored over what was saved', async ({ page }) => {
  await leave(page, newPost, 'Left behind.');
  await page.goto(newPost);
  const second = await openTab(page, newPost);
  await expect(offer(second)).toContainText('Left behind.');
  await restore(page).click();
  await expect(text(page)).toHaveText('Left behind.');
  await write(page, 'More. ');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  // The first tab has closed the text, and only the one that the second tab writes is open.
  const openTexts = () => second.evaluate(async () => (await navigator.locks.query()).held?.length);
  await expect.poll(openTexts).toBe(1);
  await restore(second).click();
  const gone = alert(second, 'This text was saved or discarded in another tab.');
  await gone.getByRole('button', { name: 'OK' }).click();
  await expect(offer(second)).toHaveCount(0);
  await expect(text(second)).not.toContainText('Left behind.');
});

test('texts that were left stay while another tab saves one of them', async ({ page }) => {
  for (const words of ['First.', 'Second.', 'Third.']) await leave(page, newPost, words);
  await page.addInitScript(() => {
    const { getAllKeys } = IDBObjectStore.prototype;
    // As soon as this tab has asked for the keys of the texts, another one deletes the first text.
    IDBObjectStore.prototype.getAllKeys = function (range) {
      // Not those of files, which are asked for by then or later.
      if (this.transaction.db.name !== 'coterie-drafts') return getAllKeys.call(this, range);
      IDBObjectStore.prototype.getAllKeys = getAllKeys;
      const keys = getAllKeys.call(this, range);
      const first = this.transaction.db
        .transaction(this.name, 'readwrite')
        .objectStore(this.name)
        .openCursor();
      first.onsuccess = () => {
        if (first.result === null) return;
        localStorage.removeItem(String(first.result.key));
        first.result.delete();
      };
      return keys;
    };
  });
  await page.goto(newPost);
  await expect(offer(page)).toBeVisible();
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).length)).toBe(2);
});

test.describe(() => {
  test.use({ allowedErrors: [/404/] });

  test('an unsaved text of a deleted post becomes a new post', async ({ page }) => {
    const { post } = await callFrom(page, 'createPost', shortPost('First.'));
    const { post: other } = await callFrom(page, 'createPost', shortPost('Other.'));
    await leave(page, `/admin/posts/${other.id}/edit`, 'Of a post that is still there. ');
    await leave(page, `/admin/posts/${post.id}/edit`, 'Much more. ');
    await callFrom(page, 'deletePost', { postId: post.id });
    await page.goto(`/admin/posts/${post.id}/edit`);
    await page.getByRole('link', { name: 'Open it as a new post' }).click();
    await expect(page).toHaveURL(newPost);
    await expect(offer(page)).toContainText('Much more.');
    await expect(offer(page)).toContainText(
      'Its post and its files have been deleted. You can save the text as a new post.',
    );
    await restore(page).click();
    await expect(text(page)).toContainText('Much more.');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page).toHaveURL('/admin/posts');
    await expect(page.getByRole('article').filter({ hasText: 'Much more.' })).toHaveCount(1);
    // The text of the other post is offered where it belongs.
    await page.goto(`/admin/posts/${other.id}/edit`);
    await expect(offer(page)).toContainText('Of a post that is still there.');
    await expect.poll(() => page.evaluate(() => Object.keys(localStorage).length)).toBe(1);
  });
});

test('an unsaved text is discarded only after a question', async ({ page }) => {
  await leave(page, newPost, 'Left behind.');
  await page.goto(newPost);
  const question = alert(
    page,
    'Are you sure you want to discard this unsaved text? This action cannot be undone.',
  );
  const discard = offer(page).getByRole('button', { name: 'Discard' });
  await discard.click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toHaveCount(0);
  await expect(offer(page)).toContainText('Left behind.');
  await discard.click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await expect(offer(page)).toHaveCount(0);
  await expect(page.getByRole('main')).toBeFocused();
  await expect.poll(() => kept(page)).toBe('');
});

test('what is typed while an unsaved text is restored is kept', async ({ page }) => {
  await leave(page, newPost, 'Left behind.');
  await page.addInitScript(() => {
    const request = navigator.locks.request.bind(navigator.locks) as (...args: unknown[]) => Promise<unknown>;
    // Holds up each lock that is asked for at the press of the button, until it is let go.
    const later = async (...args: unknown[]) => {
      if (document.activeElement?.textContent === 'Restore')
        await new Promise(resolve => window.addEventListener('let go', resolve));
      return await request(...args);
    };
    Object.defineProperty(navigator.locks, 'request', { value: later });
  });
  await page.goto(newPost);
  await restore(page).click();
  await write(page, 'Typed meanwhile.');
  await expect.poll(() => kept(page)).toContain('Typed meanwhile.');
  await page.evaluate(() => window.dispatchEvent(new Event('let go')));
  await expect(text(page)).toHaveText('Left behind.');
  const next = await openTab(page, newPost);
  await expect(offer(next)).toContainText('Typed meanwhile.');
});

test('a text whose page waits to be shown again is offered elsewhere, and the page is loaded again once it is open there', async ({
  page,
}) => {
  const tell = (event: 'pagehide' | 'pageshow') =>
    page.evaluate(
      name => window.dispatchEvent(new PageTransitionEvent(name, { persisted: true })) && undefined,
      event,
    );
  await page.goto(newPost);
  await write(page, 'Left behind.');
  await expect(page.getByText('Saved in this browser')).toBeVisible();
  // As browsers do that keep the page for their back button.
  await tell('pagehide');
  const second = await openTab(page, newPost);
  await expect(offer(second)).toContainText('Left behind.');
  await tell('pageshow');
  await restore(second).click();
  await alert(second, 'This text is open in another tab.').getByRole('button', { name: 'OK' }).click();
  await tell('pagehide');
  await restore(second).click();
  await expect(text(second)).toHaveText('Left behind.');
  await Promise.all([page.waitForEvent('load'), tell('pageshow')]);
  await expect(text(page)).toHaveText('Write here, in Markdown...');
  await write(second, 'More. ');
  await expect.poll(() => kept(second)).toContain('More.');
});
