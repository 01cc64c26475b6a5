import { addAccount, startSession } from './accounts.ts';
import { publishForFriends } from './content.ts';
import { text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { kept, newPost, posts, pressOffline, publish, published, waiting } from './unsent-posts.ts';

/** Posts that waited in the browser, and whose author lost a right meanwhile or is another person. */

test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/] });

test.describe(() => {
  test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|403/] });

  test('a post is sent with the rights of that moment; one that is refused says why and is opened', async ({
    people,
  }) => {
    const mina = await people.admin();
    await publishForFriends(mina);
    const lucy = await people.member('lucy', { tags: ['friends'] });
    const { users } = await callFrom(mina, 'getUsers', { list: 'approved', search: 'lucy' });
    const userId = users[0]?.id ?? '';
    await callFrom(mina, 'setAuthor', { userId, isAuthor: true });
    await lucy.goto(newPost);
    const tags = lucy.getByRole('combobox', { name: 'Tags' });
    await tags.fill('friends');
    await tags.press('Enter');
    await write(lucy, 'From Whitby.');
    await lucy.context().setOffline(true);
    await publish(lucy).click();
    await expect(waiting(lucy)).toContainText('From Whitby.');
    await callFrom(mina, 'setApprovedTags', { userId, tags: [] });
    await lucy.goto('about:blank');
    await lucy.context().setOffline(false);
    await lucy.goto('/');
    const toast = lucy.getByRole('status').filter({ hasText: 'Your post was not published.' });
    await expect(toast).toContainText('friends');
    await toast.getByRole('link', { name: 'Open it' }).click();
    await expect(lucy).toHaveURL(new RegExp(`${newPost}#`));
    await expect(text(lucy)).toHaveText('From Whitby.');
    await expect(toast).toBeVisible();
    await lucy.getByRole('button', { name: 'Remove friends' }).click();
    await publish(lucy).click();
    await expect(lucy).toHaveURL('/admin/posts');
    expect(await posts(lucy)).toEqual(['From Whitby.']);
    await expect.poll(() => kept(lucy)).toEqual([]);
  });

  test('a post of somebody who is no longer an author is not published, and says so', async ({
    page,
    people,
  }) => {
    const mina = await people.admin(page);
    const lucy = await people.member('lucy');
    const { users } = await callFrom(mina, 'getUsers', { list: 'approved', search: 'lucy' });
    const userId = users[0]?.id ?? '';
    await callFrom(mina, 'setAuthor', { userId, isAuthor: true });
    await pressOffline(lucy, 'From Whitby.');
    await callFrom(mina, 'setAuthor', { userId, isAuthor: false });
    await lucy.goto('about:blank');
    await lucy.context().setOffline(false);
    await lucy.goto('/');
    const toast = lucy.getByRole('status').filter({ hasText: 'Your post was not published.' });
    await expect(toast).toBeVisible();
    await expect(toast.getByRole('link', { name: 'Open it' })).toHaveCount(0);
    expect(await posts(mina)).toEqual([]);
  });
});

test('a post that waits is sent for its author alone, and is gone when it is deleted at logout', async ({
  admin: page,
  site,
}) => {
  const context = page.context();
  await pressOffline(page, 'From the train.');
  await page.goto('about:blank');
  await context.setOffline(false);
  await addAccount(site, { username: 'quincey', name: 'Quincey Morris', isAdmin: true });
  await startSession(site, context, 'quincey');
  await page.goto(newPost);
  await expect(publish(page)).toBeVisible();
  await expect(waiting(page)).toHaveCount(0);
  expect(await posts(page)).toEqual([]);
  await startSession(site, context, 'mina');
  await page.goto('/');
  await expect(published(page)).toBeVisible();

  await pressOffline(page, 'Another.');
  await context.setOffline(false);
  await expect(waiting(page)).toHaveCount(0);
  await page.route('**/api/createPost', route => route.abort());
  await pressOffline(page, 'Never mind.');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect.poll(() => kept(page)).toEqual([]);
  await page.unroute('**/api/createPost');
  await startSession(site, context, 'mina');
  await page.goto('/admin/posts');
  await expect(page.getByRole('article')).toHaveCount(2);
});
