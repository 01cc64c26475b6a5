import { essay, shortPost } from '../support/factories.ts';
import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Post management (specification section 2, "/admin/posts"). */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('posts are filtered, searched and paged, and the address contains filter, search and page', async ({
  page,
}) => {
  for (let index = 1; index <= 12; index += 1)
    await callFrom(page, 'createPost', shortPost(`Note number ${index}`));
  await callFrom(page, 'createPost', essay({ title: 'On rivers', isDraft: true }));
  await page.goto('/admin/posts');
  await expect(page.getByRole('heading', { name: 'Posts', level: 1 })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(10);
  await expect(page.getByRole('article').first()).toContainText('Draft');

  await expect(page.getByText('Page 1', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Previous Page' })).toBeDisabled();
  await page.getByRole('button', { name: 'Next Page' }).click();
  await expect(page.getByText('Page 2', { exact: true })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('button', { name: 'Next Page' })).toBeDisabled();
  await page.reload();
  await expect(page.getByRole('article')).toHaveCount(3);
  await page.getByRole('button', { name: 'Previous Page' }).click();
  await expect(page.getByText('Page 1', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Drafts' }).click();
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page).toHaveURL(/filter=drafts/);
  await page.getByRole('button', { name: 'Published' }).click();
  await expect(page.getByText('On rivers')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.getByRole('button', { name: 'All Posts' }).click();

  await page.getByRole('searchbox', { name: 'Search posts' }).fill('NUMBER 11');
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect(page).toHaveURL(/search=NUMBER/);
  await page.getByRole('searchbox', { name: 'Search posts' }).fill(`"'%_ OR`);
  await expect(page.getByText('No posts found with this search criteria')).toBeVisible();

  await page.getByRole('link', { name: 'Create New Post' }).click();
  await expect(page).toHaveURL('/admin/posts/new');
});

test('a draft in the list says when it was last changed, in place of likes and comments', async ({
  site,
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', { ...shortPost('A note'), isDraft: true });
  const changedAt = (ms: number) =>
    withDatabase(site, db => db.prepare('update posts set updated_at = ? where id = ?').run(ms, post.id));
  await page.goto('/admin/posts');
  const card = page.getByRole('article');
  await expect(card).toContainText('Changed now');
  await expect(card.getByRole('button', { name: /like/ })).toHaveCount(0);
  await expect(card.getByRole('link', { name: /comment/ })).toHaveCount(0);
  changedAt(Date.now() - 5.5 * 60_000);
  await page.reload();
  await expect(card).toContainText('Changed 5 minutes ago');
  await expectAccessible(page);
  changedAt(Date.UTC(2024, 1, 29, 12));
  await page.reload();
  await expect(card).toContainText('Changed February 29, 2024');
});

test('a card shows who likes the post and how many comments it has', async ({ page, people }) => {
  await callFrom(page, 'createPost', { ...shortPost('A note'), isDraft: true });
  const { post } = await callFrom(page, 'createPost', essay({ title: 'Liked', tags: ['friends'] }));
  await page.goto('/admin/posts');
  const card = page.getByRole('article').filter({ hasText: 'Liked' });
  await card.getByRole('button', { name: '0 likes' }).click();
  await expect(page.getByRole('dialog', { name: 'Liked by' })).toContainText('No likes yet');
  // A sheet that the document has already would come after those of the screen, and change its look.
  await expect(page.locator('link[rel="stylesheet"]:not([disabled])')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  const reader = await people.admin(undefined, 'lucy_w');
  await callFrom(reader, 'setLike', { postId: post.id, liked: true });
  await page.reload();
  await page.getByRole('button', { name: '1 like' }).click();
  await expect(page.getByRole('dialog', { name: 'Liked by' })).toContainText('lucy_w');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.route('**/api/listLikes', route =>
    route.fulfill({
      json: { result: { likes: [{ username: null, createdAt: '2026-01-01T00:00:00.000Z' }], total: 1 } },
    }),
  );
  await page.getByRole('button', { name: '1 like' }).click();
  await expect(page.getByRole('dialog', { name: 'Liked by' })).toContainText('Unknown User');
  await page.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expectAccessible(page);
  await expect(card.getByRole('link', { name: '0 comments' })).toBeVisible();
  await page.getByRole('link', { name: 'Edit Liked' }).click();
  await expect(page).toHaveURL(`/admin/posts/${post.id}/edit`);
  await expect(page.getByLabel('Title')).toHaveValue('Liked');
});

test.describe(() => {
  test.use({ allowedErrors: [/503/] });

  test('deleting a post asks first, reports a failure, and removes the card', async ({ page }) => {
    await callFrom(page, 'createPost', shortPost('Older'));
    await callFrom(page, 'createPost', essay({ title: 'Doomed' }));
    await page.goto('/admin/posts');
    const ask = 'Are you sure you want to delete this post? This action cannot be undone.';
    await page.getByRole('button', { name: 'Delete Doomed' }).click();
    await expect(page.getByRole('alertdialog')).toContainText(ask);
    await expect(page.getByRole('alertdialog')).toContainText('Doomed');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await expect(page.getByRole('article')).toHaveCount(2);

    await page.route('**/api/deletePost', route =>
      route.fulfill({ status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } }),
    );
    await page.getByRole('button', { name: 'Delete Doomed' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('Failed to delete post. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();
    await expect(page.getByRole('article')).toHaveCount(2);

    await page.unroute('**/api/deletePost');
    await page.getByRole('button', { name: 'Delete Doomed' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('article')).toHaveCount(1);
    // The card that is now in its place has the focus.
    await expect(page.getByRole('link', { name: 'Older', exact: true })).toBeFocused();
    await expect(page.getByText('The post was deleted.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete Older' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('article')).toHaveCount(0);
    await expect(page.getByText('No posts yet. Write the first one with Create New Post.')).toBeVisible();
  });
});

test('posts are narrowed by kind and tag, and the address and the number of posts say so', async ({
  page,
}) => {
  await callFrom(page, 'createPost', shortPost('A walk', ['friends']));
  await callFrom(page, 'createPost', essay({ title: 'On rivers', tags: ['friends'] }));
  await callFrom(page, 'createPost', essay({ title: 'On rain' }));
  await page.goto('/admin/posts');
  await expect(page.getByText('3 posts', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('Essays');
  await expect(page.getByText('2 posts', { exact: true })).toBeVisible();
  await page.getByRole('combobox', { name: 'Tag' }).selectOption('friends');
  await expect(page).toHaveURL('/admin/posts?type=essay&tag=friends');
  await expect(page.getByRole('article')).toHaveText([/On rivers/]);
  await expect(page.getByText('1 post', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Tag' })).toHaveValue('friends');
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('saving a post that was opened from a narrowed list leads back to that list', async ({ page }) => {
  for (let index = 1; index <= 11; index += 1)
    await callFrom(page, 'createPost', shortPost(`Postcard ${index}`, ['friends']));
  await callFrom(page, 'createPost', shortPost('Another note'));
  const list = '/admin/posts?search=postcard&tag=friends&page=2';
  await page.goto(list);
  await page.getByRole('link', { name: 'Edit Postcard' }).click();
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.insertText('From the canal. ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(list);
  await expect(page.getByRole('searchbox', { name: 'Search posts' })).toHaveValue('postcard');
  await expect(page.getByText('Page 2', { exact: true })).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('a pinned post stands on top of the timeline until it is unpinned, also by keyboard', async ({
  page,
}) => {
  await callFrom(page, 'createPost', essay({ title: 'How to read this site' }));
  await callFrom(page, 'createPost', essay({ title: 'On rivers' }));
  await callFrom(page, 'createPost', essay({ title: 'Not yet', isDraft: true }));
  const titles = page.getByRole('article').getByRole('heading', { level: 2 });
  await page.goto('/');
  await expect(titles).toHaveText(['On rivers', 'How to read this site']);

  await page.goto('/admin/posts');
  await expect(page.getByRole('button', { name: 'Pin Not yet' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Pin How to read this site' }).press('Enter');
  await expect(page.getByText('The post is now on top of the timeline.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Unpin How to read this site' })).toBeFocused();
  await expectAccessible(page);
  await page.goto('/');
  await expect(titles).toHaveText(['How to read this site', 'On rivers']);
  await expect(page.getByRole('article').first()).toContainText('Pinned');

  await page.goto('/admin/posts');
  await page.getByRole('button', { name: 'Unpin How to read this site' }).click();
  const toast = page.getByText('The post is back at its date.');
  await expect(toast).toBeVisible();
  // On a phone it stands above the bar that saves, and the text begins in the upper two thirds.
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('link', { name: 'Edit How to read this site' }).click();
  const content = page.getByRole('textbox', { name: 'Content' });
  await expect(content).toBeVisible();
  await toast.hover();
  const [said, bar, words] = await Promise.all(
    [toast, page.locator('.save-bar'), content].map(part => part.boundingBox()),
  );
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
  expect(words?.y).toBeLessThan(500);
  await page.goto('/');
  await expect(titles).toHaveText(['On rivers', 'How to read this site']);
});
