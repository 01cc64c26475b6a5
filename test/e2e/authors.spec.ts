import { expectAccessible } from './axe.ts';
import { publishEssay, publishForFriends, publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

/** Authors write posts of their own (issue 16, point 5; decision 36). */

test('a member is made an author, writes, edits and deletes their own posts, and loses the role immediately', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const lucy = await people.member('lucy', { tags: ['friends'] });
  await lucy.goto('/');
  await expect(lucy.getByRole('link', { name: 'Posts', exact: true })).toHaveCount(0);

  await page.goto('/admin?list=approved');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  // Tags that were chosen before stay chosen.
  const family = page.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'family' });
  await family.click();
  await page.getByRole('button', { name: 'Make author: lucy' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Make lucy an author?');
  await dialog.getByRole('button', { name: 'Make author' }).click();
  await expect(page.getByRole('row', { name: /^lucy/ })).toContainText('Author');
  await expect(family).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Cancel editing lucy' }).click();

  // Her open page is updated.
  await lucy.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(lucy).toHaveURL('/admin/posts');
  await expect(lucy.getByRole('navigation', { name: 'Administration' })).toHaveCount(0);
  await expect(lucy.getByRole('article')).toHaveCount(0);
  await lucy.getByRole('link', { name: 'Create New Post' }).click();
  await lucy.getByRole('textbox', { name: 'Content' }).fill('From Whitby, with love.');
  const tags = lucy.getByRole('combobox', { name: 'Tags' });
  await tags.fill('friends');
  await tags.press('Enter');
  await expect(
    lucy.getByText('1 of 1 member approved for “friends”, and admins. Not visitors.', { exact: true }),
  ).toBeVisible();
  await expectAccessible(lucy);
  await lucy.getByRole('button', { name: 'Publish' }).click();
  await expect(lucy).toHaveURL('/admin/posts');
  await expect(lucy.getByRole('article')).toHaveCount(1);

  // From the page of the post, where she reads it.
  const edit = lucy.getByRole('link', { name: 'Edit', exact: true });
  await lucy.getByRole('link', { name: 'From Whitby, with love.', exact: true }).click();
  await expect(edit).toBeVisible();
  await expectAccessible(lucy);
  await edit.click();
  await lucy.getByRole('textbox', { name: 'Content' }).fill('From Whitby, with the regatta.');
  await lucy.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(lucy.getByRole('article')).toContainText('From Whitby, with the regatta.');
  // She cannot open somebody else's post in the editor.
  const { posts } = await callFrom(page, 'getPosts', {});
  const others = posts.find(post => post.tags.length === 0)?.id ?? '';
  await lucy.goto(`/post/${others}`);
  await expect(lucy.getByRole('button', { name: /^Like/ })).toBeVisible();
  await expect(edit).toHaveCount(0);
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

test('posts name their authors beside the date, to readers who may read posts of several', async ({
  admin: page,
  people,
}) => {
  await publishEssay(page, 'On rivers', 'water');
  await publishEssay(page, 'A rather long title about the way from Whitby to Exeter', 'friends', 'travels');
  const lucy = await people.member('lucy_westenra_whitby', { tags: ['friends'] });
  const { users } = await callFrom(page, 'getUsers', { list: 'approved', search: 'lucy' });
  await callFrom(page, 'setAuthor', { userId: users[0]?.id ?? '', isAuthor: true });
  await publishPost(lucy, 'The regatta is on Saturday.', ['friends']);
  await publishPost(page, 'An open note.');
  const mary = await people.member('mary', { tags: ['friends', 'travels', 'water'] });
  const visitor = await people.visitor();

  await mary.goto('/');
  const note = mary.getByRole('article').filter({ hasText: 'regatta' });
  await expect(note).toContainText('by lucy_westenra_whitby');
  await expect(mary.getByRole('article').filter({ hasText: 'An open note' })).toContainText('by mina');
  await expectAccessible(mary);
  await expectToFit(mary);
  await note.getByRole('link', { name: /\d{4}/ }).click();
  await expect(mary.getByRole('article')).toHaveCount(1);
  await expect(mary.getByRole('article')).toContainText('by lucy_westenra_whitby');
  await expectToFit(mary);
  await mary.goto('/tags/friends');
  await mary.getByRole('link', { name: /^A rather long title/ }).click();
  await expect(mary).toHaveURL(/\/post\//);
  await expect(mary.getByRole('article')).toHaveCount(1);
  await expect(mary.getByRole('article')).toContainText('by mina');
  await expect(mary.locator('meta[name="author"]')).toHaveCount(0);
  await mary.reload();
  await expect(mary.locator('meta[name="author"]')).toHaveAttribute('content', 'mina');
  await expectToFit(mary);
  await page.goto('/admin/posts');
  await expect(page.getByRole('article').filter({ hasText: 'regatta' })).toContainText('by lucy_westenra');
  await expectToFit(page);

  // It is the same for every reader: a visitor may read only mina's posts.
  await visitor.goto('/');
  await expect(visitor.getByRole('article')).toHaveCount(1);
  await expect(visitor.locator('.byline')).toContainText('by mina');
  // Not the initials of the full name, which is for those who read comments.
  await expect(visitor.locator('.byline .face')).toHaveText('M');
});
