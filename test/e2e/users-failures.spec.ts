import { openList, publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Failures of user management: specification section 8; decision 20. */

test.use({ allowedErrors: [[/status of 40[09]/, /ERR_FAILED/], { scope: 'test' }] });

test('a failure is reported in one sentence until it is dismissed, and the list is corrected', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await people.member('lucy', { status: 'pending' });
  await page.goto('/admin');
  const pending = page.getByRole('region', { name: /^Pending Users/ });
  const { users } = await callFrom(page, 'getUsers', { list: 'pending' });
  const userId = users[0]?.id ?? '';

  await page.route('**/api/approveUser', route => route.abort());
  await pending.getByRole('button', { name: 'Approve lucy' }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Failed to approve lucy. The server cannot be reached.');
  await expect(pending.getByRole('row', { name: /lucy/ })).toBeVisible();
  // On a screen with room for a part of the page: what the admin reads stays where it is.
  const screen = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ ...screen, height: 300 });
  await page.evaluate(() => window.scrollTo(0, 0));
  await alert.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await expect(alert).toHaveCount(0);
  await expect(page.getByRole('main')).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await page.setViewportSize(screen);
  await page.unroute('**/api/approveUser');

  // Another admin decides first.
  await callFrom(page, 'denyUser', { userId });
  await pending.getByRole('button', { name: 'Approve lucy' }).click();
  await expect(alert).toContainText('Failed to approve lucy. Somebody else has denied lucy in the meantime.');
  await openList(page, 'Denied');
  await expect(page.getByRole('region', { name: /^Denied Users/ })).toContainText('lucy');

  await callFrom(page, 'approveUser', { userId, tags: [] });
  await page.goto('/admin?list=approved');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await page.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'family' }).click();
  await callFrom(page, 'setApprovedTags', { userId, tags: ['friends'] });
  await page.getByRole('button', { name: 'Save lucy' }).click();
  await expect(alert).toContainText(
    'Failed to save the tags for lucy. Somebody else has changed the tags of lucy in the meantime.',
  );
  // The chosen tags stay, to be saved again.
  const tags = page.getByRole('list', { name: 'Tags for lucy' });
  await expect(tags.getByRole('button', { name: 'family' })).toHaveAttribute('aria-pressed', 'true');
  // The list is busy until it has been loaded again.
  await expect(page.getByRole('button', { name: 'Save lucy' })).toHaveText('Save');
  await page.route('**/api/setApprovedTags', route => route.abort());
  await page.getByRole('button', { name: 'Save lucy' }).click();
  await expect(alert).toContainText('Failed to save the tags for lucy. The server cannot be reached.');
  await expect(tags.getByRole('button', { name: 'family' })).toHaveAttribute('aria-pressed', 'true');
  await page.unroute('**/api/setApprovedTags');
  await expect(page.getByRole('button', { name: 'Save lucy' })).toHaveText('Save');
  await page.getByRole('button', { name: 'Save lucy' }).click();
  await expect(page.getByRole('row', { name: /^lucy/ }).getByText('family', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit lucy' })).toBeFocused();

  await page.route('**/api/setDefaultTags', route => route.abort());
  const defaults = page.getByRole('region', { name: 'Default Permissions' });
  await defaults.getByRole('button', { name: 'friends' }).click();
  await defaults.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Open' }).click();
  await expect(alert).toContainText('Failed to save the default permissions.');
  await expect(defaults.getByRole('button', { name: 'friends' })).toHaveAttribute('aria-pressed', 'true');
});

test('a list that could not be loaded keeps its tab, and says so below it', async ({ admin: page }) => {
  await page.goto('/admin');
  const tab = page.getByRole('navigation', { name: 'Users by state' }).getByRole('link', { name: /^Denied/ });
  await expect(tab).toHaveCount(0);
  await page.route('**/api/getUsers', route =>
    route.request().postData()?.includes('denied') ? route.abort() : route.fallback(),
  );
  await page.getByRole('searchbox', { name: 'Search users' }).fill('lucy');
  await tab.click();
  await expect(page.getByRole('region', { name: /^Denied Users/ })).toContainText(
    'Failed to load this list.',
  );
});

