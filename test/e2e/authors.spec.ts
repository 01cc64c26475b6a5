import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Authors write posts of their own (issue 16, point 5; decisions.md 36). */

test('a member is made an author, writes, edits and deletes what is theirs, and loses the role at once', async ({
  page,
  people,
}) => {
  await people.admin(page);
  await publishForFriends(page);
  const lucy = await people.member('lucy', { tags: ['friends'] });
  await lucy.goto('/');
  await expect(lucy.getByRole('link', { name: 'Posts', exact: true })).toHaveCount(0);

  await page.goto('/admin');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await page.getByRole('button', { name: 'Make author: lucy' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Make lucy an author?');
  await dialog.getByRole('button', { name: 'Make author' }).click();
  await expect(page.getByRole('row', { name: /^lucy/ })).toContainText('Author');

  // Her open page hears of it.
  await lucy.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(lucy).toHaveURL('/admin/posts');
  await expect(lucy.getByRole('navigation', { name: 'Administration' })).toHaveCount(0);
  await expect(lucy.getByRole('article')).toHaveCount(0);
  await lucy.getByRole('link', { name: 'Create New Post' }).click();
  await lucy.getByRole('textbox', { name: 'Content' }).fill('From Whitby, with love.');
  const tags = lucy.getByRole('combobox', { name: 'Tags' });
  await tags.fill('secret');
  await tags.press('Enter');
  // A tag of her own making is none here.
  await expect(lucy.getByRole('button', { name: 'Remove secret' })).toHaveCount(0);
  await tags.fill('friends');
  await tags.press('Enter');
  await expect(
    lucy.getByText('1 of 1 member approved for “friends”, and admins. Not visitors.'),
  ).toBeVisible();
  await expectAccessible(lucy);
  await lucy.getByRole('button', { name: 'Publish' }).click();
  await expect(lucy).toHaveURL('/admin/posts');
  await expect(lucy.getByRole('article')).toHaveCount(1);

  await lucy.getByRole('link', { name: 'Edit From Whitby, with love.' }).click();
  await lucy.getByRole('textbox', { name: 'Content' }).fill('From Whitby, with the regatta.');
  await lucy.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(lucy.getByRole('article')).toContainText('From Whitby, with the regatta.');
  // Somebody else's post opens in no editor of hers.
  const { posts } = await callFrom(page, 'getPosts', {});
  const others = posts.find(post => post.tags.length === 0)?.id ?? '';
  await lucy.goto(`/admin/posts/${others}/edit`);
  await expect(lucy).toHaveURL('/');

  await lucy.goto('/admin/posts');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await page.getByRole('button', { name: 'Remove author: lucy' }).click();
  await expect(dialog).toContainText('Their posts stay, and only admins can change them then.');
  await dialog.getByRole('button', { name: 'Remove author' }).click();
  await expect(lucy).toHaveURL('/');
  await expect(lucy.getByRole('link', { name: 'Posts', exact: true })).toHaveCount(0);
  await page.goto('/admin/history');
  await expect(page.getByText('mina made lucy an author.')).toBeVisible();
  await expect(page.getByText('mina made lucy a member.')).toBeVisible();
});
