import type { Page } from '@playwright/test';
import { attachmentDescriptionMaxCharacters } from '../../contract/constants.ts';
import { picture, text } from './editor.ts';
import { expect, hydrated, test } from './fixtures.ts';
import type { People } from './people.ts';

/** Writing on a phone: from where one reads to a published photo. */

const phone = { viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true };

test.use(phone);

/** The names of many files, which are tiles, in their order. */
const order = (page: Page) =>
  page.locator('.files .opener').evaluateAll(tiles => tiles.map(tile => tile.getAttribute('aria-label')));

/** Resolves once the list of running uploads is gone: what is below it moves then. */
const uploaded = (page: Page) => expect(page.getByRole('list', { name: 'Uploads' })).toHaveCount(0);

/** An admin's new post with so many photos, which are tiles. Returns their names. */
async function attach(page: Page, people: People, count: number): Promise<string[]> {
  await people.admin(page);
  await page.goto('/admin/posts/new');
  const names = Array.from({ length: count }, (_, at) => `photo ${at + 1}.png`);
  await page.getByLabel('Images and videos to attach').setInputFiles(names.map(picture));
  await expect.poll(() => order(page)).toEqual(names);
  await uploaded(page);
  return names;
}

test('from the timeline a photo is published with three presses', async ({ admin: page }) => {
  await page.goto('/');
  await hydrated(page);
  await page.getByRole('link', { name: 'Write', exact: true }).tap();
  await expect(page.getByRole('heading', { name: 'New Post', level: 1 })).toBeVisible();
  await expect(text(page)).toBeVisible();
  // A page of its own: what is written begins in the upper half of the screen.
  await expect(page.getByRole('navigation', { name: 'Administration' })).toBeHidden();
  expect((await text(page).boundingBox())?.y).toBeLessThan(370);
  const chosen = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach image or video' }).tap();
  await (await chosen).setFiles([picture('IMG_1.png'), picture('IMG_2.png')]);
  await expect(page.locator('.files li')).toHaveCount(2);
  await page.getByRole('button', { name: 'Publish', exact: true }).tap();
  await expect(page).toHaveURL('/admin/posts');
  await page.goto('/');
  await expect(page.locator('.post .gallery img')).toHaveCount(2);
});

test('the places of the administration are one line, in which the current one is in sight', async ({
  admin: page,
}) => {
  const places = page.getByRole('navigation', { name: 'Administration' });
  for (const [path, name] of [
    ['/admin', 'Users'],
    ['/admin/system', 'System'],
  ] as const) {
    await page.goto(path);
    await hydrated(page);
    const link = places.getByRole('link', { name, exact: true });
    await expect(link).toHaveAttribute('aria-current', 'page');
    await expect(link).toBeInViewport({ ratio: 1 });
    expect((await places.boundingBox())?.height).toBeLessThan(60);
  }
  await places.getByRole('link', { name: 'Webhooks' }).tap();
  const link = places.getByRole('link', { name: 'Webhooks' });
  await expect(link).toHaveAttribute('aria-current', 'page');
  await expect(link).toBeInViewport({ ratio: 1 });
});

test('pictures without words keep their captions and what they show', async ({ admin: page }) => {
  await page.goto('/admin/posts/new');
  await page.getByLabel('Images and videos to attach').setInputFiles([picture('a.png'), picture('b.png')]);
  await page.getByLabel('Caption of a.png').fill('The "old" gate');
  await page.getByLabel('Description of a.png for those who do not see it').fill('An iron gate [open]');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.goto('/');
  await expect(page.locator('.post figcaption')).toHaveText('The "old" gate');
  await expect(page.locator('.post figure').getByAltText('An iron gate [open]')).toBeVisible();
});

test('the toolbar is one line, and stands on the keyboard where that lies over the page', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  const toolbar = page.getByRole('toolbar', { name: 'Formatting' });
  expect((await toolbar.boundingBox())?.height).toBeLessThan(60);
  await text(page).tap();
  await page.evaluate(() => {
    Object.defineProperty(window.visualViewport, 'height', { value: 440, configurable: true });
    window.visualViewport?.dispatchEvent(new Event('resize'));
  });
  const box = async () => (await toolbar.boundingBox()) ?? { y: 0, height: 0 };
  await expect.poll(async () => Math.round((await box()).y + (await box()).height)).toBe(440);
  await page.evaluate(() => {
    Object.defineProperty(window.visualViewport, 'height', { value: 740, configurable: true });
    window.visualViewport?.dispatchEvent(new Event('resize'));
  });
  await expect.poll(async () => (await box()).y).toBeLessThan(400);
});

