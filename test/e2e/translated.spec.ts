import type { Page } from '@playwright/test';
import { publishPost } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

/** A browser's page translation puts other nodes in place of each text; the app goes on all the same. */

async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      if (text.data.trim() === '' || text.parentElement?.closest('script, style, textarea, font')) continue;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = text.data;
      outer.append(inner);
      text.replaceWith(outer);
    }
  });
}

test('on translated pages a reader likes, comments, subscribes and goes on', async ({ people }) => {
  const admin = await people.admin();
  await publishPost(admin, 'By the river.');
  const page = await people.member('lucy');
  await page.goto('/');
  await hydrated(page);
  await translate(page);
  const like = page.getByRole('button', { name: /^Like/ });
  await like.click();
  await expect(like).toHaveText(/^1/);
  await like.click();
  await expect(like).toHaveAttribute('aria-pressed', 'false');

  // The first comment replaces the sentence that there are no comments yet.
  await page.getByRole('button', { name: '0 comments' }).click();
  await expect(page.getByText('No comments yet')).toBeVisible();
  await translate(page);
  await page.getByLabel('Write a comment', { exact: true }).fill('Cold and clear.');
  await page.getByRole('button', { name: 'Post comment' }).click();
  await expect(page.locator('.comment')).toHaveCount(1);
  await expect(page.getByText('No comments yet')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: '1 comment' })).toBeVisible();
  await expect(page.getByRole('button', { name: '1 comment' })).toHaveText(/^1/);

  await page.getByRole('article').locator('.dated').click();
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
  await translate(page);
  await like.click();
  await expect(like).toHaveText(/^1/);
  await page.getByRole('button', { name: '1 comment' }).click();
  await expect(page.locator('.comment')).toHaveCount(1);
  await translate(page);
  await page.getByRole('button', { name: 'Delete comment by lucy' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.locator('.comment')).toHaveCount(0);
  await expect(page.getByText('No comments yet')).toBeVisible();

  await page.goto('/profile');
  await hydrated(page);
  const state = page.locator('#subscription-state');
  await expect(state).toContainText('lucy@example.com');
  await translate(page);
  for (const [action, next] of [
    ['Subscribe', 'Unsubscribe'],
    ['Unsubscribe', 'Subscribe'],
  ] as const) {
    await page.getByRole('button', { name: action, exact: true }).click();
    await expect(page.getByRole('button', { name: next, exact: true })).toBeVisible();
    await translate(page);
  }

  await page.goto('/account');
  await hydrated(page);
  await translate(page);
  await page.getByLabel('Full Name').fill('Lucy of the River');
  await page.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  await translate(page);
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByText('By the river.')).toBeVisible();
});
