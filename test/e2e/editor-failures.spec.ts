import { essay, shortPost } from '../support/factories.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/**
 * The editor and the list of posts when something fails: nothing is claimed that is not so, and nothing is
 * lost.
 */

test.use({ allowedErrors: [/503|409|404|Failed to load resource|Failed to fetch|ERR_/] });

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

const unavailable = { status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } };

/** Makes the browser refuse to store any text, as one without room. */
async function fillBrowser(page: Parameters<typeof write>[0]): Promise<void> {
  await page.addInitScript(() => {
    const full = () => {
      throw new DOMException('No room.', 'QuotaExceededError');
    };
    Storage.prototype.setItem = full;
    IDBObjectStore.prototype.put = full;
  });
}

test('the preview for others claims nothing about who can read a post as long as that is unknown', async ({
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', shortPost('For friends.', ['friends']));
  await page.route('**/api/describeAudience', route => route.fulfill(unavailable));
  await page.goto(`/admin/posts/${post.id}/edit`);
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = page.getByRole('tabpanel', { name: 'Preview' });
  for (const viewer of ['A visitor', 'A member']) {
    await page.getByText(viewer, { exact: true }).click();
    await expect(preview.getByText('Failed to load who can read this. Not now.')).toBeVisible();
    await expect(preview.getByText('can read this and see')).toHaveCount(0);
    await expect(preview.getByText('For friends.')).toHaveCount(0);
  }
  await page.getByText('You', { exact: true }).click();
  await expect(preview.getByText('For friends.')).toBeVisible();
});

test('after a save nothing can be typed until the next page is there, also if a link within the page is followed meanwhile', async ({
  page,
}) => {
  await page.goto('/admin/posts/new');
  await write(page, 'Saved.');
  // Time stands still, so that the page does not stop waiting for the script of the next one.
  await page.clock.install();
  const held = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async route => {
    await held.promise;
    await route.continue();
  });
  await page.clock.pauseAt(Date.now() + 60_000);
  const saved = page.waitForResponse('**/api/createPost');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await (await saved).finished();
  await expect.poll(() => page.evaluate(() => localStorage.length)).toBe(0);
  await expect(page.locator('.editor .fields')).toHaveAttribute('inert');
  await expect(page.getByRole('button', { name: 'Publishing...' })).toBeVisible();
  await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
  await expect(page).toHaveURL('/admin/posts/new#main');
  held.resolve();
  await page.clock.resume();
  await expect(page).toHaveURL('/admin/posts');
});

test('an author who leaves during a save is told of its end, and stays where they are', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await write(page, 'Saved later.');
  const held = Promise.withResolvers<void>();
  await page.route('**/api/createPost', async route => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/admin/tags');
  held.resolve();
  await expect(page.getByText('Published.')).toBeVisible();
  await expect(page).toHaveURL('/admin/tags');
});

test('a browser without room says before leaving and before logging out that the text will be lost', async ({
  page,
}) => {
  await fillBrowser(page);
  await page.goto('/admin/posts/new');
  await write(page, 'Nowhere else');
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  const leaving = page.getByRole('alertdialog', {
    name: 'You have unsaved changes, and this browser has no room to keep them: they will be lost. Leave this page?',
  });
  await leaving.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  const loggingOut = page.getByRole('alertdialog', { name: /no room to keep it: it will be lost\.$/ });
  await loggingOut.getByRole('button', { name: 'Stay' }).click();
  await expect(loggingOut).toHaveCount(0);
  await expect(text(page)).toHaveText('Nowhere else');
  await expect(page).toHaveURL('/admin/posts/new');
  await page.getByRole('button', { name: 'Logout' }).click();
  await loggingOut.getByRole('button', { name: 'Log out' }).click();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
});

