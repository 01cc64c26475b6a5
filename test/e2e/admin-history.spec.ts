import { addAccount } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The history of rights, for admins. */

test('an admin reads who decided what, and narrows it by person, kind and day', async ({
  site,
  admin: page,
}) => {
  await publishForFriends(page);
  await addAccount(site, { username: 'lucy', name: 'Lucy Westenra', status: 'pending' });
  const { users } = await callFrom(page, 'getUsers', { list: 'pending' });
  const userId = users[0]?.id ?? '';
  await callFrom(page, 'approveUser', { userId, tags: ['friends'] });
  await callFrom(page, 'addTag', { name: 'rivers' });
  await page.goto('/admin');
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page).toHaveURL('/admin/history');
  await expect(page.getByRole('heading', { name: 'History', level: 1 })).toBeFocused();
  const entries = page.getByRole('rowheader');
  await expect(entries.first()).toHaveText('mina added the tag “rivers”.');
  await expect(entries.nth(1)).toHaveText('mina approved lucy with “friends”.');
  await expect(page.getByRole('row', { name: /approved lucy/ })).toContainText('browser, 127.0.0.1');
  await expectAccessible(page);

  await page.getByRole('textbox', { name: 'Person' }).fill('Luc');
  await page.getByRole('textbox', { name: 'Person' }).press('Enter');
  await expect(page).toHaveURL('/admin/history?person=Luc');
  await expect(entries).toHaveText(['mina approved lucy with “friends”.']);
  await expect(page.getByRole('textbox', { name: 'Person' })).toBeFocused();
  const what = page.getByRole('combobox', { name: 'What' });
  await expect(what.locator('optgroup')).toHaveCount(5);
  await what.selectOption('Added a tag');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('No entries match.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Show', exact: true })).toBeFocused();
  await page.goBack();
  await expect(entries).toHaveText(['mina approved lucy with “friends”.']);
  await expect(page.getByRole('combobox', { name: 'What' })).toHaveValue('');
  await page.getByRole('link', { name: 'Show all' }).press('Enter');
  await expect(entries.first()).toHaveText('mina added the tag “rivers”.');
  await expect(page.getByRole('textbox', { name: 'Person' })).toHaveValue('');
  await expect(page.getByRole('textbox', { name: 'Person' })).toBeFocused();
  await page.getByLabel('To').fill('2020-01-01');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('No entries match.')).toBeVisible();
});

test('a long history is read page after page, also without scripts', async ({ admin: page, people }) => {
  await publishForFriends(page);
  for (let index = 0; index < 60; index += 1) await callFrom(page, 'addTag', { name: `tag ${index}` });
  const storageState = await page.context().storageState();
  for (const reader of [page, await people.visitor({ javaScriptEnabled: false, storageState })]) {
    await reader.goto('/admin/history?kind=tag-added');
    await expect(reader.getByRole('rowheader')).toHaveCount(50);
    await expect(reader.getByRole('rowheader').first()).toHaveText('mina added the tag “tag 59”.');
    await reader.getByRole('link', { name: 'Older' }).click();
    await expect(reader.getByRole('rowheader').last()).toHaveText('mina added the tag “tag 0”.');
    await expect(reader.getByRole('rowheader')).toHaveCount(10);
    await reader.getByRole('link', { name: 'Newest' }).click();
    await expect(reader.getByRole('rowheader')).toHaveCount(50);
  }
});

test('the history leads from a change of tags to the post', async ({ admin: page }) => {
  const postId = await publishEssay(page, 'On buns', 'family');
  const changed = {
    type: 'essay',
    title: 'On buns',
    description: 'About buns.',
    content: 'Secret.',
  } as const;
  await callFrom(page, 'updatePost', { ...changed, postId, tags: ['surprise'], isDraft: false });
  await page.goto('/admin/history?kind=posts-retagged');
  await expect(page.getByRole('rowheader')).toHaveText([
    'mina changed the tags of 1 post: added “surprise” and took away “family”. Show the post',
  ]);
  await page.getByRole('link', { name: 'Show the post' }).click();
  await expect(page).toHaveURL(`/post/${postId}`);
  await expect(page.getByRole('heading', { name: 'On buns', level: 1 })).toBeVisible();
});