test('an approval gives no tag that another admin has taken meanwhile, also to several users together', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const ids = new Map<string, string>();
  const take = (username: string) =>
    callFrom(page, 'setApprovedTags', { userId: ids.get(username) ?? '', tags: [] });
  for (const username of ['lucy', 'arthur', 'quincey'])
    await people.member(username, { status: 'pending', tags: ['friends'] });
  const { users } = await callFrom(page, 'getUsers', { list: 'pending' });
  for (const { username, id } of users) ids.set(username, id);
  await page.goto('/admin');
  const pending = page.getByRole('region', { name: /^Pending Users/ });
  const alert = page.getByRole('alert');
  const tagOf = (username: string, tag: string) =>
    pending.getByRole('list', { name: `Tags for ${username}` }).getByRole('button', { name: tag });

  await tagOf('lucy', 'family').click();
  await take('lucy');
  await pending.getByRole('button', { name: 'Approve lucy' }).click();
  await expect(alert).toContainText('Somebody else has changed the tags of lucy in the meantime.');
  // What was chosen before is not added to what was changed: the row shows the tags of the account.
  for (const tag of ['friends', 'family'])
    await expect(tagOf('lucy', tag)).toHaveAttribute('aria-pressed', 'false');

  await take('arthur');
  await pending.getByRole('checkbox', { name: /^Select all 3/ }).check();
  await pending.getByRole('button', { name: 'Approve selected' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expect(alert).toContainText(
    'Failed to approve arthur. Somebody else has changed the tags of arthur in the meantime.',
  );
  const { users: approved } = await callFrom(page, 'getUsers', { list: 'approved' });
  expect(approved.map(({ username, approvedTags }) => [username, approvedTags])).toEqual([
    ['lucy', []],
    ['quincey', ['friends']],
  ]);
});

test('what got the name of another tag meanwhile is given to nobody in its place', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  for (const username of ['lucy', 'quincey']) await people.member(username, { status: 'pending' });
  await people.member('arthur');
  const { tags } = await callFrom(page, 'getManagedTags', {});
  const rename = (name: string, to: string) =>
    callFrom(page, 'renameTag', { tagId: tags.find(tag => tag.name === name)?.id ?? '', name: to });
  await page.goto('/admin?list=approved');
  await page.getByRole('button', { name: 'Edit arthur' }).click();
  await rename('family', 'relatives');
  await rename('friends', 'family');
  const alert = page.getByRole('alert');
  const choose = (label: string) =>
    page.getByRole('list', { name: label }).getByRole('button', { name: 'family' }).click();
  const expectRefusal = async () => {
    await expect(alert).toContainText('The tag “family” has been renamed in the meantime.');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
  };
  await choose('Tags for arthur');
  await page.getByRole('button', { name: 'Save arthur' }).click();
  await expectRefusal();
  await choose('Default permissions');
  await page
    .getByRole('region', { name: 'Default Permissions' })
    .getByRole('button', { name: 'Save' })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Open' }).click();
  await expectRefusal();
  await openList(page, 'Pending');
  await choose('Tags for lucy');
  await page.getByRole('button', { name: 'Approve lucy' }).click();
  await expectRefusal();
  await page.getByRole('checkbox', { name: 'Select lucy' }).check();
  await page.getByRole('button', { name: 'Approve selected' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Approve' }).click();
  await expectRefusal();

  await page.goto('/admin/invitations');
  await choose('Tags that they may read');
  await rename('friends', 'choir');
  await rename('family', 'family');
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(alert).toContainText('The tag “family” has been renamed in the meantime.');
});

test('tags that are loaded again while an admin edits undo nothing that another admin has done meanwhile', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await people.member('lucy', { tags: ['friends'] });
  await people.member('arthur', { status: 'pending' });
  await page.goto('/admin?list=approved');
  const alert = page.getByRole('alert');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await page.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'family' }).click();
  const lucy = async () => (await callFrom(page, 'getUsers', { list: 'approved', search: 'lucy' })).users[0];
  await callFrom(page, 'setApprovedTags', { userId: (await lucy())?.id ?? '', tags: [] });
  // A failure loads the lists again.
  await page.route('**/api/denyUser', route => route.abort());
  await openList(page, 'Pending');
  await page.getByRole('button', { name: 'Deny arthur' }).click();
  await expect(alert).toContainText('Failed to deny arthur.');
  await openList(page, 'Approved');
  await expect(page.getByText('2 posts become visible to lucy')).toBeVisible();
  const save = page.getByRole('button', { name: 'Save lucy' });
  await save.click();
  await expect(alert).toContainText('Somebody else has changed the tags of lucy in the meantime.');
  expect((await lucy())?.approvedTags).toEqual([]);
  await expect(save).toHaveText('Save');

  // Who has read that may replace that change, but no later one.
  await callFrom(page, 'setApprovedTags', { userId: (await lucy())?.id ?? '', tags: ['friends'] });
  await openList(page, 'Pending');
  await page.getByRole('button', { name: 'Deny arthur' }).click();
  await expect(alert).toContainText('Failed to deny arthur.');
  await openList(page, 'Approved');
  await expect(page.getByText('1 post becomes visible to lucy')).toBeVisible();
  await save.click();
  await expect(alert).toContainText('Somebody else has changed the tags of lucy in the meantime.');
  expect((await lucy())?.approvedTags).toEqual(['friends']);
  await expect(save).toHaveText('Save');
  await save.click();
  await expect(page.getByText('Full lucy may now read “family”.')).toBeAttached();

  const defaults = page.getByRole('region', { name: 'Default Permissions' });
  await defaults.getByRole('button', { name: 'family' }).click();
  await callFrom(page, 'setDefaultTags', { tags: ['friends'] });
  await page.route('**/api/setDefaultTags', route => route.abort());
  const saveDefaults = defaults.getByRole('button', { name: 'Save' });
  await saveDefaults.click();
  await expect(alert).toContainText('The server cannot be reached.');
  await page.unroute('**/api/setDefaultTags');
  // The tags are loaded again before the button takes another press.
  await expect(saveDefaults).toHaveAttribute('aria-busy', 'false');
  await saveDefaults.click();
  await expect(alert).toContainText('Somebody else has changed the default tags in the meantime.');
  expect((await callFrom(page, 'getDefaultTags', {})).tags).toEqual(['friends']);
});
