import { essay } from '../support/factories.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Ctrl+S: the text is saved, and its author goes on writing. */

const saved = /^Saved \d\d:\d\d$/;

test('Ctrl+S saves a new post as a draft, and its author goes on writing in it with the history of their keys', async ({
  admin: page,
}) => {
  const status = page.locator('.kept');
  const posts = async () => (await callFrom(page, 'listPosts', {})).posts;
  await startEssay(page, '');
  await write(page, 'One two');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(status).toHaveText('Not saved. A title is required for an essay.');
  await expect(text(page)).toBeFocused();
  expect(await posts()).toEqual([]);
  await page.getByLabel('Title').fill('Counting');
  // In a field beside the text, too.
  await page.keyboard.press('ControlOrMeta+s');
  await expect(status).toHaveText(saved);
  await expect(page).toHaveURL(/\/admin\/posts\/new\?draft=[\w-]+$/);
  await expect(page.getByLabel('Title')).toBeFocused();
  expect(await posts()).toMatchObject([{ title: 'Counting', isDraft: true }]);

  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.insertText('x');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(status).toHaveText(saved);
  await page.keyboard.insertText('y');
  await expect(text(page)).toHaveText('One twxyo');
  await expect(status).toHaveText(/^Saved \d\d:\d\d, newer text in this browser$/);
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('ControlOrMeta+z');
  await expect(text(page)).toHaveText('Write here, in Markdown...');
  await page.keyboard.press('ControlOrMeta+Shift+z');
  await expect(text(page)).toHaveText('One two');

  // What is newer than the draft is offered in its editor, which a reload opens.
  await page.keyboard.insertText(' three');
  await expect(status).toHaveText(/newer text/);
  page.on('dialog', dialog => dialog.accept());
  await page.reload();
  await expect(page).toHaveURL(/\/admin\/posts\/[\w-]+\/edit$/);
  await expect(text(page)).toHaveText('One twxo');
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(text(page)).toHaveText('One two three');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(status).toHaveText(saved);
  await page.reload();
  await expect(text(page)).toHaveText('One two three');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  expect(await posts()).toMatchObject([{ title: 'Counting', isDraft: false }]);
});

test('after Ctrl+S in a new post the link Write begins another one, and Back leads to the saved draft', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  await write(page, 'The first.');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.locator('.kept')).toHaveText(saved);
  await page.getByRole('link', { name: 'Write' }).click();
  await expect(page).toHaveURL('/admin/posts/new');
  await write(page, 'The second.');
  await expect(text(page)).toHaveText('The second.');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'listPosts', {});
  expect(posts).toMatchObject([{ isDraft: false }, { isDraft: true }]);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(`/admin/posts/${posts[1]?.id}/edit`);
  await expect(text(page)).toHaveText('The first.');
});

for (const [left, more, offers] of [
  ['all of the text', '', 0],
  ['less than the text', ' three', 1],
] as const) {
  test(`an author who leaves while Ctrl+S saves ${left} stays where they went, and is offered what is newer`, async ({
    admin: page,
  }) => {
    const hasLeft = Promise.withResolvers<void>();
    await page.route('**/api/createPost', async route => {
      await hasLeft.promise;
      await route.continue();
    });
    await startEssay(page, 'Counting');
    await write(page, 'One two');
    const request = page.waitForRequest('**/api/createPost');
    await page.keyboard.press('ControlOrMeta+s');
    await request;
    await page.keyboard.insertText(more);
    await page.getByRole('link', { name: 'Admin', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await expect(page).toHaveURL('/admin');
    const copies = () =>
      page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith('coterie-draft')).length);
    expect(await copies()).toBe(1);
    const answer = page.waitForResponse('**/api/createPost');
    hasLeft.resolve();
    await answer;
    await expect.poll(copies).toBe(offers);
    await page.getByRole('link', { name: 'Write' }).click();
    await expect(text(page)).toBeVisible();
    const restore = page.getByRole('button', { name: 'Restore' });
    await expect(restore).toHaveCount(offers);
    if (offers === 0) return;
    await restore.click();
    await expect(text(page)).toHaveText('One two three');
  });
}

for (const [button, isDraft] of [
  ['Publish', false],
  ['Save as Draft', true],
] as const) {
  test(`${button} pressed while Ctrl+S saves is done after it, with what was written meanwhile`, async ({
    admin: page,
  }) => {
    const isPressed = Promise.withResolvers<void>();
    await page.route('**/api/createPost', async route => {
      await isPressed.promise;
      await route.continue();
    });
    await startEssay(page, 'Counting');
    await write(page, 'One two');
    const request = page.waitForRequest('**/api/createPost');
    await page.keyboard.press('ControlOrMeta+s');
    await request;
    await page.keyboard.insertText(' three');
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByRole('button', { name: isDraft ? 'Saving...' : 'Publishing...' })).toBeVisible();
    isPressed.resolve();
    await expect(page).toHaveURL('/admin/posts');
    const { posts } = await callFrom(page, 'listPosts', {});
    expect(posts).toMatchObject([{ title: 'Counting', isDraft }]);
    const { post } = await callFrom(page, 'getPost', { postId: posts[0]?.id ?? '', withContent: true });
    expect(post.content).toBe('One two three');
  });
}

