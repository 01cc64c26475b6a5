import { decide } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { pressInComposition } from './composition.ts';
import { openList, publishForFriends } from './content.ts';
import { callFrom, expect, signIn, test } from './fixtures.ts';

/**
 * User management: specification sections 2 ("/admin"), 4 (user approval), 6 (guards); decisions 6, 9, 20.
 */

const list = (name: RegExp) => ({ name });

test('an admin approves with tags chosen in the row, denies, revokes, and approves after all', async ({
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const lucy = await people.member('lucy', { status: 'pending' });
  await people.member('arthur', { status: 'pending' });
  await page.goto('/');
  await page.getByRole('link', { name: 'Admin' }).click();
  await expect(page).toHaveURL('/admin');
  await expect(page).toHaveTitle('Users · Coterie');
  const admin = page.getByRole('navigation', { name: 'Administration' });
  await expect(admin.getByRole('link')).toHaveText([
    'Users 2 waiting for approval',
    'Invitations',
    'Posts',
    'Tags',
    'Comments',
    'Settings',
    'Mail',
    'Webhooks',
    'Backups',
    'Import & Export',
    'History',
    'System',
  ]);
  await expect(admin.getByRole('link', { name: 'Users' })).toHaveAttribute('aria-current', 'page');

  const pending = page.getByRole('region', list(/^Pending Users/));
  const approved = page.getByRole('region', list(/^Approved Users/));
  const denied = page.getByRole('region', list(/^Denied Users/));
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 2');
  await openList(page, 'Approved');
  await expect(page).toHaveURL('/admin?list=approved');
  await expect(approved).toContainText('No approved users yet.');
  await page.goBack();
  await expect(pending.getByRole('row', { name: /lucy/ })).toContainText('lucy@example.com');
  await expect(pending.getByRole('row', { name: /lucy/ })).toContainText('Full lucy');

  const tags = pending.getByRole('list', { name: 'Tags for lucy' });
  await tags.getByRole('button', { name: 'friends' }).click();
  await expect(pending.getByText('1 post becomes visible to lucy')).toBeVisible();
  await tags.getByRole('button', { name: 'family' }).click();
  await expect(pending.getByText('2 posts become visible to lucy')).toBeVisible();
  // It is shown before it is stored, and undone only then.
  const isShown = Promise.withResolvers<void>();
  await page.route('**/api/approveUser', async route => {
    await isShown.promise;
    await route.continue();
  });
  const stored = page.waitForResponse('**/api/approveUser');
  await pending.getByRole('button', { name: 'Approve lucy' }).click();
  await pending.getByRole('button', { name: 'Undo: lucy' }).dispatchEvent('click');
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 1');
  isShown.resolve();
  await stored;
  await page.unroute('**/api/approveUser');
  // The decision is shown in her place, so the next user does not move under the pointer.
  await expect(pending.getByRole('row', { name: /lucy/ })).toContainText(
    'lucy is approved with “family” and “friends”.',
  );
  await expect(page.locator('.toast')).toHaveCount(0);
  await expect(pending.getByRole('button', { name: 'Approve arthur' })).toBeVisible();
  await lucy.goto('/');
  await expect(lucy.locator('article')).toHaveCount(3);

  // The focus stays in her row, too, so pressing Enter again decides about nobody else.
  await expect(
    pending.getByRole('cell', { name: 'lucy is approved with “family” and “friends”.' }),
  ).toBeFocused();
  await page.keyboard.press('Enter');
  await pending.getByRole('button', { name: 'Deny arthur', exact: true }).press('Enter');
  await expect(pending).toContainText('arthur is denied.');
  await expect(pending.getByRole('heading')).toHaveText('Pending Users 0');
  await openList(page, 'Denied 1');
  await expect(denied.getByRole('row', { name: /arthur/ })).toBeVisible();
  await denied.getByRole('button', { name: 'Approve arthur', exact: true }).click();
  await expect(denied).toContainText('arthur is approved, with no tags of their own.');
  await openList(page, 'Approved');
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 2');
  await expect(approved.getByRole('row', { name: /lucy/ })).toContainText('family, friends');

  await approved.getByRole('button', { name: 'Revoke lucy' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Revoke the approval of lucy?');
  await page.keyboard.press('Escape');
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 2');
  await approved.getByRole('button', { name: 'Revoke lucy' }).click();
  const revoked = page.waitForResponse('**/api/denyUser');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 1');
  await revoked;
  await lucy.goto('/');
  await expect(lucy.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(lucy.locator('article')).toHaveCount(1);

  await page.reload();
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 1');
  await openList(page, 'Denied');
  await expect(denied.getByRole('row', { name: /lucy/ })).toContainText('2 posts become visible to lucy');
});

test('an admin edits the tags of a member and the default permissions, and sees the effect before saving', async ({
  site,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const lucy = await people.member('lucy', { status: 'pending' });
  decide(site, 'lucy', 'approved');
  await page.goto('/admin?list=approved');
  await page.getByRole('button', { name: 'Edit lucy' }).click();
  // What acts at once stands apart from Save and Cancel.
  const further = page.locator('.editing .further').getByRole('button');
  await expect(further).toHaveText(['Make author', 'Mute', 'Make admin']);
  const tags = page.getByRole('list', { name: 'Tags for lucy' });
  await tags.getByRole('button', { name: 'friends' }).click();
  await expect(page.getByText('1 post becomes visible to lucy')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Edit lucy' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tags.getByRole('button', { name: 'friends' }).click();
  await page.getByRole('button', { name: 'Save lucy' }).click();
  await expect(page.getByText('Full lucy may now read “friends”.')).toBeAttached();
  await lucy.goto('/');
  await expect(lucy.locator('article')).toHaveCount(2);

  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await tags.getByRole('button', { name: 'friends' }).click();
  await page.getByRole('button', { name: 'Save lucy' }).click();
  const row = page.getByRole('row', { name: /^lucy/ });
  await expect(row).toContainText('No approved tags');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Full lucy has the tags of before.')).toBeVisible();
  await expect(row).toContainText('friends');
  await lucy.goto('/');
  await expect(lucy.locator('article')).toHaveCount(2);

  const defaults = page.getByRole('region', { name: 'Default Permissions' });
  await defaults.getByRole('button', { name: 'family' }).click();
  await expect(defaults).toContainText('1 post becomes visible to some members');
  await defaults.getByRole('button', { name: 'friends' }).click();
  await expect(defaults).toContainText('2 posts become visible to visitors');
  await defaults.getByRole('button', { name: 'Cancel' }).click();
  await expect(defaults.getByRole('button', { name: 'friends' })).toHaveAttribute('aria-pressed', 'false');
  await defaults.getByRole('button', { name: 'friends (closed)' }).click();
  await expect(defaults).toContainText(
    'No tag is open: posts with a tag are read only by members who have it.',
  );
  await expect(defaults.getByRole('button', { name: 'friends (open)' })).toBeVisible();
  await defaults.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Open 1 post to everybody?');
  await question.getByRole('button', { name: 'Open' }).click();
  await expect(page.getByText('Default permissions saved.')).toBeAttached();
  await expect(defaults.getByRole('button', { name: 'Save' })).toHaveCount(0);
  expect((await callFrom(page, 'getDefaultTags', {})).tags).toEqual(['friends']);
  await defaults.getByRole('button', { name: 'friends' }).click();
  await expect(defaults).toContainText('1 post is no longer visible to visitors');

  await page.getByRole('button', { name: 'Edit lucy' }).click();
  await page.getByRole('button', { name: 'Make admin: lucy' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make admin' }).click();
  await openList(page, 'Admins');
  const admins = page.getByRole('region', list(/^Admins/));
  await expect(admins.getByRole('row', { name: /^lucy/ })).toBeVisible();
  await admins.getByRole('button', { name: 'Remove admin: mina' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove admin' }).click();
  // Somebody who is no longer an admin is led to the timeline.
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Admin' })).toHaveCount(0);
});

test('an admin finds one of many users, and loads more of them', async ({ site, page }) => {
  await site.createAdmin();
  await site.seed('--posts', '10', '--members', '120', '--tags', '30');
  await signIn(page, 'mina');
  await page.goto('/admin?list=approved');
  const approved = page.getByRole('region', list(/^Approved Users/));
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 120');
  await expect(approved.getByRole('row')).toHaveCount(26);
  const showMore = approved.getByRole('button', { name: 'Show more' });
  const pages = [51, 76, 101, 121];
  for (const rows of pages) {
    await showMore.press('Enter');
    await expect(approved.getByRole('row')).toHaveCount(rows);
  }
  await expect(showMore).toBeHidden();
  // The focus is in the first row of those that came last.
  await expect(approved.getByRole('row').nth(101).getByRole('button').first()).toBeFocused();
  await page.getByRole('searchbox', { name: 'Search users' }).fill('MEMBER99@');
  await expect(approved.getByRole('heading')).toHaveText('Approved Users 1');
  await expect(approved.getByRole('row', { name: /^member99/ })).toBeVisible();
  await openList(page, 'Pending 0');
  await expect(page.getByRole('region', list(/^Pending Users/))).toContainText('No matches.');

  // With many tags there is a field to find one, instead of a button for each.
  await page.getByRole('searchbox', { name: 'Search users' }).fill('pending1@');
  const { tags } = await callFrom(page, 'getManagedTags', {});
  const name = tags.at(-1)?.name ?? '';
  const box = page.getByRole('combobox', { name: 'Tags for pending1' });
  await box.fill(name.toUpperCase());
  await expect(page.getByRole('option', { name, exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await box.fill(name.toUpperCase());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: `Remove ${name}`, exact: true })).toBeVisible();
  // Escape removes nothing, and an unknown tag is not added here.
  await page.keyboard.press('Escape');
  await box.fill('nowhere to be found');
  await page.keyboard.press('Enter');
  await expect(box).toHaveValue('');
  await expect(page.getByRole('button', { name: /^Remove / })).toHaveCount(1);

  // Within an input method, as for Japanese, Escape ends a word, and not the change of the row.
  await openList(page, 'Approved');
  await page.getByRole('searchbox', { name: 'Search users' }).fill('member99@');
  await page.getByRole('button', { name: 'Edit member99' }).click();
  const field = page.getByRole('combobox', { name: 'Tags for member99' });
  await expect(field).toBeFocused();
  await field.click();
  await pressInComposition(page, field, 'Escape');
  await expect(field).toBeVisible();
  await page.getByRole('button', { name: 'Cancel editing member99' }).click();
  await expect(field).toHaveCount(0);
});

test('axe finds nothing on the page of users, idle and busy', async ({ site, admin: page, people }) => {
  await publishForFriends(page);
  await people.member('lucy', { status: 'pending' });
  await people.member('arthur', { status: 'pending' });
  decide(site, 'arthur', 'approved');
  await page.goto('/admin');
  await expectAccessible(page);
  await page.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'friends' }).click();
  await expectAccessible(page);
  await openList(page, 'Approved');
  await page.getByRole('button', { name: 'Edit arthur' }).click();
  await page.getByRole('list', { name: 'Tags for arthur' }).getByRole('button', { name: 'friends' }).click();
  await page
    .getByRole('list', { name: 'Default permissions' })
    .getByRole('button', { name: 'friends' })
    .click();
  await expect(page.getByText('1 post becomes visible to arthur')).toBeVisible();
  await expectAccessible(page);
  // What was chosen in another list is still chosen.
  await openList(page, 'Pending');
  await expect(
    page.getByRole('list', { name: 'Tags for lucy' }).getByRole('button', { name: 'friends' }),
  ).toHaveAttribute('aria-pressed', 'true');
});
