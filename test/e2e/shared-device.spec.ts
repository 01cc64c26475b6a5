import type { Page } from '@playwright/test';
import { startSession } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishPost } from './content.ts';
import { expect, test } from './fixtures.ts';
import type { RunningSite } from './site.ts';

/** Unsaved text on a shared device. */

const logout = (page: Page) => page.getByRole('button', { name: 'Logout' });
const question = (page: Page) => page.getByRole('alertdialog', { name: /not saved on the site/ });
const theirs = 'comment-draft:somebody-else:1';

/** The keys in the browser's storage, except those that are no text, such as the theme. */
async function keptTexts(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const copies: string[] = [];
    // Opened before the page has made it, it would have no store.
    if ((await indexedDB.databases()).some(({ name }) => name === 'coterie-drafts')) {
      const opened = indexedDB.open('coterie-drafts');
      await new Promise(resolve => opened.addEventListener('success', resolve, { once: true }));
      const asked = opened.result.transaction('copies').objectStore('copies').getAllKeys();
      await new Promise(resolve => asked.addEventListener('success', resolve, { once: true }));
      copies.push(...asked.result.map(key => `indexedDB ${key}`));
      opened.result.close();
    }
    const stored = [...Object.keys(localStorage), ...Object.keys(sessionStorage)];
    return [...stored.filter(key => key.includes('-draft:')), ...copies].sort();
  });
}

async function loggedOut(page: Page): Promise<void> {
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
}

async function write(page: Page, words: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.insertText(words);
}

async function begin(site: RunningSite, page: Page, postId: string): Promise<void> {
  await startSession(site, page.context(), 'lucy');
  await page.goto(`/post/${postId}#comments`);
  await page.evaluate(key => localStorage.setItem(key, 'theirs'), theirs);
  await page.getByLabel('Write a comment', { exact: true }).fill('Half a sent');
  await expect.poll(() => keptTexts(page)).toHaveLength(2);
}

test('logging out asks about a comment that was not sent, and Escape or Keep keeps it for its author', async ({
  site,
  people,
}) => {
  const postId = await publishPost(await people.admin());
  const page = await people.member('lucy');
  const answers = [
    () => page.keyboard.press('Escape'),
    () => question(page).getByRole('button', { name: 'Keep it' }).press('Enter'),
  ];
  for (const answer of answers) {
    await begin(site, page, postId);
    await logout(page).press('Enter');
    await expect(question(page)).toBeVisible();
    await expectAccessible(page);
    await answer();
    await loggedOut(page);
    // Going to the same address with another hash would load nothing.
    await expect(page).toHaveURL('/');
    expect(await keptTexts(page)).toHaveLength(2);
  }
  await startSession(site, page.context(), 'lucy');
  await page.goto(`/post/${postId}#comments`);
  await expect(page.getByLabel('Write a comment', { exact: true })).toHaveValue('Half a sent');
});

test('Delete at logout removes the reader’s comment but none of others, and the next logout does not ask', async ({
  site,
  people,
}) => {
  const postId = await publishPost(await people.admin());
  const page = await people.member('lucy');
  await begin(site, page, postId);
  await logout(page).click();
  await question(page).getByRole('button', { name: 'Delete it' }).click();
  await loggedOut(page);
  await expect.poll(() => keptTexts(page)).toEqual([theirs]);
  await startSession(site, page.context(), 'lucy');
  await page.goto('/');
  await logout(page).click();
  await loggedOut(page);
});

test('a logout elsewhere withdraws the question about a comment and ends no other session', async ({
  site,
  people,
}) => {
  const postId = await publishPost(await people.admin());
  const page = await people.member('lucy');
  await begin(site, page, postId);
  await logout(page).click();
  await expect(question(page)).toBeVisible();
  // Mina signs in, in another tab of the same browser.
  await startSession(site, page.context(), 'mina');
  const other = await page.context().newPage();
  await other.goto('/');
  await expect(question(page)).toBeHidden();
  await expect(page.getByRole('link', { name: 'mina' })).toBeVisible();
  await other.reload();
  await expect(other.getByRole('link', { name: 'mina' })).toBeVisible();
  expect(await keptTexts(page)).toHaveLength(2);
});

test('logging out right after typing a word of a post asks, and keeps or deletes the text with that word', async ({
  site,
  people,
}) => {
  const page = await people.admin();
  await page.goto('/admin/posts/new');
  await write(page, 'The last word');
  await logout(page).click();
  await question(page).getByRole('button', { name: 'Keep it' }).click();
  await loggedOut(page);

  await startSession(site, page.context(), 'mina');
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('textbox', { name: 'Content' })).toHaveText('The last word');
  await write(page, ', and another');
  await logout(page).click();
  await question(page).getByRole('button', { name: 'Delete it' }).click();
  await loggedOut(page);
  await expect.poll(() => keptTexts(page)).toEqual([]);
});

test('signing out everywhere asks about an unsaved post, too, and deleting the account also deletes its text', async ({
  site,
  people,
}) => {
  await site.createAdmin('arthur');
  const page = await people.admin();
  const leaveText = async () => {
    await page.goto('/admin/posts/new');
    await write(page, 'Unsaved');
    await expect(page.getByText('Saved in this browser')).toBeVisible();
    page.once('dialog', dialog => dialog.accept());
    await page.goto('/account');
  };
  await leaveText();
  const everywhere = page.getByRole('button', { name: 'Sign out everywhere' });
  await everywhere.click();
  const onAllDevices = page.getByRole('alertdialog', { name: /Sign out on all devices/ });
  await onAllDevices.getByRole('button', { name: 'Cancel' }).click();
  await expect(everywhere).toBeFocused();
  await everywhere.click();
  await onAllDevices.getByRole('button', { name: 'Sign out' }).click();
  await question(page).getByRole('button', { name: 'Keep it' }).click();
  await loggedOut(page);
  await expect(page.getByRole('alert')).toHaveText(
    /^You are signed out on all devices, including this one\./,
  );
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  expect(await keptTexts(page)).not.toEqual([]);

  await startSession(site, page.context(), 'mina');
  await page.goto('/account');
  const remove = page.getByRole('button', { name: 'Delete account permanently' });
  await remove.click();
  const isSure = page.getByRole('alertdialog', { name: /delete your account/ });
  await isSure.getByRole('button', { name: 'Cancel' }).click();
  await expect(remove).toBeFocused();
  await remove.click();
  await isSure.getByRole('button', { name: 'Delete account' }).click();
  await loggedOut(page);
  await expect(page.getByRole('alert')).toHaveText(/^Your account has been deleted\./);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await expect.poll(() => keptTexts(page)).toEqual([]);
});
