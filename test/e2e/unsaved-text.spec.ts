import { essay } from '../support/factories.ts';
import { expectAccessible } from './axe.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, hydrated, signIn, test } from './fixtures.ts';

/** Unsaved text in the editor: failed saves and uploads, a conflict with another author, and leaving. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test.describe(() => {
  test.use({ allowedErrors: [/503|409|403|400|Failed to load resource|ERR_/] });

  test('failures of an upload are reported; it is retried, cancelled, or resumes automatically', async ({
    page,
    context,
  }) => {
    await startEssay(page, 'Uploads');
    await page.route('**/v0/b/**', route =>
      route.fulfill({ status: 402, json: { error: { code: 402, message: 'Not now.' } } }),
    );
    const chooser = page.getByLabel('Images and videos to insert');
    await chooser.setInputFiles([picture('a.png')]);
    const failure = page.getByRole('alert').filter({ hasText: 'a.png' });
    await expect(failure).toContainText('Failed to upload media. Please try again. Not now.');
    await page.unroute('**/v0/b/**');
    await page.getByRole('button', { name: 'Try a.png again' }).click();
    await expect(text(page)).toContainText('![a.png](/files/');

    // Uploads that never end until they are cancelled: three that run, and one that waits.
    await page.route('**/v0/b/**', () => {});
    await chooser.setInputFiles(['b.png', 'c.png', 'e.png', 'f.png'].map(picture));
    await expect(page.getByRole('progressbar', { name: 'Uploading b.png' })).toBeVisible();
    await expect(page.getByRole('listitem').filter({ hasText: 'f.png' })).toContainText('Waiting');
    await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
    for (const name of ['f.png', 'c.png', 'b.png', 'e.png'])
      await page.getByRole('button', { name: `Cancel ${name}` }).click();
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    await page.unroute('**/v0/b/**');

    await context.setOffline(true);
    await chooser.setInputFiles([picture('d.png')]);
    await expect(page.getByText('Connection lost. The upload will resume automatically.')).toBeVisible();
    await expect(
      page.getByText('No connection. One file waits. Publish, and all is sent when it is back.'),
    ).toBeVisible();
    await context.setOffline(false);
    await expect(text(page)).toContainText('![d.png](/files/');
    await expect(text(page)).not.toContainText(/[bcef]\.png/);
  });

  test('failures of a save are reported and lose nothing, and a lost answer makes no second post', async ({
    page,
  }) => {
    await startEssay(page, 'On rivers');
    await write(page, 'Every word.');
    await page.route('**/api/createPost', route =>
      route.fulfill({ status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } }),
    );
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await publish.click();
    await expect(page.getByText('Failed to save post. Please try again.')).toBeVisible();
    // Nothing is saved any more, although the alert is still open.
    await expect(page.locator('.save-bar [aria-busy=true]')).toHaveCount(0);
    await expect(page.locator('.save-bar')).not.toContainText('Publishing...');
    await page.getByRole('button', { name: 'OK' }).click();
    await expect(publish).toBeFocused();
    await expect(page.getByText('Not now.')).toBeVisible();
    await expect(text(page)).toHaveText('Every word.');
    await expect(page.getByLabel('Title')).toHaveValue('On rivers');

    // Now the server saves, and only its answer is lost.
    await page.unroute('**/api/createPost');
    await page.route('**/api/createPost', async route => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByText('Failed to save post. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();
    await page.unroute('**/api/createPost');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page).toHaveURL('/admin/posts');
    await expect(page.getByRole('article')).toHaveCount(1);
  });

  test('when two authors save one post, both texts are shown, and either can be kept', async ({
    page,
    people,
  }) => {
    const { post } = await callFrom(
      page,
      'createPost',
      essay({ title: 'Shared', content: 'First.\n\nThe same.' }),
    );
    const other = await people.admin(undefined, 'lucy_w');
    const saveTheirs = async (content: string) => {
      await other.goto(`/admin/posts/${post.id}/edit`);
      await text(other).click();
      await other.keyboard.press('ControlOrMeta+a');
      await other.keyboard.insertText(content);
      await other.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(other).toHaveURL('/admin/posts');
    };

    await page.goto(`/admin/posts/${post.id}/edit`);
    await text(page).click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.insertText('Mine. ');
    await saveTheirs('Theirs.\n\nThe same.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', {
      name: 'This post was saved elsewhere since you opened it',
    });
    await expect(dialog).toContainText('Mine.');
    await expect(dialog).toContainText('Theirs.');
    await expect(dialog.locator('mark').last()).toHaveText('Theirs');
    await expect(dialog.getByText('… 1 paragraph is the same …')).toHaveCount(2);
    await expect(dialog).not.toContainText('The same.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Keep my version' }).click();
    await expect(page).toHaveURL('/admin/posts');
    expect((await callFrom(page, 'getPost', { postId: post.id })).post.content).toContain('Mine.');

    await page.goto(`/admin/posts/${post.id}/edit`);
    await write(page, 'Mine again. ');
    await saveTheirs('Theirs again.');
    // Whoever comes back to the page is told before they write on.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await expect(page.getByText('This post was saved elsewhere.')).toBeVisible();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Use the saved version' }).click();
    await expect(text(page)).toHaveText('Theirs again.');
    // My text is kept and offered. A running upload is inserted into the text that is then shown.
    const held = Promise.withResolvers<void>();
    await page.route('**/v0/b/**', async route => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Images and videos to insert').setInputFiles([picture('late.png')]);
    await expect(page.getByRole('progressbar', { name: 'Uploading late.png' })).toBeVisible();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(text(page)).toContainText('Mine again.');
    held.resolve();
    await expect(text(page)).toContainText(/Mine again\..*!\[late\.png\]\(\/files\//s);
    // Once it is saved, this browser keeps no copy of it.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page).toHaveURL('/admin/posts');
    expect((await callFrom(page, 'getPost', { postId: post.id })).post.content).toContain('Mine again.');
    await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });
});

test('leaving with unsaved changes by a link, back or closing asks first', async ({ page }) => {
  await page.goto('/admin/posts');
  // Before hydration the link would load a document, and going back would leave it without our question.
  await hydrated(page);
  await page.getByRole('link', { name: 'Create New Post' }).click();
  await write(page, 'Not yet saved');
  const question = page.getByText('You have unsaved changes.');
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(text(page)).toHaveText('Not yet saved');

  await page.evaluate(() => history.back());
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');

  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await expect(text(page)).toHaveText('Not yet saved');

  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.getByRole('link', { name: 'Create New Post' }).click();
  await expect(page.getByText('This browser has unsaved text of')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('This browser has unsaved text of')).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeVisible();
  await expect(page.getByText('This browser has unsaved text of')).toHaveCount(0);

  // The end of a session loses no text.
  await write(page, 'Kept without a session');
  await expect(page.getByText('Saved in this browser')).toBeVisible();
  // Nothing is asked any more that would be refused without a session.
  await expect(page.getByLabel('Preview beside the text')).toContainText('Kept without a session');
  await callFrom(page, 'signOut', {});
  await expect(page).toHaveURL('/');
  await signIn(page, 'mina');
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(text(page)).toHaveText('Kept without a session');
});
