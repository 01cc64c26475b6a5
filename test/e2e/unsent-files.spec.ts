import type { Page, Request } from '@playwright/test';
import { shortPost } from '../support/factories.ts';
import { expectAccessible } from './axe.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { keptFiles } from './unsent-posts.ts';

/** Files whose upload was cut by a closed tab (issue 31, point 2). */

test.use({ allowedErrors: [/Failed to load resource/] });

const newPost = '/admin/posts/new';
const offer = (page: Page) => page.getByRole('region', { name: 'Unsaved text' });
const choose = (page: Page) => page.getByLabel('Images and videos to insert');
const attach = (page: Page) => page.getByLabel('Files to attach');
/** The texts that this browser keeps, with the names of their files. */
const keptTexts = (page: Page) => page.evaluate(() => Object.values(localStorage).join('\n'));

/** Chooses files whose upload gets no answer, in a tab that is then closed. */
async function leave(page: Page, names: readonly string[], attached: readonly string[] = []): Promise<Page> {
  const context = page.context();
  await page.route('**/v0/b/**', () => {});
  await startEssay(page, 'Whitby');
  await write(page, 'The pier.');
  await choose(page).setInputFiles(names.map(picture));
  if (attached.length > 0) await attach(page).setInputFiles(attached.map(picture));
  for (const name of [...names, ...attached])
    await expect.poll(() => keptTexts(page)).toMatch(new RegExp(`"files":.*"${name}"`));
  await page.close();
  const next = await context.newPage();
  await next.goto(newPost);
  return next;
}

test('files of a closed tab are offered with their text, and go on once, in their order', async ({
  admin: page,
}) => {
  const next = await leave(page, ['a.png', 'b.png'], ['c.png']);
  await expect(offer(next)).toContainText('Not uploaded yet: 3 files');
  await expectAccessible(next);
  await offer(next).getByRole('button', { name: 'Restore' }).click();
  await expect(text(next)).toContainText(/The pier\..*!\[a\.png\].*!\[b\.png\]/s);
  await expect(next.getByLabel('Description of c.png')).toBeVisible();
  await expect(next.getByText('had not finished uploading')).toHaveCount(0);
  await expect.poll(() => keptFiles(next)).toEqual([]);
  await next.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(next).toHaveURL('/admin/posts');
  const { posts } = await callFrom(next, 'getPosts', {});
  const { post } = await callFrom(next, 'getPost', { postId: posts[0]?.id ?? '' });
  expect(post.content?.match(/\[\w+\.png\]/g)).toEqual(['[a.png]', '[b.png]']);
  expect(post.attachments.map(({ name }) => name)).toEqual(['c.png']);
  // Pictures that were chosen together stay one paragraph.
  expect(post.content).toMatch(/a\.png\)\n!\[b\.png\]/);
  await expect.poll(() => keptTexts(next)).toBe('');
});

test('a large file goes on where it was', async ({ admin: page }) => {
  const context = page.context();
  const large = {
    name: 'large.bin',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(9_000_000, 7),
  };
  const stepOf = (request: Request) => request.headers()['x-goog-upload-command'] ?? '';
  // The third part gets no answer.
  const held = Promise.withResolvers<void>();
  let parts = 0;
  await page.route('**/v0/b/**', async (route, request) => {
    if (stepOf(request).startsWith('upload')) parts += 1;
    if (parts === 3) return held.resolve();
    await route.continue();
  });
  await page.goto(newPost);
  await attach(page).setInputFiles(large);
  await held.promise;
  await expect.poll(() => keptTexts(page)).toMatch(/"files":.*"large\.bin"/);
  await page.close();

  const next = await context.newPage();
  const steps: string[] = [];
  next.on('request', request => {
    const step = stepOf(request);
    if (step !== '') steps.push(`${step} ${request.headers()['x-goog-upload-offset'] ?? ''}`.trim());
  });
  await next.goto(newPost);
  await offer(next).getByRole('button', { name: 'Restore' }).click();
  await expect(next.getByLabel('Description of large.bin')).toBeVisible();
  expect(steps[0]).toBe('query');
  // After the two parts that have come, and perhaps a piece of the third.
  expect(Number(steps[1]?.replace(/^upload(?:, finalize)? /, ''))).toBeGreaterThanOrEqual(256 * 1024 * 3);
  expect(steps).not.toContain('start');
  await expect.poll(() => keptFiles(next)).toEqual([]);
});

