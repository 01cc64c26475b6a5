import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adminPassword } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishPost } from './content.ts';
import { picture } from './editor.ts';
import { callFrom, expect, signIn, test, unfold } from './fixtures.ts';
import { expectToFit } from './layout.ts';

/** The newest link to a page in the mails that were written to the folder. */
async function linkTo(dataDir: string, path: string): Promise<string> {
  let link: string | undefined;
  await expect(async () => {
    const folder = join(dataDir, 'mail');
    const files = (await readdir(folder)).filter(name => name.endsWith('.eml'));
    const mails = await Promise.all(files.map(name => readFile(join(folder, name), 'utf8')));
    link = new RegExp(`http[^"\\s]*${path}\\?token=[\\w.-]+(?:&next=[\\w%]+)?`).exec(mails.join('\n'))?.[0];
    expect(link).toBeDefined();
  }).toPass();
  return link ?? '';
}

test('somebody who forgot their password gets in again by mail', async ({ site, page }) => {
  await site.createAdmin();
  await page.goto('/login?next=/account');
  // It follows its field, and the button that shows what is typed there.
  await page.getByLabel('Password', { exact: true }).focus();
  for (let times = 0; times < 2; times += 1) await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Forgot your password?' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Log In');
  await expectAccessible(page);
  await page.getByLabel('Email').fill('mina@example.com');
  // The site has no mail server: the author finds the mail in a folder.
  await expect(page.getByText('This site does not send email.')).toBeVisible();
  await page.getByRole('button', { name: 'Request link' }).click();
  await expect(page.getByRole('status')).toContainText('If there is an account');
  const back = page.getByRole('link', { name: 'Back to Log In' });
  await expect(back).toHaveAttribute('href', '/login?next=%2Faccount');
  await page.goto(await linkTo(site.dataDir, '/reset-password'));
  await expect(page.getByText('This sets a new password for mina, logs you out')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('New password').fill('lost and found');
  await page.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('Your password has been changed.')).toBeVisible();
  // It goes on where she was going before she had forgotten it.
  await expect(page).toHaveURL('/account');
  await expect(page.getByRole('link', { name: 'mina' })).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await signIn(page, 'mina', 'lost and found');
  expect(await site.cli('user', 'reset-password', 'mina')).toContain('/reset-password?token=');
});

test('an owner changes the name and password, ends sessions, downloads the data, and deletes the account', async ({
  site,
  page,
  people,
}) => {
  await site.createAdmin();
  await page.goto('/signup');
  await page.getByLabel('Username').fill('lucy_w');
  await page.getByLabel('Full Name').fill('Lucy Westenra');
  await page.getByLabel('Email').fill('lucy@example.com');
  await page.getByLabel('Password').fill('arthur');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await expect(page.getByRole('link', { name: 'lucy_w' })).toBeVisible();

  await page.goto(await linkTo(site.dataDir, '/confirm'));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('Your email address is confirmed.')).toBeVisible();

  await page.goto('/account');
  await expect(page.getByText('lucy@example.com (confirmed)')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Full Name').fill('Lucy Holmwood');
  // The answer to the change is all that the page needs.
  const held = Promise.withResolvers<void>();
  await page.route('**/api/getAccount', async route => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Save name' }).click();
  await expect(page.getByText('Saved.')).toBeVisible();
  held.resolve();
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page.getByLabel('Full Name')).toHaveValue('Lucy Holmwood');
  // Another browser of hers, whose session is ended from here with the keyboard.
  const other = await people.visitor();
  await callFrom(other, 'signIn', { email: 'lucy@example.com', password: 'arthur' });
  await page.reload();
  const sessions = page.getByRole('region', { name: 'Signed in' });
  await expect(sessions.getByRole('listitem')).toHaveCount(2);
  await sessions.getByRole('button', { name: /^Sign out (?!everywhere)/ }).press('Enter');
  await expect(sessions.getByRole('heading')).toBeFocused();
  await expect(sessions.getByRole('listitem')).toHaveCount(1);
  await other.goto('/');
  await expect(other.getByRole('link', { name: 'Login' })).toBeVisible();
  const passwords = page.getByRole('region', { name: 'Password' });
  // A screen reader announces only what changes in a place that is there before.
  await expect(passwords.getByRole('status')).toHaveText('');
  await passwords.getByLabel('Your password').fill('arthur');
  await passwords.getByLabel('New password').fill('quincey');
  await passwords.getByRole('button', { name: 'Change password' }).click();
  await expect(passwords.getByRole('status')).toContainText('Password changed.');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download your data' }).click();
  expect(JSON.parse(await readFile(await (await download).path(), 'utf8')).account.name).toBe(
    'Lucy Holmwood',
  );
  const leaving = page.getByRole('region', { name: 'Delete the account' });
  await leaving.getByRole('button').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  expect(await site.cli('user', 'list')).not.toContain('lucy_w');
  expect(await site.cli('doctor')).toContain('No problems found');
});

