import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { iphoneVideo } from '../support/made-videos.ts';
import { png } from '../support/png.ts';
import { scratchFolder } from '../support/scratch.ts';
import { samplesPerSecond, silence, silenceOf } from '../support/sounds.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { upload } from './upload.ts';

/** What phones make plays everywhere (docs/decisions/0038-videos.md). */

async function uploadVideo(admin: Page): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-video-'));
  const video = await readFile(iphoneVideo(join(folder, 'IMG_2041.MOV')));
  await rm(folder, { recursive: true });
  return await upload(admin.request, 'IMG_2041.MOV', video);
}

test('a video of which a browser plays only the sound says that it is being prepared, and is then seen', async ({
  admin: page,
  people,
}) => {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-video-'));
  const original = await readFile(iphoneVideo(join(folder, 'IMG_2042.MOV')));
  await rm(folder, { recursive: true });
  const url = await upload(page.request, 'IMG_2042.MOV', original);
  const post = { type: 'short' as const, content: `[Video: thaw](${url})`, tags: [], isDraft: false };
  const postId = (await callFrom(page, 'createPost', post)).post.id;
  const reader = await people.visitor();
  await reader.route(`**${url}*`, (route, request) =>
    request.url().endsWith('?width=poster')
      ? route.fulfill({ status: 204, headers: { 'retry-after': '1' } })
      : route.fulfill({ contentType: 'video/mp4', body: original }),
  );
  await reader.goto(`/post/${postId}`);
  const video = reader.locator('video');
  await video.evaluate((player: HTMLVideoElement) => {
    player.muted = true;
    return player.play();
  });
  await expect(reader.getByText('This is still being prepared for all browsers.')).toBeVisible();
  await reader.unroute(`**${url}*`);
  await expect(reader.locator('.player-note')).toHaveCount(0, { timeout: 120_000 });
  await expect.poll(() => video.evaluate((player: HTMLVideoElement) => player.videoWidth)).toBe(1280);
});

test('a video of a phone says that it is being prepared, and plays once it is, with its poster', async ({
  admin: page,
  people,
}) => {
  const url = await uploadVideo(page);
  const content = `From the ridge.\n\n[Video: thaw](${url})`;
  const post = { type: 'short' as const, content, tags: [], isDraft: false };
  const postId = (await callFrom(page, 'createPost', post)).post.id;

  const reader = await people.visitor();
  // As before it is prepared: nothing to play, and no poster, which comes first. Of a few bytes that are no
  // video Chromium sometimes reports nothing on a busy machine.
  const soon = { 'retry-after': '1' };
  let poster: Buffer | undefined;
  await reader.route(`**${url}*`, (route, request) => {
    if (!request.url().endsWith('?width=poster')) return route.fulfill({ status: 415 });
    if (poster === undefined) return route.fulfill({ status: 204, headers: soon });
    return route.fulfill({ body: poster, contentType: 'image/png', headers: soon });
  });
  await reader.goto(`/post/${postId}`);
  await expect(reader.getByText('This is still being prepared for all browsers.')).toBeVisible();
  const shown = reader.waitForResponse(
    answer => answer.url().endsWith('?width=poster') && answer.request().method() === 'GET',
  );
  poster = png;
  expect((await shown).status()).toBe(200);
  await reader.unroute(`**${url}*`);
  await expect(reader.getByText('This is still being prepared')).toBeHidden({ timeout: 120_000 });
  const video = reader.locator('video');
  await expect
    .poll(() => video.evaluate((player: HTMLVideoElement) => [player.videoWidth, player.videoHeight]))
    .toEqual([1280, 720]);
  await expect(video).toHaveAttribute('poster', `${url}?width=poster`);
  expect((await reader.request.get(`${url}?width=poster`)).headers()['content-type']).toBe('image/jpeg');
  await video.evaluate((player: HTMLVideoElement) => {
    player.muted = true;
    return player.play();
  });
  await expect.poll(() => video.evaluate((player: HTMLVideoElement) => player.ended)).toBe(true);
  await expect(video).toBeVisible();
  await expect(reader.locator('.player-note')).toHaveCount(0);
});