test('kept files are gone when their text is discarded, and when it is deleted at logout', async ({
  admin: page,
}) => {
  const next = await leave(page, ['a.png']);
  expect(await keptFiles(next)).toEqual(['a.png']);
  await offer(next).getByRole('button', { name: 'Discard' }).click();
  await next.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => keptFiles(next)).toEqual([]);
  const last = await leave(next, ['b.png']);
  expect(await keptFiles(last)).toEqual(['b.png']);
  await last.getByRole('button', { name: 'Logout' }).click();
  await last.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click();
  await expect(last.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect.poll(() => keptFiles(last)).toEqual([]);
});

test('a refused or cancelled upload is not kept, and files without a text are deleted', async ({
  admin: page,
}) => {
  await page.goto(newPost);
  const damaged = { name: 'damaged.png', mimeType: 'image/png', buffer: Buffer.from('damaged') };
  await attach(page).setInputFiles([damaged]);
  await expect(page.getByRole('alert').filter({ hasText: 'damaged.png' })).toBeVisible();
  await expect.poll(() => keptFiles(page)).toEqual([]);
  await expect.poll(() => keptTexts(page)).not.toContain('damaged.png');
  await page.route('**/v0/b/**', () => {});
  await attach(page).setInputFiles(['a.png', 'b.png'].map(picture));
  await expect.poll(() => keptFiles(page)).toEqual(['a.png', 'b.png']);
  await page.getByRole('button', { name: 'Cancel a.png' }).click();
  await expect.poll(() => keptFiles(page)).toEqual(['b.png']);
  await expect.poll(() => keptTexts(page)).toContain('b.png');
  // As if the browser had been killed before it stored the text.
  const context = page.context();
  await page.close();
  const next = await context.newPage();
  await next.goto('/');
  await next.evaluate(async () => {
    localStorage.clear();
    const opened = indexedDB.open('coterie-drafts');
    await new Promise(resolve => opened.addEventListener('success', resolve, { once: true }));
    const cleared = opened.result.transaction('copies', 'readwrite').objectStore('copies').clear();
    await new Promise(resolve => cleared.addEventListener('success', resolve, { once: true }));
    opened.result.close();
  });
  await next.goto(newPost);
  await expect.poll(() => keptFiles(next)).toEqual([]);
  await expect(offer(next)).toHaveCount(0);
});

test('a browser without room for files keeps their names, and they are chosen again', async ({
  admin: page,
}) => {
  await page.context().addInitScript(() => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...to) {
      if (this.name === 'files') throw new DOMException('No room.', 'QuotaExceededError');
      return put.apply(this, to);
    };
  });
  await page.route('**/v0/b/**', () => {});
  await page.goto(newPost);
  await attach(page).setInputFiles([picture('a.png')]);
  await expect.poll(() => keptTexts(page)).toContain('"uploads":["a.png"]');
  const context = page.context();
  await page.close();
  const next = await context.newPage();
  await next.goto(newPost);
  await offer(next).getByRole('button', { name: 'Restore' }).click();
  await expect(
    next.getByText('a.png had not finished uploading when you left. Please choose it again.'),
  ).toBeVisible();
});

test('a file goes on in the text of a post that stands', async ({ admin: page }) => {
  const { post } = await callFrom(page, 'createPost', shortPost('The pier.'));
  const path = `/admin/posts/${post.id}/edit`;
  await page.route('**/v0/b/**', () => {});
  await page.goto(path);
  await attach(page).setInputFiles([picture('a.png')]);
  await expect.poll(() => keptTexts(page)).toMatch(/"files":.*"a\.png"/);
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('a.png is not uploaded yet. It goes on when you restore this text.');
  await question.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.unroute('**/v0/b/**');
  await page.goto(path);
  await offer(page).getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByLabel('Description of a.png')).toBeVisible();
});

test('a file on its way goes with the text that is restored meanwhile', async ({ admin: page }) => {
  const context = page.context();
  const left = await context.newPage();
  await left.goto(newPost);
  await write(left, 'Left behind.');
  await expect(left.getByText('Saved in this browser')).toBeVisible();
  await left.close();
  await page.route('**/v0/b/**', () => {});
  await page.goto(newPost);
  await attach(page).setInputFiles([picture('a.png')]);
  await expect.poll(() => keptTexts(page)).toMatch(/"files":.*"a\.png"/);
  await offer(page).getByRole('button', { name: 'Restore' }).click();
  await expect(text(page)).toHaveText('Left behind.');
  await expect.poll(() => keptTexts(page)).toMatch(/Left behind.*"files":.*"a\.png"/);
  await page.close();
  const next = await context.newPage();
  await next.goto(newPost);
  const restored = offer(next).filter({ hasText: 'Left behind.' });
  await restored.getByRole('button', { name: 'Restore' }).click();
  await expect(next.getByLabel('Description of a.png')).toBeVisible();
  await expect.poll(() => keptFiles(next)).toEqual([]);
});
