import { memberPassword, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishPost } from './content.ts';
import { callFrom, expect, signIn, test } from './fixtures.ts';
import type { RunningSite } from './site.ts';

/** Writes directly to the tables: so many at once from one person exceed the limit. */
function commentOn(site: RunningSite, postId: string, count: number): void {
  withDatabase(site, db => {
    const insert = db.prepare('insert into comments (id, post_id, content, created_at) values (?, ?, ?, ?)');
    for (let i = 1; i <= count; i += 1) insert.run(`comment${i}`, postId, `comment ${i}`, i);
    db.prepare('update posts set comment_count = ? where id = ?').run(count, postId);
  });
}

test('a comment appears in another open browser, and disappears when it is deleted', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await admin.goto(`/post/${postId}#comments`);
  await expect(admin.getByText('No comments yet')).toBeVisible();

  await lucy.getByLabel('Write a comment', { exact: true }).fill('First line\nsee https://a.example/x.');
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(admin.locator('.comment')).toHaveCount(1);
  await expect(lucy.locator('.comment')).toHaveCount(1);
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('');
  await expect(admin.locator('.comment .words')).toHaveText('First line\nsee https://a.example/x.', {
    useInnerText: true,
  });
  const link = admin.locator('.comment a');
  await expect(link).toHaveAttribute('href', 'https://a.example/x');
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer nofollow ugc');
  await expect(admin.getByRole('heading', { name: '1 comment' })).toBeVisible();
  await expectAccessible(lucy);

  // An admin deletes it after a confirmation, and it disappears from the author's page.
  const remove = admin.getByRole('button', { name: 'Delete comment by lucy' });
  await remove.click();
  const question = admin.getByRole('alertdialog', { name: 'Are you sure you want to delete this comment?' });
  await expect(question).toBeVisible();
  await admin.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(remove).toBeFocused();
  await remove.click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(admin.locator('.comment')).toHaveCount(0);
  await expect(lucy.locator('.comment')).toHaveCount(0);
  await expect(lucy.getByRole('heading', { name: '0 comments' })).toBeVisible();
});

test('the list of comments is up to date without a reload after the server was killed and restarted', async ({
  site,
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  for (const content of ['gone meanwhile', 'before'])
    await callFrom(admin, 'addComment', { postId, content });
  await lucy.goto(`/post/${postId}#comments`);
  await expect(lucy.locator('.comment')).toHaveCount(2);
  await lucy.getByLabel('Write a comment', { exact: true }).fill('half a thought');
  await site.stop('SIGKILL');

  // Sending meanwhile reports the failure and keeps the text.
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.getByRole('alert')).toContainText('Failed to post your comment.');
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('half a thought');

  withDatabase(site, db => {
    db.exec("delete from comments where content = 'gone meanwhile'");
    db.exec('update posts set comment_count = comment_count - 1');
  });
  await site.start();
  await callFrom(admin, 'addComment', { postId, content: 'after' });
  await expect(lucy.locator('.comment .words')).toHaveText(['after', 'before']);
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.locator('.comment')).toHaveCount(3);
});