for (const kind of ['video', 'audio'] as const)
  test(`${kind} that this browser cannot play, and that is not prepared, is a link instead of a player`, async ({
    admin: page,
    allowedErrors,
  }) => {
    allowedErrors.push(/415/);
    const url = kind === 'video' ? await uploadVideo(page) : await upload(page.request, 'wind.wav', silence);
    await page.route(`**${url}*`, (route, request) =>
      request.url().endsWith('?width=poster')
        ? route.fulfill({ status: 204 })
        : route.fulfill({ status: 415 }),
    );
    const { post } = await callFrom(page, 'createPost', {
      type: 'short',
      tags: [],
      isDraft: false,
      content: kind === 'video' ? `[Video: thaw](${url})` : 'The wind.',
      attachments: kind === 'video' ? [] : [{ url, description: null }],
    });
    await page.goto(`/post/${post.id}`);
    await expect(page.getByText('This browser cannot play it.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Download it' })).toHaveAttribute(
      'href',
      `${url}?width=original`,
    );
    await expect(page.locator(kind)).toBeHidden();
    await expect(page.getByRole('button', { name: /^Speed/ })).toHaveCount(0);
  });

test.describe('without a connection', () => {
  test.use({
    // Playwright takes a list whose second element is an object for a value and its options.
    allowedErrors: [
      [/ERR_FAILED/, /status of (?:404|50[23])/, /ERR_CONTENT_LENGTH_MISMATCH/],
      { scope: 'test' },
    ],
  });

  test('a video says that the site cannot be reached', async ({ admin: page }) => {
    const url = await uploadVideo(page);
    await page.route(`**${url}*`, route => route.abort());
    const post = { type: 'short' as const, content: `[Video: thaw](${url})`, tags: [], isDraft: false };
    const postId = (await callFrom(page, 'createPost', post)).post.id;
    await page.goto(`/post/${postId}`);
    await expect(page.getByText('The site cannot be reached.')).toBeVisible();
  });

  for (const [answer, status, words] of [
    ['a proxy says that the site is not there', 502, 'The site cannot be reached.'],
    ['the site refuses its file', 404, 'It cannot be loaded.'],
  ] as const)
    test(`a player stays while ${answer}`, async ({ admin: page }) => {
      const url = await uploadVideo(page);
      await page.route(`**${url}*`, route => route.fulfill({ status }));
      const post = { type: 'short' as const, content: `[Video: thaw](${url})`, tags: [], isDraft: false };
      const postId = (await callFrom(page, 'createPost', post)).post.id;
      await page.goto(`/post/${postId}`);
      await expect(page.getByText(words)).toBeVisible();
      await expect(page.locator('video')).toBeVisible();
    });

  test('a player stays when the connection breaks in the middle, and is loaded again at the same place', async ({
    admin: page,
  }) => {
    const url = await upload(page.request, 'wind.wav', silence);
    const sound = silenceOf(120);
    await using server = await breakingServer(sound, 30 * samplesPerSecond);
    await page.route(`**${url}*`, (route, request) =>
      request.url().endsWith('?width=poster')
        ? route.fulfill({ status: 204 })
        : route.continue({ url: server.url }),
    );
    const { post } = await callFrom(page, 'createPost', {
      type: 'short',
      tags: [],
      isDraft: false,
      content: 'The wind.',
      attachments: [{ url, description: null }],
    });
    await page.clock.install();
    await page.goto(`/post/${post.id}`);
    const player = page.locator('audio');
    await player.evaluate((audio: HTMLAudioElement) => {
      audio.muted = true;
      audio.currentTime = 20;
      // It is refused when the connection breaks.
      audio.play().catch(() => {});
    });
    await expect(page.getByText('The site cannot be reached.')).toBeVisible();
    await expect(player).toBeVisible();
    await expect(page.getByRole('link', { name: 'Download it' })).toHaveCount(0);
    server.mend();
    await page.clock.runFor(15_000);
    await expect(page.locator('.player-note')).toHaveCount(0);
    const place = () =>
      player.evaluate((audio: HTMLAudioElement) => [
        audio.error,
        audio.readyState > 0,
        audio.currentTime >= 20,
      ]);
    await expect.poll(place).toEqual([null, true, true]);
  });
});

/** Serves a sound as a site that stops after `untilByte`, and is not there until it is mended. */
async function breakingServer(sound: Buffer, untilByte: number) {
  let [isBroken, hasStopped] = [true, false];
  const server = createServer((request, response) => {
    if (isBroken && hasStopped) {
      response.writeHead(503).end();
      return;
    }
    const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(206, {
      'content-type': 'audio/wav',
      'accept-ranges': 'bytes',
      'content-length': sound.length - start,
      'content-range': `bytes ${start}-${sound.length - 1}/${sound.length}`,
    });
    if (!isBroken) response.end(sound.subarray(start));
    else response.write(sound.subarray(start, untilByte), () => response.destroy());
    hasStopped = true;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    mend: () => {
      isBroken = false;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
