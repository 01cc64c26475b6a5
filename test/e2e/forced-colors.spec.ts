import type { Page } from '@playwright/test';
import { publishEssay, publishNotes, setAbout } from './content.ts';
import { picture, startEssay, write } from './editor.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { expectDifferent, expectVisible, expectVisibleFocus } from './visible.ts';

/** Readers who choose the colours of all pages see what is there, what is chosen, and the focus. */

/** High enough for a whole page, so that nothing scrolls. */
const tall = { width: 1280, height: 1_600 };

async function open(page: Page, path: string, least: number): Promise<void> {
  await page.goto(path);
  await hydrated(page);
  await page.evaluate(() => document.fonts.ready);
  await expectVisible(page, page.locator('body'));
  expect(await expectVisibleFocus(page)).toBeGreaterThanOrEqual(least);
}

test.beforeEach(async ({ page, people }) => {
  await page.setViewportSize(tall);
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await people.admin(page);
});

test('the timeline, a post and a picture over the page are seen in forced colours', async ({ page }) => {
  await setAbout(page, 'A place beside the water.');
  await publishNotes(page, ['Of bread.', 'bread'], ['Of rivers.', 'rivers']);
  await open(page, '/', 12);
  await page.goto('/admin/posts/new');
  await startEssay(page, 'On drawings');
  await write(page, '- [x] seen\n- [ ] not seen\n\n');
  await page.locator('input[type=file]').first().setInputFiles(picture('spring.png'));
  await expect(page.getByText('![spring')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('link', { name: 'View it' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'On drawings' })).toBeVisible();
  const path = new URL(page.url()).pathname;
  await callFrom(page, 'setLike', { postId: path.split('/').at(-1) ?? '', liked: true });
  await open(page, path, 8);
  const [done, undone] = [page.getByRole('checkbox').first(), page.getByRole('checkbox').nth(1)];
  expect((await done.screenshot()).equals(await undone.screenshot())).toBe(false);
  await page.getByRole('button', { name: /^Open image/ }).click();
  const overlay = page.getByRole('dialog');
  await expect(overlay).toBeVisible();
  await expectVisible(page, overlay);
});

test('the editor is seen in forced colours', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await write(page, 'Of bread.');
  // Nothing moves any more.
  for (const text of ['Everybody, including visitors.', 'Saved in this browser'])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  await expect(page.getByLabel('Preview beside the text')).toContainText('Of bread.');
  await page.evaluate(() => document.fonts.ready);
  await expectVisible(page, page.locator('body'));
  const type = (name: string) => page.locator('label', { hasText: name });
  await expectDifferent(type('Short Post'), type('Essay'));
});

test('the administration and one’s account are seen in forced colours', async ({ page }) => {
  await publishEssay(page, 'On rivers');
  await open(page, '/admin/settings', 20);
  const groups = page.getByRole('navigation', { name: 'Administration' });
  await expectDifferent(
    groups.getByRole('link', { name: 'Settings' }),
    groups.getByRole('link', { name: 'Backups' }),
  );
  await open(page, '/admin', 15);
  await open(page, '/account', 10);
});