test('Publish pressed while Ctrl+S finds a version from elsewhere publishes the version that is kept', async ({
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/409/);
  const { post } = await callFrom(page, 'createPost', { ...essay(), isDraft: true });
  await page.goto(`/admin/posts/${post.id}/edit`);
  await callFrom(page, 'updatePost', { ...essay({ content: 'Theirs.' }), isDraft: true, postId: post.id });
  const isPressed = Promise.withResolvers<void>();
  await page.route('**/api/updatePost', async route => {
    await isPressed.promise;
    await route.continue();
  });
  await write(page, 'Mine. ');
  const request = page.waitForRequest('**/api/updatePost');
  await page.keyboard.press('ControlOrMeta+s');
  await request;
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  isPressed.resolve();
  await page.getByRole('button', { name: 'Keep my version' }).click();
  await expect(page).toHaveURL('/admin/posts');
  expect((await callFrom(page, 'listPosts', {})).posts).toMatchObject([{ isDraft: false }]);
});

test('Ctrl+S while two versions are compared changes nothing: what was to be published is published', async ({
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/409/);
  const { post } = await callFrom(page, 'createPost', { ...essay(), isDraft: true });
  await page.goto(`/admin/posts/${post.id}/edit`);
  await write(page, 'Mine. ');
  await callFrom(page, 'updatePost', { ...essay({ content: 'Theirs.' }), isDraft: true, postId: post.id });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const keep = page.getByRole('button', { name: 'Keep my version' });
  await expect(keep).toBeVisible();
  const sent: string[] = [];
  page.on('request', request => sent.push(request.url()));
  await page.keyboard.press('ControlOrMeta+s');
  // A save that the key had begun would be sent before this.
  await callFrom(page, 'getPost', { postId: post.id });
  expect(sent.filter(url => url.includes('updatePost'))).toEqual([]);
  await keep.click();
  await expect(page).toHaveURL('/admin/posts');
  expect((await callFrom(page, 'listPosts', {})).posts).toMatchObject([{ isDraft: false }]);
});

test('Ctrl+S without a change does not say that a post is saved which was deleted elsewhere', async ({
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/404/);
  const { post } = await callFrom(page, 'createPost', { ...essay(), isDraft: true });
  await page.goto(`/admin/posts/${post.id}/edit`);
  await text(page).click();
  await callFrom(page, 'deletePost', { postId: post.id });
  await page.keyboard.press('ControlOrMeta+s');
  await page.keyboard.insertText('More. ');
  await expect(page.locator('.kept')).toHaveText('Saved in this browser');
  await page.keyboard.press('ControlOrMeta+s');
  await page.getByRole('button', { name: 'Save as a new post' }).click();
  await expect(page.locator('.kept')).toHaveText(saved);
});

test('Ctrl+S saves a published post as the button Save does, and asks where it was saved elsewhere', async ({
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/409/);
  const { post } = await callFrom(page, 'createPost', essay({ content: 'First.' }));
  await page.goto(`/admin/posts/${post.id}/edit`);
  await write(page, 'Second. ');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.locator('.kept')).toHaveText(saved);
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible();
  expect((await callFrom(page, 'getPost', { postId: post.id })).post).toMatchObject({
    isDraft: false,
    content: expect.stringContaining('Second.'),
  });
  await callFrom(page, 'updatePost', { ...essay({ content: 'Theirs.' }), postId: post.id });
  await write(page, 'Third. ');
  await page.keyboard.press('ControlOrMeta+s');
  const dialog = page.getByRole('dialog', { name: 'This post was saved elsewhere since you opened it' });
  await expect(dialog).toContainText('Theirs.');
});

test.describe(() => {
  test.use({ allowedErrors: [/503/] });

  test('a failed Ctrl+S says so beside the buttons, asks nothing, and loses nothing', async ({
    admin: page,
  }) => {
    await page.route('**/api/createPost', route => route.fulfill({ status: 503 }));
    await page.goto('/admin/posts/new');
    await write(page, 'Every word.');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(page.locator('.kept')).toHaveText('Failed to save post. Please try again.');
    await expect(text(page)).toBeFocused();
    await page.unroute('**/api/createPost');
    await page.keyboard.press('ControlOrMeta+s');
    await expect(page.locator('.kept')).toHaveText(saved);
    expect((await callFrom(page, 'listPosts', {})).posts).toHaveLength(1);
  });
});
