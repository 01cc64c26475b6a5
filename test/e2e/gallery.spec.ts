import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import { upload } from './upload.ts';

/** Pictures of one paragraph, and attached ones, as a grid (decision 45). */

test.use({ allowedErrors: [/Failed to load resource/] });

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

async function uploadPhotos(admin: Page, count: number): Promise<string[]> {
  const urls: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const [width, height] = at % 3 === 2 ? [600, 900] : [1_200, 800];
    const bytes = await sharp({
      create: { width, height, channels: 3, background: `hsl(${at * 36} 50% 50%)` },
    })
      .jpeg()
      .toBuffer();
    urls.push(await upload(admin.request, `IMG_20${at}.jpg`, bytes, 'image/jpeg'));
  }
  return urls;
}

async function publishPhotos(admin: Page): Promise<string> {
  const urls = await uploadPhotos(admin, 10);
  const content = `Ten from the walk.\n\n${urls
    .map((url, at) => (at === 0 ? `![A gate](${url} "The old gate")` : `![](${url})`))
    .join('\n')}`;
  const post = { content, tags: [], isDraft: false };
  return (await callFrom(admin, 'createPost', { type: 'short', ...post })).post.id;
}

const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? 0;

test('ten photos are a grid: on the timeline five of them, on the page all, and nothing moves', async ({
  admin: page,
  people,
}) => {
  const postId = await publishPhotos(page);
  const reader = await people.visitor(phone);
  await withoutFonts(reader);
  await reader.goto('/');
  await hydrated(reader);
  const post = reader.locator('.post');
  expect(await heightOf(post)).toBeLessThan(450);
  await expect(post.getByRole('button', { name: /^Open image/ })).toHaveCount(5);
  await expect(post.getByRole('button', { name: 'Open image 5 of 10 (5 more)' })).toBeVisible();
  expect(await layoutShift(reader)).toBe(0);

  await reader.goto(`/post/${postId}`);
  await hydrated(reader);
  await expect(reader.getByRole('button', { name: /^Open image/ })).toHaveCount(10);
  await expect(reader.locator('.gallery figcaption')).toHaveText('The old gate');
  expect(await heightOf(reader.locator('.gallery'))).toBeLessThan(600);
  expect(await layoutShift(reader)).toBe(0);
  await reader.context().close();
});

test('one goes through all pictures of a post, with count and caption, and saves one or all', async ({
  admin: page,
  people,
}) => {
  const postId = await publishPhotos(page);
  const reader = await people.visitor(phone);
  await reader.goto('/');
  await hydrated(reader);
  await reader.getByRole('button', { name: 'Open image 5 of 10 (5 more)' }).tap();
  const box = reader.getByRole('dialog');
  await expect(box).toHaveAccessibleName('Image 5 of 10');
  await expect(box.getByText('5 / 10')).toBeVisible();
  await reader.keyboard.press('End');
  await expect(box).toHaveAccessibleName('Image 10 of 10');
  await reader.keyboard.press('Home');
  // The caption is seen, the alternative text is for those who do not see the picture.
  await expect(box.getByText('The old gate')).toBeVisible();
  await expect(box.getByText('A gate', { exact: true })).toHaveCount(0);
  await expect(box.getByRole('img')).toHaveAccessibleName('A gate');

  const one = reader.waitForEvent('download');
  await box.getByRole('link', { name: 'Download image' }).click();
  expect((await one).suggestedFilename()).toBe('IMG_200.jpg');
  const all = reader.waitForEvent('download');
  await box.getByRole('link', { name: 'Download all' }).click();
  expect((await all).suggestedFilename()).toBe('pictures.zip');
  await expect(box).toBeVisible();
  expect(await (await reader.request.head(`/post/${postId}/pictures.zip`)).ok()).toBe(true);
  await reader.context().close();

  // A picture that does not come says so, and can be loaded again.
  const another = await people.visitor();
  await another.route('**/files/**', route => route.abort());
  await another.goto(`/post/${postId}`);
  const notes = another.locator('.gallery').getByText('This picture cannot be loaded');
  await expect(notes).toHaveCount(10);
  await expect(another.getByRole('button', { name: /^Open image/ })).toHaveCount(0);
  await expectAccessible(another);
  await another.unroute('**/files/**');
  await another.getByRole('button', { name: 'Try again' }).first().click();
  await expect(another.getByRole('button', { name: 'Open image: A gate' })).toBeFocused();
  await expect(notes).toHaveCount(9);
});
