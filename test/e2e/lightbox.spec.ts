import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CDPSession, Page } from '@playwright/test';
import sharp from 'sharp';
import { u32 } from '../support/videos.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import { upload } from './upload.ts';

/** Pictures of a post: the space that is reserved for them, and gestures in the full-screen view. */

async function uploadPicture(admin: Page, name: string, width: number, height: number): Promise<string> {
  const channels = { width, height, channels: 3, background: 'gold' } as const;
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const bytes = await sharp({ create: { ...channels, noise } })
    .png()
    .toBuffer();
  return await upload(admin.request, name, bytes, 'image/png');
}

async function publishPictures(admin: Page): Promise<string> {
  const inText = await uploadPicture(admin, 'spring.png', 1_200, 800);
  const attached = await uploadPicture(admin, 'source.png', 600, 900);
  const { post } = await callFrom(admin, 'createPost', {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content: `From the hills.\n\n![A spring](${inText})\n\nAnd on.`,
    attachments: [{ url: attached, description: 'The source' }],
    tags: [],
    isDraft: false,
  });
  return post.id;
}

/** One finger across the middle of the screen, or two apart. */
async function touch(client: CDPSession, ...ways: [from: [number, number], to: [number, number]][]) {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: [number, number][]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    });
  await send(
    'touchStart',
    ways.map(([from]) => from),
  );
  for (let step = 1; step <= 8; step += 1) {
    await send(
      'touchMove',
      ways.map(([[x, y], to]) => [x + ((to[0] - x) * step) / 8, y + ((to[1] - y) * step) / 8]),
    );
  }
  await send('touchEnd', []);
}

test('a picture whose viewer cannot be loaded is opened alone, and Back leads to its post', async ({
  page,
  people,
  allowedErrors,
}) => {
  // The browser's own styles of a page that is a picture.
  allowedErrors.push(/ERR_FAILED|Failed to (load resource|fetch dynamically imported module)|spring\.png$/);
  await people.admin(page);
  const postId = await publishPictures(page);
  await page.route('**/lightbox-*.js', route => route.abort());
  await page.goto(`/post/${postId}`);
  const picture = page.getByRole('button', { name: 'Open image: A spring' });
  await picture.press('Enter');
  await expect(page).toHaveURL(/\/files\/[\w-]+\/spring\.png/);
  await page.unroute('**/lightbox-*.js');
  await page.goBack();
  await hydrated(page);
  await picture.press('Enter');
  await expect(page.getByRole('dialog').getByRole('img', { name: 'A spring' })).toBeVisible();
});

