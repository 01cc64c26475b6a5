import { adminPassword, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, expect, hydrated, test, unfold } from './fixtures.ts';
import { expectToFit } from './layout.ts';
import type { RunningSite } from './site.ts';

// Only the first refusal and the wrong password are answered 400, which the browser logs in its console.
test.use({ allowedErrors: [[/status of 400/], { scope: 'test' }] });

/** Makes every sign-in an hour old. */
function letTimePass(site: RunningSite): void {
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
}

test('deleting a post with comments asks for the password again, once, and then deletes it', async ({
  site,
  admin: page,
}) => {
  await publishForFriends(page);
  const { posts } = await callFrom(page, 'getPosts', {});
  for (const { id } of posts) await callFrom(page, 'addComment', { postId: id, content: 'Hm.' });
  letTimePass(site);
  await page.goto('/admin/posts');
  const cards = page.getByRole('article');
  await expect(cards).toHaveCount(3);
  const remove = async () => {
    await cards
      .first()
      .getByRole('button', { name: /^Delete/ })
      .click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  };
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });

  // Without the password the post is kept, and the next attempt asks again.
  await remove();
  await expect(dialog.getByLabel('Your password')).toBeFocused();
  await expectAccessible(page);
  await expectToFit(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(cards).toHaveCount(3);

  await remove();
  await dialog.getByLabel('Your password').fill('not this one');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('Wrong password.');
  // It is seen once, at the field.
  expect((await dialog.locator('.repeated').boundingBox())?.width).toBe(1);
  await expect(dialog.getByLabel('Your password')).toHaveAccessibleDescription('Wrong password.');
  await dialog.getByLabel('Your password').fill(adminPassword);
  await page.keyboard.press('Enter');
  await expect(cards).toHaveCount(2);
  await expect(dialog).toHaveCount(0);
  // The sign-in counts as recent for a while.
  await remove();
  await expect(cards).toHaveCount(1);
});

test.describe('on a page that is older than an update of the site', () => {
  test.use({ allowedErrors: [[/status of 400/, /ERR_FAILED/], { scope: 'test' }] });

  test('a question for the password that cannot be loaded is reported in words', async ({
    site,
    admin: page,
  }) => {
    await page.goto('/account');
    await hydrated(page);
    await unfold(page, 'Feeds and programs');
    letTimePass(site);
    await page.route('**/assets/sign-in-again-dialog*.js', route => route.abort());
    const section = page.getByRole('region', { name: 'Access tokens' });
    await section.getByLabel('Token name').fill('backup script');
    await section.getByRole('button', { name: 'Create token' }).click();
    await expect(section.getByRole('alert')).toHaveText(
      'This page could not ask you to confirm that it is you. Please reload it and try again.',
    );
    await expect(section.getByLabel('Token name')).toHaveValue('backup script');
  });
});

test('making an invitation after a while asks for the password, and then shows the link', async ({
  site,
  admin: page,
}) => {
  await page.goto('/admin/invitations');
  await hydrated(page);
  letTimePass(site);
  await page.getByRole('button', { name: 'Create link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await dialog.getByLabel('Your password').fill(adminPassword);
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Invited' }).getByRole('textbox')).toHaveValue(
    /\/invite\?token=/,
  );
});
