import type { Page } from '@playwright/test';
import { postsRetaggedAtOnce } from '../../contract/constants.ts';
import { essay, shortPost } from '../support/factories.ts';
import { expectAccessible } from './axe.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The tags of several posts, changed in the list of posts. */

const bar = (page: Page) => page.getByRole('group', { name: 'Selected posts' });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Change tags' });
const tagIn = (page: Page, name: string) => dialogOf(page).getByRole('checkbox', { name, exact: true });

test('an admin opens posts of several pages to the family, sees what that does, and goes on with the same posts', async ({
  admin: page,
  people,
}) => {
  await callFrom(page, 'addTag', { name: 'family' });
  for (let index = 1; index <= 11; index += 1)
    await callFrom(page, 'createPost', essay({ title: `Summer ${index}`, tags: ['own'] }));
  await callFrom(page, 'createPost', shortPost('For all.'));
  const lucy = await people.member('lucy_w', { tags: ['family'] });
  await people.member('erna', { tags: ['own'] });
  await lucy.goto('/');
  await expect(lucy.getByText('Summer 11')).toHaveCount(0);

  await page.goto('/admin/posts');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.getByRole('button', { name: 'Select posts' }).click();
  const all = bar(page).getByRole('checkbox', { name: 'Select all 10 on this page' });
  await expect(all).toBeFocused();
  await expect(bar(page).getByRole('button', { name: 'Change tags' })).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Select For all.' }).check();
  await page.getByRole('checkbox', { name: 'Select Summer 11' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Next Page' }).click();
  await page.getByRole('checkbox', { name: 'Select Summer 1', exact: true }).check();
  await page.getByRole('searchbox', { name: 'Search posts' }).fill('summer 5');
  await page.getByRole('checkbox', { name: 'Select Summer 5' }).check();
  await page.getByRole('checkbox', { name: 'Select Summer 5' }).uncheck();
  await expect(bar(page).getByRole('status')).toHaveText('3 posts selected');

  await bar(page).getByRole('button', { name: 'Change tags' }).click();
  await expect(tagIn(page, 'own')).toHaveJSProperty('indeterminate', true);
  await expect(tagIn(page, 'own')).toHaveAccessibleDescription('2 of 3');
  await expect(tagIn(page, 'family')).not.toBeChecked();
  await expect(dialogOf(page).getByRole('button', { name: 'Save' })).toBeDisabled();
  // All of them, none of them, and as it was.
  await tagIn(page, 'own').click();
  await expect(tagIn(page, 'own')).toBeChecked();
  await expect(tagIn(page, 'own')).toHaveAccessibleDescription('added to 1');
  await tagIn(page, 'own').click();
  await expect(tagIn(page, 'own')).toHaveAccessibleDescription('taken from 2');
  const effects = dialogOf(page).getByRole('status').getByRole('listitem');
  await expect(effects).toHaveText([
    'None keeps “own”',
    '2 posts become visible to visitors',
    '2 posts have no tag any more: everybody can read them',
  ]);
  await tagIn(page, 'own').click();
  await expect(tagIn(page, 'own')).toHaveJSProperty('indeterminate', true);
  await expect(effects).toHaveCount(0);

  await tagIn(page, 'own').click();
  await tagIn(page, 'own').click();
  await tagIn(page, 'family').click();
  const told = [
    'All get “family”',
    'None keeps “own”',
    '1 post is no longer visible to visitors',
    '2 posts become visible to members: 1 member can read more than before',
    '3 posts are no longer visible to members: 1 member can read less than before',
  ];
  await expect(effects).toHaveText(told);
  await expectAccessible(page);
  const save = dialogOf(page).getByRole('button', { name: 'Save' });
  await save.click();
  const question = page.getByRole('alertdialog', { name: 'Change the tags of 3 posts?' });
  await expect(question.getByRole('listitem')).toHaveText(told);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(save).toBeFocused();
  await save.click();
  await question.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The tags of 3 posts were changed.')).toBeVisible();
  await expect(dialogOf(page)).toHaveCount(0);
  await expect(bar(page).getByRole('button', { name: 'Change tags' })).toBeFocused();
  await expect(bar(page).getByRole('status')).toHaveText('3 posts selected');
  await lucy.goto('/');
  await expect(lucy.getByText('Summer 11')).toBeVisible();

  // The admin can go on with them.
  await bar(page).getByRole('button', { name: 'Change tags' }).click();
  await expect(tagIn(page, 'family')).toBeChecked();
  await expect(tagIn(page, 'own')).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page)).toHaveCount(0);
  await bar(page).getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('button', { name: 'Select posts' })).toBeFocused();
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.goto('/admin/history');
  await expect(
    page.getByText('changed the tags of 3 posts: added “family” and took away “own”'),
  ).toBeVisible();
});