test('pictures have reserved space and a placeholder before they are loaded, and are loaded in fitting sizes', async ({
  admin: page,
}) => {
  const postId = await publishPictures(page);
  // Later than everything else, and after the half second in which a shift counts as caused by the reader.
  const held = Promise.withResolvers<void>();
  await page.route('**/files/**', async route => {
    await held.promise;
    await route.continue();
  });
  await withoutFonts(page);
  // The first picture is loaded with the page.
  await page.goto(`/post/${postId}`, { waitUntil: 'domcontentloaded' });
  await hydrated(page);
  const [spring, source] = [page.getByAltText('A spring'), page.getByAltText('The source')];
  // The first one is what the reader waits for; the others are loaded when they are near.
  await expect(spring).toHaveAttribute('fetchpriority', 'high');
  await expect(spring).not.toHaveAttribute('loading');
  await expect(source).toHaveAttribute('loading', 'lazy');
  for (const image of [spring, source]) await expect(image).toHaveCSS('background-image', /^url\("data:/);
  held.resolve();
  await source.scrollIntoViewIfNeeded();
  const isThere = (image: Element) => (image as HTMLImageElement).complete;
  await expect.poll(() => source.evaluate(isThere)).toBe(true);
  await expect.poll(() => spring.evaluate(isThere)).toBe(true);
  for (const image of [spring, source]) await expect(image).toHaveCSS('background-image', 'none');
  expect(await layoutShift(page)).toBe(0);
  await expect(source).toHaveAttribute('width', '600');
  await expect(source).toHaveAttribute('height', '900');
  for (const image of [spring, source]) await expect(image).toHaveAttribute('srcset', /\?width=480 480w/);
});

test('a video that is taller than wide keeps its shape, and leaves a quarter of the screen', async ({
  admin: page,
}) => {
  const poster = await uploadPicture(page, 'poster.png', 360, 640);
  const bytes = await readFile(join(import.meta.dirname, 'high-water.mp4'));
  // The matrix of its track, as of a phone held upright: a quarter turn.
  u32(0, 65_536, 0, -65_536, 0).copy(bytes, bytes.indexOf('tkhd') + 4 + 52);
  const url = await upload(page.request, 'video.mp4', bytes, 'video/mp4');
  const { post } = await callFrom(page, 'createPost', {
    type: 'short',
    content: `High water.\n\n[Video: video.mp4](${url})\n\n[Video: other.webm](/other.webm)`,
    attachments: [{ url, description: null, thumbnail: poster }],
    tags: [],
    isDraft: false,
  });
  await page.route('**/other.webm', route => route.fulfill({ contentType: 'video/webm', body: '' }));
  for (const [width, height] of [
    [360, 740],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/post/${post.id}`);
    const video = page.locator('.attachments video');
    await expect(video).toHaveAttribute('poster', poster);
    const box = await video.boundingBox();
    expect(box?.height).toBeCloseTo(height * 0.75, 0);
    expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(360 / 640, 1);
    // One in the text has no poster: its size was read when it was uploaded.
    const inText = page.locator('.prose video').first();
    await expect(inText).toHaveClass('tall');
    await expect(inText).toHaveAttribute('width', '180');
    expect((await inText.boundingBox())?.height).toBeCloseTo(height * 0.75, 0);
    // One of which nothing is known says how it is when it is loaded.
    const unknown = page.locator('.prose video').last();
    await hydrated(page);
    await expect(unknown).not.toHaveClass(/tall/);
    await unknown.evaluate(video => {
      Object.defineProperties(video, { videoWidth: { value: 360 }, videoHeight: { value: 640 } });
      video.dispatchEvent(new Event('loadedmetadata'));
    });
    await expect(unknown).toHaveClass('tall');
    expect((await unknown.boundingBox())?.height).toBeCloseTo(height * 0.75, 0);
  }
});

test('buttons, keys and the mouse show the next and the previous picture, and stop at the ends', async ({
  admin: page,
}) => {
  await page.goto(`/post/${await publishPictures(page)}`);
  await page.getByRole('button', { name: 'Open image: A spring' }).click();
  const box = page.getByRole('dialog');
  const next = box.getByRole('button', { name: 'Next image' });
  const previous = box.getByRole('button', { name: 'Previous image' });
  const [first, second] = ['Image 1 of 2', 'Image 2 of 2'];
  await expect(box).toHaveAccessibleName(first);
  await expect(previous).toBeDisabled();
  await next.click();
  await expect(box).toHaveAccessibleName(second);
  // It keeps the focus, so that the keyboard goes on from there.
  await expect(next).toBeFocused();
  await expect(next).toBeDisabled();
  await previous.press('Enter');
  await expect(box).toHaveAccessibleName(first);
  await expect(box.getByRole('status')).toContainText(first);

  for (const [key, name] of [
    ['ArrowLeft', first],
    ['ArrowRight', second],
    ['ArrowRight', second],
    ['ArrowLeft', first],
    ['End', second],
    ['Home', first],
  ] as const) {
    await page.keyboard.press(key);
    await expect(box).toHaveAccessibleName(name);
  }

  // Beside the picture, where a click would close it.
  const drag = async (from: number, to: number) => {
    await page.mouse.move(from, 700);
    await page.mouse.down();
    await page.mouse.move(to, 700);
    await page.mouse.up();
  };
  await drag(300, 60);
  await expect(box).toHaveAccessibleName(second);
  await drag(60, 300);
  await expect(box).toHaveAccessibleName(first);
  await page.mouse.click(60, 700);
  await expect(box).toBeHidden();
});

test('swipes show the next picture full-screen, and two fingers zoom', async ({ admin: page, people }) => {
  const postId = await publishPictures(page);
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  const reader = await people.visitor(phone);
  await reader.goto(`/post/${postId}`);
  await hydrated(reader);
  await reader.getByRole('button', { name: 'Open image: A spring' }).tap();
  const box = reader.getByRole('dialog');
  await expect(box).toHaveAccessibleName('Image 1 of 2');
  const client = await reader.context().newCDPSession(reader);
  await touch(client, [
    [300, 370],
    [60, 380],
  ]);
  await expect(box).toHaveAccessibleName('Image 2 of 2');
  await expect(box.getByRole('status')).toHaveText('Image 2 of 2: The source');
  // There is no third picture, and a swipe down shows no other one.
  await touch(client, [
    [300, 370],
    [60, 370],
  ]);
  await touch(client, [
    [180, 200],
    [170, 500],
  ]);
  await expect(box).toHaveAccessibleName('Image 2 of 2');
  await touch(client, [
    [60, 370],
    [300, 370],
  ]);
  await expect(box).toHaveAccessibleName('Image 1 of 2');

  // Two fingers zoom in; then one finger scrolls.
  await touch(
    client,
    [
      [170, 360],
      [60, 250],
    ],
    [
      [190, 380],
      [300, 490],
    ],
  );
  await expect.poll(() => reader.evaluate(() => window.visualViewport?.scale ?? 1)).toBeGreaterThan(1.5);
  await expect(box).toHaveClass(/zoomed/);
  await touch(client, [
    [300, 370],
    [60, 370],
  ]);
  await expect(box).toHaveAccessibleName('Image 1 of 2');
  await expect.poll(() => reader.evaluate(() => window.visualViewport?.offsetLeft ?? 0)).toBeGreaterThan(0);
  await reader.context().close();
});