test('an admin sees the state of the mail queue, and sends a test mail', async ({ site, page }) => {
  await site.createAdmin();
  await signIn(page, 'mina', adminPassword);
  await page.goto('/admin/mail');
  await expect(page.getByText('No mail server is configured')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send test email' }).click();
  await expect(page.getByText('Sent to mina@example.com.')).toBeVisible();
  for (const path of ['/admin/mail', '/account', '/unsubscribe?token=x']) {
    await page.goto(path);
    await expectToFit(page);
  }
});

test('a reader chooses mails one after the other, and stops a feed only when sure', async ({ people }) => {
  const page = await people.member('lucy');
  await page.goto('/account');
  // The first answer is held until both are chosen: neither choice is lost, or shown as it was.
  const held = Promise.withResolvers<void>();
  await page.route('**/api/setMailWish', async route => {
    await held.promise;
    await route.continue();
  });
  const answers = page.getByLabel('Answers to your comments');
  const followed = page.getByLabel('New comments on posts that you commented on');
  const [areAnswers, isFollowed] = [await answers.isChecked(), await followed.isChecked()];
  await answers.click();
  await followed.click();
  await expect(answers).toBeChecked({ checked: !areAnswers });
  await expect(followed).toBeChecked({ checked: !isFollowed });
  const saved = page.waitForResponse(
    response =>
      response.url().endsWith('/api/setMailWish') &&
      response.request().postData()?.includes('followed') === true,
  );
  held.resolve();
  await saved;
  await expect(page.getByRole('status').getByText('Saved.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(answers).toBeChecked({ checked: !areAnswers });
  await expect(followed).toBeChecked({ checked: !isFollowed });

  await unfold(page, 'Feeds and programs');
  await page.getByRole('button', { name: 'Make feed address' }).click();
  // The question has a button of the same name, and stays until its entry of the history is gone.
  const stop = page.locator('#main').getByRole('button', { name: 'Stop the feed' });
  await stop.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(stop).toBeFocused();
  await stop.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Stop the feed' }).click();
  await expect(stop).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Make feed address' })).toBeFocused();
});

test('the account page asks for all its parts at once, and a link in it leads to a place on the profile', async ({
  people,
}) => {
  const page = await people.member('lucy');
  await page.goto('/profile');
  const asked = new Set<string>();
  const areAsked = Promise.withResolvers<void>();
  await page.route('**/api/*', async route => {
    asked.add(new URL(route.request().url()).pathname);
    await areAsked.promise;
    await route.continue();
  });
  await page.getByRole('main').getByRole('link', { name: 'Account' }).click();
  for (const part of ['getAccount', 'listPasskeys', 'getPush', 'getPostAddress', 'listOwnProposals'])
    await expect.poll(() => [...asked]).toContain(`/api/${part}`);
  areAsked.resolve();
  await page.setViewportSize({ width: 800, height: 240 });
  await page.getByRole('link', { name: 'choose under Your Activity' }).click();
  await expect(page).toHaveURL('/profile#subscription-state');
  await expect(page.locator('#subscription-state')).toBeInViewport();
});

test('a member’s own picture stands beside their comments until it is removed', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy_w');
  await callFrom(lucy, 'addComment', { postId, content: 'Not yet.' });
  await lucy.goto('/account');
  const own = lucy.getByRole('region', { name: 'Name and picture' });
  await expect(own.getByText('FL')).toBeVisible();
  await own.getByLabel('Your picture').setInputFiles(picture('lucy.png'));
  await expect(own.locator('img')).toBeVisible();
  await expectAccessible(lucy);

  await admin.goto(`/post/${postId}?comments=1`);
  const face = admin.getByRole('article', { name: 'Comment by lucy_w' }).locator('img');
  // It has loaded: the admin has the right to it.
  await expect.poll(() => face.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(160);
  await admin.goto('/admin?list=approved');
  await expect(admin.getByRole('row', { name: /lucy_w/ }).locator('img')).toBeVisible();

  await own.getByRole('button', { name: 'Remove the picture' }).click();
  await expect(own.getByText('FL')).toBeVisible();
  await expect(own.getByRole('button', { name: 'Choose a picture' })).toBeFocused();
  await admin.goto(`/post/${postId}?comments=1`);
  await expect(admin.getByRole('article', { name: 'Comment by lucy_w' })).toBeVisible();
  await expect(face).toHaveCount(0);
});

test('an admin removes the picture of a member', async ({ people }) => {
  const admin = await people.admin();
  const lucy = await people.member('lucy_w');
  await lucy.goto('/account');
  await lucy.getByLabel('Your picture').setInputFiles(picture('lucy.png'));
  await expect(lucy.getByRole('button', { name: 'Remove the picture' })).toBeVisible();
  await admin.goto('/admin?list=approved');
  const row = admin.getByRole('row', { name: /lucy_w/ });
  await expect(row.locator('img')).toBeVisible();
  await admin.getByRole('button', { name: 'Edit lucy_w' }).click();
  await admin.getByRole('button', { name: 'Remove picture: lucy_w' }).press('Enter');
  await expectAccessible(admin);
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(admin.getByText('lucy_w has no picture any more.')).toBeVisible();
  await expect(row.locator('img')).toHaveCount(0);
  await expect(admin.getByRole('button', { name: 'Edit lucy_w' })).toBeFocused();
  await lucy.reload();
  await expect(lucy.getByRole('button', { name: 'Choose a picture' })).toBeVisible();
});
