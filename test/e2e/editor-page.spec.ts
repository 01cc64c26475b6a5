import type { Locator } from '@playwright/test';
import { essay, shortPost } from '../support/factories.ts';
import { withDatabase } from './accounts.ts';
import { startEssay, text } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';

/**
 * The editor's page: what it shows, what its bars cover, and what it refuses; editor.spec.ts tests writing.
 */

/** The placeholder of the empty editor. */
const empty = 'Write here, in Markdown...';

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('the editor of a published post has the button Save, and its preview shows the date that readers see', async ({
  site,
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', essay());
  withDatabase(site, db => {
    const moment = Date.UTC(2024, 1, 29, 12);
    db.prepare('update posts set published_at = ? where id = ?').run(moment, post.id);
  });
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Preview' }).getByText('February 29, 2024')).toBeVisible();
  await expect(page.getByText('Today')).toHaveCount(0);

  await page.goto('/admin/posts/new');
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeVisible();
  await text(page).fill('A new one.');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Preview' }).getByText('Today')).toBeVisible();
});

test('the caret of a new post is in its text, but not where it would open a keyboard over the page', async ({
  page,
  people,
}) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Write', exact: true }).click();
  await expect(text(page)).toBeFocused();
  await page.keyboard.type('At once.');
  await expect(text(page)).toHaveText('At once.');
  const { post } = await callFrom(page, 'createPost', shortPost());
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(text(page)).toBeVisible();
  await expect(text(page)).not.toBeFocused();

  const phone = await people.admin(await people.visitor({ hasTouch: true, isMobile: true }), 'lucy_w');
  await phone.goto('/admin/posts/new');
  await expect(text(phone)).toBeVisible();
  await expect(text(phone)).not.toBeFocused();
});

test('nothing on the page moves when the editor has been loaded', async ({ page }) => {
  await withoutFonts(page);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/admin/posts/new');
    await expect(text(page)).toBeVisible();
    await expect(page.getByText('Everybody, including visitors.', { exact: true })).toBeAttached();
    expect(await layoutShift(page), `on a screen of ${width}`).toBe(0);
  }
});

test.describe(() => {
  test.use({ allowedErrors: [/400|403/] });

  test('a file that calls itself a picture is refused with a sentence if it is none, and attached if browsers do not show its type', async ({
    page,
  }) => {
    await startEssay(page, 'A scan');
    const chooser = page.getByLabel('Images and videos to insert');
    await chooser.setInputFiles({
      name: 'holiday.png',
      mimeType: 'image/png',
      buffer: Buffer.from('Dear diary, this is no picture.'),
    });
    const refusal = page.getByRole('alert').filter({ hasText: 'holiday.png' });
    await expect(refusal).toContainText('This picture is damaged or not of the type its name says.');
    await page.getByRole('button', { name: 'Dismiss holiday.png' }).click();
    await expect(text(page)).toHaveText(empty);

    const bitmap = Buffer.from('424d1e000000000000001a0000000c000000010001000100180000ff0000', 'hex');
    await chooser.setInputFiles({ name: 'scan.bmp', mimeType: 'image/bmp', buffer: bitmap });
    await expect(page.locator('.files strong')).toHaveText('scan.bmp');
    await expect(text(page)).toHaveText(empty);
  });
});

/** Whether an element that fits between them is at least partly covered by the save bar or the toolbar. */
async function isCovered(element: Locator): Promise<boolean> {
  return await element.evaluate(target => {
    const { top, bottom } = target.getBoundingClientRect();
    if (bottom - top > window.innerHeight / 3) return false;
    return [...document.querySelectorAll('.save-bar, .toolbar')].some(bar => {
      const { top: from, bottom: to } = bar.getBoundingClientRect();
      return !bar.contains(target) && top < to - 1 && bottom > from + 1;
    });
  });
}

test('at 400 % zoom no bar covers the line that is written', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto('/admin/posts/new');
  await text(page).click();
  for (let line = 1; line <= 12; line += 1) {
    await page.keyboard.type(`Line ${line}`);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.type('Here');
  const here = text(page).getByText('Here', { exact: true });
  await expect(here).toBeInViewport({ ratio: 1 });
  await expect.poll(() => isCovered(here)).toBe(false);
});

for (const [width, height] of [
  [360, 640],
  [640, 360],
  [1280, 800],
] as const) {
  test(`at ${width} by ${height} pixels every button of the toolbar can be reached, and no bar covers the focused element`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    const { post } = await callFrom(page, 'createPost', shortPost('One line.', ['friends', 'family']));
    await page.goto(`/admin/posts/${post.id}/edit`);
    const buttons = page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button');
    await expect(buttons).toHaveCount(9);
    // On a phone the toolbar is one line, which scrolls.
    for (const button of await buttons.all()) {
      await button.scrollIntoViewIfNeeded();
      await expect(button).toBeInViewport({ ratio: 1 });
    }

    // Up and down the page with the keyboard, over all focusable elements.
    const places: string[] = [];
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let step = 0; step < 40; step++) {
        // Tab moves the focus, also in the text.
        await page.keyboard.press(key);
        const focused = page.locator('.editor :focus').last();
        if ((await focused.count()) === 0) continue;
        const name = await focused.evaluate(
          element => element.getAttribute('aria-label') ?? element.textContent,
        );
        places.push(String(name));
        await expect.poll(() => isCovered(focused), `${key} ${name}`).toBe(false);
      }
    }
    expect(places).toEqual(expect.arrayContaining(['Bold', 'Content', 'Save']));
    // At the end of the page its last line is visible, too.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await expect.poll(() => isCovered(page.getByRole('contentinfo'))).toBe(false);
    await expect.poll(() => isCovered(page.locator('.audience'))).toBe(false);
  });
}