test('approval opens the comments of an open tab, and denial hides them', async ({ site, people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  await callFrom(admin, 'addComment', { postId, content: 'for members' });
  const lucy = await people.member('lucy', { status: 'pending' });
  await lucy.goto(`/post/${postId}#comments`);
  const unapproved = 'You cannot view or leave comments until your account is approved by an admin.';
  await expect(lucy.getByText(unapproved)).toBeVisible();
  await expect(lucy.getByText('Your account is waiting for approval')).toBeVisible();
  await lucy.goto('/');
  await lucy.getByRole('button', { name: '1 comment' }).click();
  const alert = lucy.getByRole('alertdialog', { name: unapproved });
  await expect(alert).toBeVisible();
  await alert.getByRole('button', { name: 'OK' }).click();
  await expect(alert).toBeHidden();

  await lucy.goto(`/post/${postId}#comments`);
  await expect(lucy.getByText(unapproved)).toBeVisible();
  await site.cli('user', 'approve', 'lucy');
  await expect(lucy.getByText('for members')).toBeVisible();
  await expect(lucy.getByRole('article', { name: 'Comment by mina (Author)' })).toContainText('Author');
  await expect(lucy.getByText('Your account is waiting for approval')).toBeHidden();
  const approved = lucy.getByText('Your account has been approved.');
  await expect(approved).toBeVisible();
  await lucy.getByRole('button', { name: 'Dismiss' }).focus();
  await lucy.keyboard.press('Enter');
  await expect(approved).toHaveCount(0);
  await expect(lucy.getByRole('main')).toBeFocused();

  await site.cli('user', 'deny', 'lucy');
  await expect(lucy.getByText('for members')).toBeHidden();
  await expect(lucy.getByRole('link', { name: 'Login' })).toBeVisible();
  await callFrom(admin, 'addComment', { postId, content: 'not for lucy' });
  await expect(lucy.getByText('not for lucy')).toBeHidden();

  // After logging in again, the reader is not told that they are pending.
  await signIn(lucy, 'lucy', memberPassword);
  await lucy.goto('/');
  await expect(lucy.getByText('An admin has denied your account.')).toBeVisible();
  await expect(lucy.getByText('waiting for approval')).toHaveCount(0);
  await expectAccessible(lucy);
});

test('comments that open at the lower edge of a phone are shown', async ({ people }) => {
  const admin = await people.admin();
  for (let n = 0; n < 8; n += 1) await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.setViewportSize({ width: 360, height: 740 });
  await lucy.goto('/');
  const control = lucy.getByRole('button', { name: '0 comments' }).nth(3);
  await control.evaluate(button => button.scrollIntoView({ block: 'end' }));
  await control.press('Enter');
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toBeInViewport();
});

test('comments open on a card, page by page, and with the keyboard alone', async ({ site, people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  commentOn(site, postId, 25);
  const lucy = await people.member('lucy');
  await lucy.goto('/');
  const control = lucy.getByRole('button', { name: '25 comments' });
  await control.focus();
  await lucy.keyboard.press('Enter');
  await expect(control).toHaveAttribute('aria-expanded', 'true');
  await expect(lucy.locator('.comment')).toHaveCount(20);
  await lucy.getByRole('button', { name: 'Load More Comments' }).press('Enter');
  await expect(lucy.locator('.comment')).toHaveCount(25);
  await expect(lucy.locator('.comment').nth(20)).toBeFocused();

  await lucy.getByLabel('Write a comment', { exact: true }).focus();
  await lucy.keyboard.type('   ');
  await lucy.keyboard.press('Control+Enter');
  await expect(lucy.locator('.comment')).toHaveCount(25);
  await lucy.keyboard.type('written by keyboard');
  await lucy.keyboard.press('Tab');
  await expect(lucy.getByRole('button', { name: 'Post comment' })).toBeFocused();
  await lucy.keyboard.press('Enter');
  await expect(lucy.locator('.comment')).toHaveCount(26);
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toBeFocused();
  await control.or(lucy.getByRole('button', { name: '26 comments' })).press('Enter');
  await expect(lucy.locator('.comment')).toHaveCount(0);
});

test('more comments leave the focus where the reader has gone meanwhile', async ({ site, people }) => {
  const postId = await publishPost(await people.admin());
  commentOn(site, postId, 25);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await expect(lucy.locator('.comment')).toHaveCount(20);
  const isInBox = Promise.withResolvers<void>();
  await lucy.route('**/api/listComments', async route => {
    await isInBox.promise;
    await route.continue();
  });
  await lucy.getByRole('button', { name: 'Load More Comments' }).press('Enter');
  await lucy.getByLabel('Write a comment', { exact: true }).focus();
  isInBox.resolve();
  await expect(lucy.locator('.comment')).toHaveCount(25);
  await lucy.keyboard.type('still here');
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('still here');
});

test('late answers about comments leave the focus where the reader has gone meanwhile', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  const box = lucy.getByLabel('Write a comment', { exact: true });
  const elsewhere = lucy.getByRole('link', { name: 'Coterie' });
  const whileHeld = async (operation: string, act: () => Promise<void>) => {
    const isElsewhere = Promise.withResolvers<void>();
    await lucy.route(`**/api/${operation}`, async route => {
      await isElsewhere.promise;
      await route.continue();
    });
    const asked = lucy.waitForRequest(`**/api/${operation}`);
    await act();
    await asked;
    await elsewhere.focus();
    isElsewhere.resolve();
  };
  await box.fill('first');
  await whileHeld('addComment', () => box.press('Control+Enter'));
  await expect(lucy.locator('.comment')).toHaveCount(1);
  await expect(box).toHaveValue('');
  await expect(elsewhere).toBeFocused();
  await lucy.getByRole('button', { name: 'Edit comment by lucy' }).click();
  await lucy.getByLabel('Edit your comment').fill('second');
  await whileHeld('editComment', () => lucy.keyboard.press('Control+Enter'));
  await expect(lucy.locator('.comment .words')).toHaveText('second');
  await expect(elsewhere).toBeFocused();
  await lucy.getByRole('button', { name: 'Delete comment by lucy' }).click();
  await whileHeld('deleteComment', () =>
    lucy.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click(),
  );
  await expect(lucy.locator('.comment')).toHaveCount(0);
  await expect(elsewhere).toBeFocused();
});

test('comments whose script could not be loaded are tried again', async ({ page, people, allowedErrors }) => {
  allowedErrors.push(/ERR_FAILED|Failed to (load resource|fetch dynamically imported module)/);
  await people.admin(page);
  const postId = await publishPost(page);
  await page.route('**/comments-*.js', route => route.abort());
  await page.goto(`/post/${postId}#comments`);
  await expect(page.getByText('Failed to load the comments.')).toBeVisible();
  await page.unroute('**/comments-*.js');
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('No comments yet')).toBeVisible();
});

test('the box for a comment shows its limit, and a failed deletion is reported', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  await callFrom(admin, 'addComment', { postId, content: 'hello' });
  await admin.goto(`/post/${postId}#comments`);
  await admin.getByLabel('Write a comment', { exact: true }).fill('x'.repeat(5_001));
  await expect(admin.getByText('5,001 of 5,000 characters')).toBeVisible();
  await admin.getByRole('button', { name: 'Post comment' }).click();
  await expect(admin.locator('.comment')).toHaveCount(1);
  await admin.route('**/api/deleteComment', route => route.abort());
  await admin.getByRole('button', { name: 'Delete comment by mina' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(
    admin.getByRole('alertdialog', { name: 'Failed to delete comment. Please try again.' }),
  ).toBeVisible();
  await admin.keyboard.press('Escape');
  await expect(admin.locator('.comment')).toHaveCount(1);
});

test('a visitor is asked to log in, and then returns to the comments', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const visitor = await people.visitor();
  await visitor.goto('/');
  await visitor.getByRole('button', { name: '0 comments' }).click();
  const question = visitor.getByRole('alertdialog', {
    name: 'You need to log in or sign up to perform this action. Would you like to continue to the login page?',
  });
  await question.getByRole('button', { name: 'Yes' }).click();
  await expect(visitor).toHaveURL(/\/login\?next=/);
  await signIn(visitor, 'mina');
  await visitor.goto(`/post/${postId}#comments`);
  await expect(visitor.getByLabel('Write a comment', { exact: true })).toBeVisible();
});