test('a removed attachment comes back with one press', async ({ admin: page }) => {
  await page.goto('/admin/posts/new');
  await page
    .getByLabel('Images and videos to attach')
    .setInputFiles(['a.png', 'b.png', 'c.png'].map(picture));
  await page.getByLabel('Caption of b.png').fill('The gate');
  await page.getByRole('button', { name: 'Remove b.png' }).click();
  await expect(page.locator('.files li')).toHaveCount(2);
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.locator('.files li strong')).toHaveText(['a.png', 'b.png', 'c.png']);
  await expect(page.getByLabel('Caption of b.png')).toHaveValue('The gate');
});

test('many files are named only while they are sent, and arrive in the order in which they were chosen', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  const held = Promise.withResolvers<void>();
  await page.route('**/v0/b/**', async route => {
    await held.promise;
    await route.continue();
  });
  const names = Array.from({ length: 9 }, (_, at) => `photo ${at + 1}.png`);
  await page.getByLabel('Images and videos to attach').setInputFiles(names.map(picture));
  await expect(page.getByText('0 of 9 uploaded')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')).toHaveCount(3);
  held.resolve();
  await expect.poll(() => order(page)).toEqual(names);
  await expect(page.getByText('of 9 uploaded')).toHaveCount(0);
});

test('attachments are dragged to another place', async ({ page, people }) => {
  // All rows are on the screen at once.
  await page.setViewportSize({ width: 390, height: 1_600 });
  await people.admin(page);
  await page.goto('/admin/posts/new');
  await page
    .getByLabel('Images and videos to attach')
    .setInputFiles(['a.png', 'b.png', 'c.png'].map(picture));
  const rows = page.locator('.files li');
  await expect(rows).toHaveCount(3);
  await uploaded(page);
  const grip = await page.getByTitle('Drag a.png').boundingBox();
  const end = await rows.last().boundingBox();
  await page.mouse.move((grip?.x ?? 0) + 5, (grip?.y ?? 0) + 20);
  await page.mouse.down();
  await page.mouse.move((grip?.x ?? 0) + 5, (end?.y ?? 0) + (end?.height ?? 0) - 4, { steps: 12 });
  await page.mouse.up();
  await expect(rows.locator('strong')).toHaveText(['b.png', 'c.png', 'a.png']);
});

const ten = Array.from({ length: 10 }, (_, at) => `photo ${at + 1}.png`);

test('thirty photos take little of the screen, and one at a time is open for its words', async ({
  page,
  people,
}) => {
  const names = await attach(page, people, 30);
  expect((await page.locator('.files').boundingBox())?.height).toBeLessThan(900);
  const tile = page.getByRole('button', { name: 'photo 12.png', exact: true });
  await tile.tap();
  await page.getByLabel('Caption of photo 12.png', { exact: true }).fill('The gate');
  const other = page.getByRole('button', { name: 'photo 20.png', exact: true });
  await other.focus();
  await page.keyboard.press('Enter');
  await expect(other).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByLabel(/^Caption of/)).toHaveCount(1);
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Caption of photo 20.png', { exact: true })).toBeFocused();
  await page.getByRole('button', { name: 'Remove photo 20.png' }).tap();
  await expect(page.getByRole('button', { name: 'photo 21.png', exact: true })).toBeFocused();
  await page.getByRole('button', { name: 'Undo', exact: true }).tap();
  await expect.poll(() => order(page)).toEqual(names.with(11, 'photo 12.png: The gate'));
  await page.getByRole('button', { name: 'photo 12.png: The gate' }).tap();
  await expect(page.getByLabel('Caption of photo 12.png', { exact: true })).toHaveValue('The gate');
});

test('words that are too long open their tile when the post is saved', async ({ page, people }) => {
  await attach(page, people, 8);
  await page.getByRole('button', { name: 'photo 2.png', exact: true }).tap();
  const caption = page.getByLabel('Caption of photo 2.png', { exact: true });
  await caption.fill('x'.repeat(attachmentDescriptionMaxCharacters + 1));
  await page.getByRole('button', { name: 'photo 5.png', exact: true }).tap();
  await page.getByRole('button', { name: 'Publish', exact: true }).tap();
  await expect(caption).toBeFocused();
});

