import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { png } from '../support/png.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

/** Pictures that are pasted or dropped into the editor from a page: with their bytes, and as HTML. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

/** Pastes files and the forms of a text by their media types, as a browser does. */
async function paste(place: Locator, names: string[], forms: Record<string, string>): Promise<void> {
  await place.evaluate(
    (element, { names, forms, bytes }) => {
      const clipboardData = new DataTransfer();
      for (const name of names) {
        clipboardData.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
      }
      for (const [type, form] of Object.entries(forms)) clipboardData.setData(type, form);
      element.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
      );
    },
    { names, forms, bytes: [...png] },
  );
}

/** Starts an essay with an uploaded picture, and returns the picture's address. */
async function essayWithPicture(page: Page): Promise<string> {
  await startEssay(page, 'Pictures');
  await page.getByLabel('Images and videos to insert').setInputFiles(picture('mine.png'));
  await expect(text(page)).toContainText('![mine.png](/files/');
  return /\/files\/[\w-]+\/mine\.png/.exec((await text(page).textContent()) ?? '')?.[0] ?? '';
}

test('several files dropped with a picture of the post are all kept', async ({ page }) => {
  const mine = await essayWithPicture(page);
  await paste(text(page), ['copy.png', 'other.png'], { 'text/html': `<img src="${mine}">` });
  await expect(text(page)).toContainText('![copy.png](/files/');
  await expect(text(page)).toContainText('![other.png](/files/');
});

test('ten photos of a phone fit into a short post, and what a camera calls them is shown nowhere', async ({
  page,
}) => {
  const photos = Array.from({ length: 10 }, (_, n) => picture(`IMG_47${n}1.HEIC.png`));
  await page.goto('/admin/posts/new');
  await write(page, 'Ten at the river.');
  await page.getByLabel('Images and videos to attach').setInputFiles(photos);
  await expect(page.locator('.files li')).toHaveCount(10);
  await expect(text(page)).toHaveText('Ten at the river.');
  // Those that are pasted are in the text, and their addresses do not count.
  await page.keyboard.press('ControlOrMeta+End');
  await paste(
    text(page),
    photos.map(({ name }) => name),
    {},
  );
  await expect(text(page).getByText('![](/files/')).toHaveCount(10);
  await expect(page.getByText('17 / 300')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.goto('/');
  await page.getByRole('article').locator('.dated').click();
  await expect(page).toHaveTitle(/^Ten at the river\./);
  await expect(page.getByRole('button', { name: /^Open image \d+ of 20$/ })).toHaveCount(20);
  await expect(page.locator('[alt*="IMG_"]')).toHaveCount(0);
});

test('a HEIC picture of a phone is shown as a JPEG', async ({ page }) => {
  await startEssay(page, 'From the phone');
  const photo = join(import.meta.dirname, '../fixtures/heic/photo.heic');
  await page.getByLabel('Images and videos to insert').setInputFiles(photo);
  await expect(text(page)).toContainText('photo.jpg)');
  const shown = page.getByRole('region', { name: 'Preview' }).locator('img');
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(160);
});

test('words that are pasted with a picture of them are inserted as words', async ({ page }) => {
  await startEssay(page, 'Words');
  const uploads: string[] = [];
  page.on('request', request => request.url().includes('/v0/') && uploads.push(request.url()));
  await text(page).click();
  await paste(text(page), ['clipboard.png'], {
    'text/plain': 'From a table',
    'text/html': '<b>From a table</b>',
  });
  await expect(text(page)).toHaveText('**From a table**');
  expect(uploads).toEqual([]);
});

test('the day of the photos is offered as the date of the post', async ({ page }) => {
  const taken = sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } }).withExif({
    IFD2: { DateTimeOriginal: '2020:10:12 18:04:33' },
  });
  await page.goto('/admin/posts/new');
  await write(page, 'From the trip.');
  const offer = page.getByRole('checkbox', {
    name: 'Publish under October 12, 2020, the day of the photos',
  });
  await page.getByLabel('Images and videos to attach').setInputFiles(picture('plain.png'));
  await expect(page.locator('.files li')).toHaveCount(1);
  await expect(offer).toHaveCount(0);
  const buffer = await taken.jpeg().toBuffer();
  await page
    .getByLabel('Images and videos to attach')
    .setInputFiles({ name: 'trip.jpg', mimeType: 'image/jpeg', buffer });
  await expect(offer).not.toBeChecked();
  await offer.check();
  await expect(page.getByText('Date: October 12, 2020')).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('link', { name: 'View it' }).click();
  await expect(page.getByRole('article').getByText('October 12, 2020', { exact: true })).toBeVisible();
});

test('a post is published under an earlier day, quietly if its author wants, and a coming one is refused', async ({
  page,
}) => {
  await page.goto('/admin/posts/new');
  await write(page, 'Written late.');
  await page.getByText('Date: today').click();
  const day = page.getByLabel('Day', { exact: true });
  await day.fill('2090-01-01');
  await page.getByText('Date: January 1, 2090').click();
  await expect(day).not.toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(day).toBeFocused();
  await expect(day).toBeInViewport();
  await day.fill('2021-03-05');
  await expect(page.getByText('Date: March 5, 2021')).toBeVisible();
  const preview = page.getByRole('region', { name: 'Preview beside the text' });
  await expect(preview.getByText('March 5, 2021', { exact: true })).toBeVisible();
  await page.getByLabel('Do not tell subscribers').check();
  const saved = page.waitForRequest(request => request.url().endsWith('/api/createPost'));
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  expect((await saved).postDataJSON().data).toMatchObject({ isQuiet: true, date: '2021-03-05T12:00:00' });
  await page.getByRole('link', { name: 'View it' }).click();
  await expect(page.getByRole('article').getByText('March 5, 2021', { exact: true })).toBeVisible();
});

test('a draft is saved whatever was chosen for its publication, and its author is told that it keeps nothing of it', async ({
  page,
}) => {
  await page.goto('/admin/posts/new');
  await write(page, 'For a birthday.');
  await page.getByText('Date: today').click();
  await page.getByLabel('Day', { exact: true }).fill('2090-01-01');
  await page.getByLabel('Do not tell subscribers').check();
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  const without = 'without the chosen day and the choice not to tell subscribers.';
  await expect(page.getByText(`Saved as a draft, ${without}`)).toBeVisible();
});

test('the address of a picture takes at most two lines of a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/admin/posts/new');
  await page.getByText('Essay', { exact: true }).click();
  await write(page, 'Rain.\n\n');
  await page.getByLabel('Images and videos to insert').setInputFiles(picture('IMG_201.png'));
  const line = (words: RegExp) => page.locator('.cm-line').filter({ hasText: words });
  const heightOf = async (words: RegExp) => (await line(words).boundingBox())?.height ?? 0;
  await expect(line(/IMG_201\.png\)$/)).toBeVisible();
  expect(await heightOf(/IMG_201/)).toBeLessThan(2.5 * (await heightOf(/^Rain\.$/)));
});

test('the choice of the picture beside the preview fits a phone, however long the name of a picture', async ({
  page,
}) => {
  await startEssay(page, 'Pictures');
  const name = 'the-upper-reach-on-a-tuesday-morning-before-the-flood.png';
  await page.getByLabel('Images and videos to insert').setInputFiles(picture(name));
  await expect(page.getByRole('combobox', { name: 'Picture beside the preview' })).toContainText(name);
  await expectToFit(page);
});
