import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { openList, publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

test('an admin decides about many users together, is told who gets which tags, and undoes decisions', async ({
  site,
  admin: page,
  people,
  allowedErrors,
}) => {
  await publishForFriends(page);
  const lucy = await people.member('lucy', { status: 'pending' });
  for (const username of ['arthur', 'quincey', 'renfield'])
    await people.member(username, { status: 'pending' });
  withDatabase(site, db => {
    db.prepare(`update users set introduction = 'A friend of <b>Mina</b>.' where username = 'lucy'`).run();
  });
  expect(await site.cli('user', 'list', '--status', 'pending')).toMatch(
    /^lucy\t.*\t“A friend of <b>Mina<\/b>\.”$/m,
  );
  await page.goto('/admin');
  const pending = page.getByRole('region', { name: /^Pending Users/ });
  await expect(pending.getByRole('row', { name: /lucy/ })).toContainText('“A friend of <b>Mina</b>.”');
  const approve = pending.getByRole('button', { name: 'Approve selected' });
  await expect(approve).toBeDisabled();
  const choose = (username: string, tag: string) =>
    pending
      .getByRole('list', { name: `Tags for ${username}` })
      .getByRole('button', { name: tag })
      .click();
  await choose('lucy', 'friends');
  await choose('arthur', 'friends');
  await pending.getByRole('checkbox', { name: 'Select all 4 on this page' }).check();
  await pending.getByRole('checkbox', { name: 'Select renfield' }).uncheck();
  await expect(pending.getByText('3 selected')).toBeVisible();
  await approve.click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('Approve 3 users?');
  await expect(dialog.getByRole('listitem')).toHaveText([
    'lucy and arthur: friends',
    'quincey: no tags of their own',
  ]);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 1');
  await expect(pending.getByRole('heading')).toBeFocused();
  await expect(pending.getByRole('row', { name: /arthur/ })).toContainText(
    'arthur is approved with “friends”.',
  );
  await lucy.goto('/');
  await expect(lucy.locator('article')).toHaveCount(2);

  await pending.getByRole('button', { name: 'Undo: lucy' }).press('Enter');
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 2');
  await expect(pending.getByRole('button', { name: 'Approve lucy' })).toBeFocused();
  await expect(pending.getByRole('row', { name: /lucy/ })).toContainText('“A friend of <b>Mina</b>.”');
  // The tags chosen for her are still chosen.
  await expect(pending.getByRole('list', { name: 'Tags for lucy' })).toContainText('friends');
  await expect(
    pending.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'friends' }),
  ).toHaveAttribute('aria-pressed', 'true');
  await lucy.goto('/');
  await expect(lucy.locator('article')).toHaveCount(1);

  const denyAll = async () => {
    await pending.getByRole('checkbox', { name: 'Select all 2 on this page' }).check();
    await pending.getByRole('button', { name: 'Deny selected' }).click();
    await expect(dialog).toContainText('Deny 2 users?');
    await expect(dialog.getByRole('listitem')).toHaveText(['lucy and renfield']);
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await expect(pending.getByRole('heading')).toHaveText('Pending Users 0');
    // The toast stays while it is pointed at.
    await page.getByRole('button', { name: 'Undo all' }).hover();
  };
  await denyAll();
  await page.getByRole('button', { name: 'Undo all' }).click();
  await expect(page.getByText('2 decisions are undone.')).toBeVisible();
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 2');
  await denyAll();
  // Somebody else's later decision is not undone.
  allowedErrors.push(/status of 409 .*undoDecision$/);
  await site.cli('user', 'approve', 'renfield');
  await page.getByRole('button', { name: 'Undo all' }).click();
  await expect(page.getByText('Failed to undo the decision about renfield.')).toBeVisible();
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 1');
  // It stays also after an action that shows no toast.
  await pending.getByRole('button', { name: 'Approve lucy' }).click();
  await expect(pending.getByRole('button', { name: 'Undo: lucy' })).toHaveAttribute('aria-busy', 'false');
  await expect(page.getByText('Failed to undo the decision about renfield.')).toBeVisible();
  await page.goto('/admin/history');
  await expect(page.getByText('mina undid the decision about lucy, who waits again.')).toHaveCount(3);
  await expect(page.getByText('mina denied renfield.')).toHaveCount(2);
});

test('an admin chooses tags for several users together, and what only some of them have stays', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  await callFrom(page, 'addTag', { name: 'rivers' });
  for (const username of ['lucy', 'arthur', 'quincey']) await people.member(username, { status: 'pending' });
  await page.goto('/admin');
  const pending = page.getByRole('region', { name: /^Pending Users/ });
  const tags = (of: string) => pending.getByRole('list', { name: `Tags for ${of}` }).getByRole('button');
  await tags('lucy').filter({ hasText: 'rivers' }).click();
  await pending.getByRole('checkbox', { name: 'Select lucy' }).check();
  for (const tag of await tags('all selected').all()) await expect(tag).toBeDisabled();
  await pending.getByRole('checkbox', { name: 'Select arthur' }).check();
  await tags('all selected').filter({ hasText: 'friends' }).click();
  await expect(tags('all selected').and(page.locator('[aria-pressed=true]'))).toHaveText(['friends']);
  // Announced once for all of them, not for each.
  const effect = pending.locator('.effect');
  await expect(effect.filter({ hasText: /./ })).toHaveText([
    'All 2 selected users get “friends”; their rows show what becomes visible',
    '1 post becomes visible to lucy',
    '1 post becomes visible to arthur',
  ]);
  await expect(effect.and(pending.getByRole('status'))).toHaveCount(1);
  await expectAccessible(page);
  await pending.getByRole('button', { name: 'Approve selected' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByRole('listitem')).toHaveText(['lucy: friends and rivers', 'arthur: friends']);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await tags('all selected').filter({ hasText: 'friends' }).click();
  await expect(effect.and(pending.getByRole('status'))).toBeEmpty();
  await expect(tags('lucy').and(page.locator('[aria-pressed=true]'))).toHaveText(['rivers']);
  await expect(tags('arthur').and(page.locator('[aria-pressed=true]'))).toHaveCount(0);
});

test('a second click on Approve does not approve another user', async ({ admin: page, people }) => {
  await publishForFriends(page);
  for (const username of ['lucy', 'arthur', 'quincey']) await people.member(username, { status: 'pending' });
  await page.goto('/admin');
  const pending = page.getByRole('region', { name: /^Pending Users/ });
  const first = pending.getByRole('button', { name: /^Approve (?!selected)/ }).first();
  const box = await first.boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  // It is shown before it is stored.
  const approved = page.waitForResponse('**/api/approveUser');
  await page.mouse.click(x, y);
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 2');
  await page.mouse.click(x, y);
  await page.mouse.click(x, y);
  await approved;
  await page.reload();
  await openList(page, 'Approved');
  await expect(page.getByRole('region', { name: /^Approved Users/ }).getByRole('heading')).toHaveText(
    'Approved Users 1',
  );
  await openList(page, 'Pending');
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 2');
});
