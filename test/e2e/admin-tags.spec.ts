import { expectAccessible } from './axe.ts';
import { pressInComposition } from './composition.ts';
import { openAdminPage, publishForFriends } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

/** Tag management: specification sections 2 ("/admin/tags"), 5 and 8; decisions 4 and 5. */

const confirmation = 'Are you sure you want to delete this tag? This action cannot be undone.';

test('an admin lists, adds, renames and deletes tags', async ({ page, people }) => {
  await openAdminPage(page, people, 'Tags');
  const names = page.getByRole('rowheader');
  await expect(names).toHaveText(['family', 'friends']);
  const friends = page.getByRole('row', { name: /^friends/ });
  await expect(friends.getByRole('cell')).toContainText(['2 posts', '0 drafts', '0 users']);

  const box = page.getByRole('textbox', { name: 'New tag' });
  await box.fill('   ');
  await box.press('Enter');
  await box.fill('  essays ');
  await box.press('Enter');
  await expect(names).toHaveText(['essays', 'family', 'friends']);
  await expect(box).toHaveValue('');

  await page.getByRole('button', { name: 'Rename friends' }).click();
  const name = page.getByRole('textbox', { name: 'New name of friends' });
  await expect(name).toBeFocused();
  await name.fill('Close friends');
  await name.press('Enter');
  await expect(names).toHaveText(['Close friends', 'essays', 'family']);
  await expect(page.getByRole('button', { name: 'Rename Close friends' })).toBeFocused();
  await page.goto('/');
  await expect(page.locator('article').filter({ hasText: 'Close friends' })).toHaveCount(2);

  await page.goto('/admin/tags');
  await page.getByRole('button', { name: 'Delete essays' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByText(confirmation, { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Delete essays' })).toBeFocused();
  await page.getByRole('button', { name: 'Delete essays' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(names).toHaveText(['Close friends', 'family']);

  // Posts keep it, and the confirmation says how many.
  await page.getByRole('button', { name: 'Delete Close friends' }).click();
  await expect(dialog).toContainText(
    `${confirmation} 2 posts have this tag and keep it; who may read them does not change. Adding its name again brings it back`,
  );
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(names).toHaveText(['family']);
  await expect(page.getByText('Close friends was deleted.')).toBeVisible();
  await page.getByRole('link', { name: 'View its posts' }).click();
  await expect(page).toHaveURL('/admin/posts?tag=Close%20friends');
  await expect(page.getByRole('article')).toHaveCount(2);
  const filter = page.getByRole('combobox', { name: 'Tag' });
  await filter.selectOption('Every tag');
  await filter.selectOption('Close friends (deleted)');
  await expect(page.getByRole('article')).toHaveCount(2);
  await page.goto('/admin/tags');
  await expect(names).toHaveText(['family']);
  const { posts } = await callFrom(page, 'getPosts', {});
  expect(posts.filter(post => post.tags.includes('Close friends'))).toHaveLength(2);
  await box.fill('close friends');
  await page.getByRole('button', { name: 'Add Tag' }).click();
  await expect(page.getByText('2 posts have it, and 0 users have it as an approved tag.')).toBeVisible();
  await expect(names).toHaveText(['Close friends', 'family']);
});

test.describe(() => {
  test.use({ allowedErrors: [[/status of 409/, /ERR_FAILED/], { scope: 'test' }] });

  test('a failure is reported in the words of the specification, and no typed text is lost', async ({
    admin: page,
  }) => {
    await publishForFriends(page);
    await page.goto('/admin/tags');
    await hydrated(page);
    const box = page.getByRole('textbox', { name: 'New tag' });
    await box.fill('FRIENDS');
    await box.press('Enter');
    const alert = page.getByRole('alert');
    await expect(alert).toContainText(
      'Failed to add tag. Please try again. There is already a tag called “friends”.',
    );
    await expect(box).toHaveValue('FRIENDS');
    await alert.getByRole('button', { name: 'Dismiss' }).click();

    await page.route('**/api/addTag', route => route.abort());
    await box.press('Enter');
    await expect(alert).toContainText('Failed to add tag. Please try again.');

    await page.route('**/api/deleteTag', route => route.abort());
    await page.getByRole('button', { name: 'Delete friends' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(alert).toContainText('Failed to delete tag. Please try again.');
    await expect(page.getByRole('rowheader')).toHaveText(['family', 'friends']);

    await page.getByRole('button', { name: 'Rename friends' }).click();
    const name = page.getByRole('textbox', { name: 'New name of friends' });
    await page.route('**/api/renameTag', route => route.abort());
    await name.fill('Relatives');
    await name.press('Enter');
    await expect(alert).toContainText('Failed to rename tag.');
    await expect(name).toHaveValue('Relatives');
    // Within an input method, as for Japanese, these keys end a word.
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    const sent: string[] = [];
    page.on('request', request => request.url().includes('renameTag') && sent.push(request.url()));
    await name.focus();
    for (const key of ['Enter', 'Escape'] as const) await pressInComposition(page, name, key);
    await expect(name).toHaveValue('Relatives');
    await name.press('Escape');
    await expect(page.getByRole('rowheader')).toHaveText(['family', 'friends']);
    expect(sent).toEqual([]);
  });
});

test('an admin who gives a tag the name of another one sees what merging them opens, and merges them', async ({
  page,
  people,
}) => {
  const admin = await people.admin(page);
  await publishForFriends(admin);
  const lucy = await people.member('lucy_w', { tags: ['friends'] });
  await people.member('mary', { tags: ['family'] });
  await admin.goto('/admin/tags');
  await admin.getByRole('button', { name: 'Rename friends' }).click();
  await admin.getByRole('textbox', { name: 'New name of friends' }).fill('Family');
  const merge = admin.getByRole('button', { name: 'Merge into “family”' });
  await merge.click();
  const dialog = admin.getByRole('alertdialog');
  await expect(dialog).toContainText(
    'Merge “friends” into “family”? 2 posts and 1 user with “friends” get “family” instead.',
  );
  await expect(dialog.getByRole('listitem')).toHaveText([
    '2 posts become visible to members: 2 members can read more than before.',
  ]);
  await expectAccessible(admin);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(admin.getByRole('rowheader')).toHaveCount(2);
  await merge.click();
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await expect(admin.getByText('friends was merged into family.')).toBeVisible();
  await expect(admin.getByRole('rowheader')).toHaveText(['family']);
  await expect(admin.getByRole('button', { name: 'Rename family' })).toBeFocused();
  await expect(admin.getByRole('link', { name: '2 posts: family' })).toBeVisible();
  await expect(admin.getByRole('link', { name: '2 users: family' })).toBeVisible();
  await lucy.goto('/');
  await expect(lucy.getByText('For friends,family')).toBeVisible();
  await admin.goto('/admin/history');
  await expect(admin.getByText('merged the tag “friends” into “family”')).toBeVisible();
});

test('the numbers of a tag lead to its posts and to the users who have it', async ({ page, people }) => {
  const admin = await people.admin(page);
  await publishForFriends(admin);
  await people.member('lucy_w', { tags: ['friends'] });
  await people.member('mary', { tags: ['family'] });
  await admin.goto('/admin/tags');
  await expect(admin.getByRole('row', { name: /^friends/ }).getByRole('link', { name: /draft/ })).toHaveCount(
    0,
  );
  await admin.getByRole('link', { name: '2 posts: friends' }).click();
  await expect(admin).toHaveURL('/admin/posts?tag=friends&filter=published');
  await expect(admin.getByRole('article')).toHaveCount(2);
  await admin.goBack();
  await admin.getByRole('link', { name: '1 user: friends' }).click();
  const users = admin.getByRole('region', { name: /^Approved Users/ });
  for (const open of [() => {}, () => admin.reload()]) {
    await open();
    await expect(admin.getByRole('searchbox', { name: 'Search users' })).toHaveValue('friends');
    await expect(users.getByRole('row', { name: /^lucy_w/ })).toBeVisible();
    await expect(users.getByRole('row', { name: /^mary/ })).toHaveCount(0);
  }
});

test('axe finds nothing on the page of tags', async ({ admin: page }) => {
  await publishForFriends(page);
  await page.goto('/admin/tags');
  await page.getByRole('button', { name: 'Rename friends' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete family' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectAccessible(page);
});