test('a browser without room and without a connection says both, and does not offer to send the post later', async ({
  page,
}) => {
  await fillBrowser(page);
  await page.goto('/admin/posts/new');
  await write(page, 'Nowhere else');
  // The script of the questions is there from now on.
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stay' }).click();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const failed = page.getByRole('alertdialog', { name: 'Failed to save post. Please try again.' });
  await expect(failed.getByRole('button')).toHaveText(['OK']);
  await failed.getByRole('button').click();
  const full = page.getByRole('alertdialog', { name: /^This browser has no room left/ });
  await full.getByRole('button', { name: 'OK' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(text(page)).toHaveText('Nowhere else');
});

test('leaving while a file is uploaded says that it goes on later', async ({ page }) => {
  await page.route('**/v0/b/**', () => {});
  await startEssay(page, 'With a file');
  await page.getByLabel('Images and videos to insert').setInputFiles([picture('slow.png')]);
  await expect
    .poll(() => page.evaluate(() => Object.values(localStorage).join()))
    .toMatch(/"files":.*slow\.png/);
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(page.getByRole('alertdialog')).toContainText(
    'slow.png is not uploaded yet. It goes on when you restore this text.',
  );
  await page.getByRole('button', { name: 'Stay' }).click();
});

test('a conflict shows the attachments, and after a save that then fails, the effect on what is published by now', async ({
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', essay({ title: 'Shared', tags: [] }));
  await page.goto(`/admin/posts/${post.id}/edit`);
  await page.getByLabel('Files to attach').setInputFiles([picture('mine.png')]);
  await page.getByLabel('Caption of mine.png').fill('The pier');
  await page.getByLabel('Description of mine.png for those who do not see it').fill('Planks');
  // Somebody else hides it from visitors.
  await callFrom(page, 'updatePost', { ...essay({ title: 'Shared', tags: ['friends'] }), postId: post.id });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Attachments: mine.png (The pier; Planks)');
  await expect(dialog).toContainText('If you keep yours, this post becomes visible to visitors.');
  await page.route('**/api/updatePost', route => route.fulfill(unavailable));
  await page.getByRole('button', { name: 'Keep my version' }).click();
  await page.getByRole('button', { name: 'OK' }).click();
  await expect(page.getByText('When saved, this post becomes visible to visitors.')).toBeVisible();
});

test('a conflict marks what differs in title and description, and keeps its buttons in sight on a phone', async ({
  page,
}) => {
  const saved = essay({ title: 'Ten days on the lake', content: 'Rain.\n\n'.repeat(40) });
  const { post } = await callFrom(page, 'createPost', saved);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/admin/posts/${post.id}/edit`);
  await page.getByLabel('Title').fill('Ten wet days on the lake');
  await page.getByLabel('Description').fill('Mostly from the boat.');
  await write(page, 'Sun. ');
  const theirs = { ...saved, description: 'Mostly from the jetty.', content: 'Snow.\n\n'.repeat(40) };
  await callFrom(page, 'updatePost', { ...theirs, postId: post.id });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const marked = (part: string) => dialog.locator(`.version ${part} mark`);
  await expect(marked('strong')).toHaveText(['wet ']);
  await expect(marked('strong + p')).toHaveText(['boat', 'jetty']);
  for (const name of ['Keep editing', 'Use the saved version', 'Keep my version'])
    await expect(dialog.getByRole('button', { name })).toBeInViewport({ ratio: 1 });
});

test('a list of likes that cannot be loaded is reported, and the posts stay', async ({ page }) => {
  await callFrom(page, 'createPost', shortPost('Liked.'));
  await page.goto('/admin/posts');
  await page.route('**/assets/likes-dialog*.js', route => route.abort());
  await page.getByRole('button', { name: '0 likes' }).click();
  await expect(page.getByRole('alert')).toContainText('Failed to load the likes. Please try again.');
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('deleting a post that somebody else has deleted removes its card', async ({ page }) => {
  const { post } = await callFrom(page, 'createPost', shortPost('Gone.'));
  await page.goto('/admin/posts');
  await expect(page.getByRole('article')).toHaveCount(1);
  await callFrom(page, 'deletePost', { postId: post.id });
  await page.getByRole('button', { name: 'Delete Gone.' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('article')).toHaveCount(0);
  await expect(page.getByText('Failed to delete post.')).toHaveCount(0);
});