test('drafts are changed without a question, by the keyboard alone, and a field finds one of many tags', async ({
  admin: page,
}) => {
  for (let index = 1; index <= 14; index += 1) await callFrom(page, 'addTag', { name: `tag ${index}` });
  await callFrom(page, 'createPost', { ...essay({ title: 'On rivers', tags: ['tag 1'] }), isDraft: true });
  await page.goto('/admin/posts');
  await page.getByRole('button', { name: 'Select posts' }).focus();
  await page.keyboard.press('Enter');
  await expect(bar(page).getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const field = dialogOf(page).getByRole('searchbox', { name: 'Find a tag' });
  await expect(field).toBeVisible();
  await field.focus();
  await page.keyboard.type('TAG 12');
  await expect(dialogOf(page).getByRole('checkbox')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(field).toHaveValue('');
  await page.keyboard.type('1');
  await page.keyboard.press('Tab');
  await expect(tagIn(page, 'tag 1')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(dialogOf(page).getByRole('listitem').filter({ hasText: 'draft' })).toHaveText(
    '1 draft has no tag any more: everybody can read it once it is published',
  );
  await expect(dialogOf(page).getByText('Nobody can read more or less than before')).toBeVisible();
  await dialogOf(page).getByRole('button', { name: 'Save' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('The tags of 1 post were changed.')).toBeVisible();
  await expect(bar(page).getByRole('button', { name: 'Change tags' })).toBeFocused();
});

test.describe(() => {
  test.use({ allowedErrors: [/409|503/] });

  test('a change that opens more than its admin has seen is refused and shown anew, and a deleted post is left out', async ({
    admin: page,
  }) => {
    const { post: one } = await callFrom(page, 'createPost', essay({ title: 'One', tags: ['own'] }));
    const draft = { ...essay({ title: 'Two', tags: ['own'] }), isDraft: true };
    const { post: two } = await callFrom(page, 'createPost', draft);
    await page.goto('/admin/posts');
    await page.getByRole('button', { name: 'Select posts' }).click();
    await bar(page).getByRole('checkbox', { name: 'Select all 2 on this page' }).check();
    await bar(page).getByRole('button', { name: 'Change tags' }).click();
    await tagIn(page, 'own').click();
    const visible = (posts: string) => dialogOf(page).getByText(`${posts} visible to visitors`);
    await expect(visible('1 post becomes')).toBeVisible();
    await callFrom(page, 'updatePost', { ...essay({ title: 'Two', tags: ['own'] }), postId: two.id });
    const save = async () => {
      await dialogOf(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click();
    };
    await save();
    await expect(dialogOf(page).getByRole('alert')).toHaveText(
      'Failed to change the tags. What the change opens and closes has changed in the meantime. Look at it again.',
    );
    await expect(visible('2 posts become')).toBeVisible();
    await page.route('**/api/retagPosts', route =>
      route.fulfill({ status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } }),
    );
    await save();
    await expect(dialogOf(page).getByRole('alert')).toHaveText('Failed to change the tags. Not now.');
    await page.unroute('**/api/retagPosts');
    await dialogOf(page).getByRole('button', { name: 'Cancel' }).click();
    await callFrom(page, 'deletePost', { postId: one.id });
    await bar(page).getByRole('button', { name: 'Change tags' }).click();
    await expect(tagIn(page, 'own')).toHaveAccessibleDescription('all');
    await tagIn(page, 'own').click();
    await expect(visible('1 post becomes')).toBeVisible();
    await save();
    await expect(page.getByText('The tags of 1 post were changed.')).toBeVisible();
  });
});

test('more posts than are changed at once can be selected and not changed', async ({ admin: page }) => {
  for (let index = 1; index <= 11; index += 1)
    await callFrom(page, 'createPost', shortPost(`Note ${index}.`));
  const { posts } = await callFrom(page, 'listPosts', {});
  const [post] = posts;
  // After the first page, which the server renders.
  await page.route('**/api/listPosts', async route => {
    const { data } = route.request().postDataJSON() as { data: { page: number } };
    const ten = Array.from({ length: 10 }, (_, index) => ({ ...post, id: `p${data.page}-${index}` }));
    await route.fulfill({
      json: { result: { posts: ten, hasNextPage: true, total: 500, authors: [], deletedTags: [] } },
    });
  });
  await page.goto('/admin/posts');
  await page.getByRole('button', { name: 'Select posts' }).click();
  await page.getByRole('button', { name: 'Next Page' }).click();
  for (let number = 2; number <= 22; number += 1) {
    await expect(page.getByText(`Page ${number}`, { exact: true })).toBeVisible();
    const all = bar(page).getByRole('checkbox', { name: 'Select all 10 on this page' });
    await expect(all).not.toBeChecked();
    await all.check();
    await page.getByRole('button', { name: 'Next Page' }).click();
  }
  await expect(bar(page).getByRole('status')).toHaveText(
    `210 posts selected; at most ${postsRetaggedAtOnce} are changed at once`,
  );
  await expect(bar(page).getByRole('button', { name: 'Change tags' })).toBeDisabled();
});

test('authors select no posts', async ({ admin: page, people }) => {
  const author = await people.member('erna');
  const { users } = await callFrom(page, 'getUsers', { list: 'approved' });
  await callFrom(page, 'setAuthor', { userId: users[0]?.id ?? '', isAuthor: true });
  await callFrom(author, 'createPost', shortPost('A note.'));
  await author.goto('/admin/posts');
  await expect(author.getByRole('article')).toHaveCount(1);
  await expect(author.getByRole('button', { name: 'Select posts' })).toHaveCount(0);
});

test.describe(() => {
  test.use({ viewport: { width: 390, height: 740 }, isMobile: true, hasTouch: true });

  test('on a phone the tags of two posts are changed, and Back closes the dialog', async ({
    admin: page,
  }) => {
    await callFrom(page, 'addTag', { name: 'family' });
    for (const title of ['One', 'Two']) await callFrom(page, 'createPost', essay({ title, tags: ['own'] }));
    await page.goto('/admin/posts');
    await page.getByRole('button', { name: 'Select posts' }).tap();
    await page.getByRole('checkbox', { name: 'Select One' }).tap();
    await page.getByRole('checkbox', { name: 'Select Two' }).tap();
    await bar(page).getByRole('button', { name: 'Change tags' }).tap();
    await expect(tagIn(page, 'family')).toBeVisible();
    await page.goBack();
    await expect(dialogOf(page)).toHaveCount(0);
    await expect(bar(page).getByRole('status')).toHaveText('2 posts selected');
    await bar(page).getByRole('button', { name: 'Change tags' }).tap();
    await tagIn(page, 'family').tap();
    await dialogOf(page).getByRole('button', { name: 'Save' }).tap();
    await expect(page.getByText('The tags of 2 posts were changed.')).toBeVisible();
    await expect(page.getByRole('article').first().getByRole('list', { name: 'Tags' })).toContainText(
      'family',
    );
  });
});