test('the row in which somebody writes stays open when more files make tiles of all', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  const chooser = page.getByLabel('Images and videos to attach');
  await chooser.setInputFiles(ten.slice(0, 6).map(picture));
  await expect(page.locator('.files li')).toHaveCount(6);
  const caption = page.getByLabel('Caption of photo 3.png', { exact: true });
  await caption.fill('The ga');
  await chooser.setInputFiles([picture('photo 7.png')]);
  await expect(page.locator('.files .opener')).toHaveCount(7);
  await expect(caption).toBeFocused();
});

test('a photo is dragged by a finger to another row, and to a place that is off the screen', async ({
  page,
  people,
}) => {
  const names = await attach(page, people, 30);
  const grip = page.getByTitle('Drag photo 1.png', { exact: true });
  const at = async (name: string) => {
    const box = await page.getByRole('button', { name, exact: true }).boundingBox();
    return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  };
  await grip.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await grip.boundingBox()) ?? {};
  const client = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', [{ x: x + 20, y: y + 10 }]);
  // Four tiles are in a row.
  const sixth = await at('photo 6.png');
  await touch('touchMove', [sixth]);
  const moved = [...names.slice(1, 6), 'photo 1.png', ...names.slice(6)];
  await expect.poll(() => order(page)).toEqual(moved);
  // Above the bar with the buttons that save.
  await touch('touchMove', [{ x: 380, y: 660 }]);
  await expect.poll(async () => (await order(page)).at(-1)).toBe('photo 1.png');
  await touch('touchMove', [{ x: 8, y: 20 }]);
  await expect.poll(() => order(page)).toEqual(names);
  await touch('touchEnd', []);
});

test('photos are put in order by keys, and by a button that stays below the finger', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  await page.getByLabel('Images and videos to attach').setInputFiles(ten.map(picture));
  const place = async (name: string) => (await order(page)).indexOf(name) + 1;
  await expect.poll(() => order(page)).toEqual(ten);
  await uploaded(page);
  await page.getByRole('button', { name: 'photo 2.png', exact: true }).press('Enter');
  const down = page.getByRole('button', { name: 'Move photo 2.png down' });
  await down.focus();
  for (const key of ['Enter', ' ', 'Enter']) await page.keyboard.press(key);
  await expect.poll(() => place('photo 2.png')).toBe(5);
  await expect(down).toBeFocused();
  await expect(page.getByText('photo 2.png is 5 of 10 now.')).toBeAttached();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => place('photo 2.png')).toBe(4);

  // A finger that is not moved presses again.
  await page.getByRole('button', { name: 'photo 8.png', exact: true }).tap();
  const up = page.getByRole('button', { name: 'Move photo 8.png up' });
  await up.scrollIntoViewIfNeeded();
  const { x = 0, y = 0 } = (await up.boundingBox()) ?? {};
  for (const expected of [7, 6, 5, 4]) {
    await page.touchscreen.tap(x + 20, y + 20);
    await expect.poll(() => place('photo 8.png')).toBe(expected);
    await expect.poll(async () => Math.round((await up.boundingBox())?.y ?? 0)).toBe(Math.round(y));
  }
});

test('the rows of photos that are uploaded load nothing back, and later only small pictures', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  const loaded: string[] = [];
  page.on('request', request => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/files/')) loaded.push(search);
  });
  await page.getByLabel('Images and videos to attach').setInputFiles(ten.map(picture));
  await expect(page.locator('.files li')).toHaveCount(10);
  const first = page.locator('.files img').first();
  const width = () => first.evaluate((image: HTMLImageElement) => image.naturalWidth);
  await first.scrollIntoViewIfNeeded();
  await expect.poll(width).toBeGreaterThan(0);
  expect(loaded).toEqual([]);
  await expect(page.getByText('Saved in this browser')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Restore' }).tap();
  await first.scrollIntoViewIfNeeded();
  await expect.poll(width).toBeGreaterThan(0);
  expect(new Set(loaded)).toEqual(new Set(['?width=480']));
});
