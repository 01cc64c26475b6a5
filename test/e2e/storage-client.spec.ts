import { loggedOutBefore, tooLargeForProxy } from '../../web/storage/proxy.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

test.use({ allowedErrors: [/status of [45]\d\d/] });

test('a refused upload reports why; one without an answer is retried for as long as specified', async ({
  admin: page,
}) => {
  let status = 200;
  /** Which step of an upload gets this answer. */
  let step = 'upload';
  await page.route('**/v0/b/**', async route => {
    const command = route.request().headers()['x-goog-upload-command'] ?? '';
    if (status === 200 || (step === 'start') !== (command === 'start')) return await route.fallback();
    await route.fulfill({ status, body: '' });
  });
  await page.clock.install();
  await page.goto('/admin/posts/new');
  await hydrated(page);
  const uploads = page.getByRole('list', { name: 'Uploads' });
  const attach = async (name: string, size: number) =>
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'a file') });
  const sentences = {
    401: 'Please log in again to upload files.',
    402: 'There is no space left for files.',
    403: 'You don’t have permission to upload files here.',
    404: 'This upload no longer exists. Please upload the file again.',
    413: tooLargeForProxy,
    415: 'This file was refused.',
  };
  for (const [code, sentence] of Object.entries(sentences)) {
    status = Number(code);
    await attach(`${code}.txt`, 6);
    // Where space may be made, or the session be renewed, the same can help again.
    const again = [401, 402].includes(status) ? 'Failed to upload media. Please try again. ' : '';
    await expect(uploads).toContainText(`${code}.txt: ${again}${sentence}`);
  }
  // An operation is tried for 120 s, an upload for 600 s (specification section 9). Files of 8 MiB go in
  // parts.
  for (const [name, limit, at] of [
    ['operation', 120_000, 'start'],
    ['upload', 600_000, 'upload'],
  ] as const) {
    status = 503;
    step = at;
    const asked = page.waitForResponse(response => response.status() === 503);
    await attach(`${name}.txt`, 8 * 1024 * 1024);
    await asked;
    const failed = uploads.getByText(`${name}.txt: Failed to upload media.`);
    const again = page.waitForResponse(response => response.status() === 503);
    await page.clock.fastForward(limit - 5_000);
    await again;
    await expect(failed).toHaveCount(0);
    await expect(async () => {
      await page.clock.fastForward(61_000);
      await expect(failed).toBeVisible({ timeout: 500 });
    }).toPass();
  }
  status = 200;
  await page.getByRole('button', { name: 'Try upload.txt again' }).click();
  await expect(page.getByLabel('Description of upload.txt')).toBeVisible();
});

test.describe('behind a proxy whose log-in has ended', () => {
  test.use({ allowedErrors: [/net::ERR_FAILED/] });

  for (const leads of ['to a page of this site', 'to another site'] as const) {
    test(`an upload that is led ${leads} asks to load the page again, and for no second try`, async ({
      admin: page,
    }) => {
      await page.goto('/admin/posts/new');
      const toLogin = { status: 302, headers: { location: '/login' } };
      // What is led to another site looks like a lost connection: another request finds out.
      await page.route('**/v0/b/**', route =>
        leads === 'to another site' ? route.abort() : route.fulfill(toLogin),
      );
      if (leads === 'to another site') await page.route('**/api/getViewer', route => route.fulfill(toLogin));
      await page
        .getByLabel('Files to attach')
        .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a file') });
      const uploads = page.getByRole('list', { name: 'Uploads' });
      await expect(uploads).toContainText(`a.txt: ${loggedOutBefore().message}`);
      await expect(page.getByRole('button', { name: 'Try a.txt again' })).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Dismiss a.txt' })).toBeVisible();
    });
  }
});

test('an uploaded video is sent in ranges and plays', async ({ people }) => {
  const page = await people.admin();
  await page.goto('/login');
  const url = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm;codecs=vp8' });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const stopped = new Promise(resolve => {
      recorder.onstop = resolve;
    });
    recorder.start();
    for (let frame = 0; frame < 25; frame += 1) {
      if (context !== null) context.fillStyle = frame % 2 === 0 ? 'gold' : 'navy';
      context?.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    const head = '--b\r\n\r\n{}\r\n--b\r\nContent-Type: video/webm\r\n\r\n';
    const answer = await fetch('/v0/b/-/o?name=posts%2F1_video.webm', {
      method: 'POST',
      headers: { 'x-goog-upload-protocol': 'multipart', 'content-type': 'multipart/related; boundary=b' },
      body: new Blob([head, ...parts, '\r\n--b--']),
    });
    return (await answer.json()).url as string;
  });
  const { post } = await callFrom(page, 'createPost', {
    type: 'essay',
    title: 'A video',
    description: 'In two colours.',
    content: 'See below.',
    tags: [],
    attachments: [{ url, description: 'Gold and navy' }],
    isDraft: false,
  });
  const part = page.waitForResponse(response => response.url().endsWith(url) && response.status() === 206);
  await page.goto(`/post/${post.id}`);
  const video = page.getByLabel('Gold and navy');
  await video.evaluate(async (element: HTMLVideoElement) => {
    element.muted = true;
    await element.play();
  });
  expect((await part).headers()['content-type']).toBe('video/webm');
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime))
    .toBeGreaterThan(0);
  await page.context().close();
});
