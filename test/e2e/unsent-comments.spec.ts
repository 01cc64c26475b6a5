import type { Page } from '@playwright/test';
import { addAccount, memberPassword, startSession } from './accounts.ts';
import { publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

test('a draft survives a reload and a lost session, and is sent after logging in again', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await lucy.getByLabel('Write a comment', { exact: true }).fill('not yet done');
  await lucy.reload();
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('not yet done');
  const isStream = (url: URL) => url.pathname === '/live';
  // The session ends elsewhere while the stream is not connected.
  await lucy.route(isStream, route => route.abort());
  await lucy.reload();
  // The page learns of it from the answer to what it sends.
  const sent = lucy.waitForResponse('**/api/addComment');
  await lucy.route('**/api/getViewer', async route => {
    await sent;
    await route.continue();
  });
  await lucy.context().clearCookies();
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  const alert = lucy.getByRole('alertdialog', { name: 'Please log in to leave a comment.' });
  await alert.getByRole('button', { name: 'OK' }).click();
  await lucy.unroute(isStream);
  await lucy.locator('.comments').getByRole('link', { name: 'Log In' }).click();
  await lucy.getByLabel('Email').fill('lucy@example.com');
  await lucy.getByLabel('Password').fill(memberPassword);
  await lucy.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(lucy).toHaveURL(`/post/${postId}#comments`);
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('not yet done');
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.locator('.comment')).toHaveCount(1);
});

test('when a session ends elsewhere, the open page says where a comment that was begun is, and shows nothing else of the reader', async ({
  people,
  site,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  await callFrom(admin, 'addComment', { postId, content: 'Among ourselves.' });
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await expect(lucy.getByText('Among ourselves.')).toBeVisible();
  await lucy.getByLabel('Write a comment', { exact: true }).fill('Half a sentence that I');
  const phone = await people.visitor();
  await startSession(site, phone.context(), 'lucy');
  await phone.goto('/');
  await callFrom(phone, 'signOutEverywhere', {});
  const notice = lucy.getByRole('alert').filter({ hasText: 'You were signed out.' });
  await expect(notice).toContainText('The comment that you were writing is kept in this browser.');
  await expect(lucy.getByText('Among ourselves.')).toHaveCount(0);
  await expect(lucy.getByText('Half a sentence that I')).toHaveCount(0);
  await expect.poll(() => lucy.evaluate(() => window.scrollY)).toBe(0);
  await notice.getByRole('link', { name: 'Log in to send it' }).click();
  await lucy.getByLabel('Email').fill('lucy@example.com');
  await lucy.getByLabel('Password').fill(memberPassword);
  await lucy.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(lucy).toHaveURL(`/post/${postId}#comments`);
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('Half a sentence that I');
  await expect(notice).toHaveCount(0);
});

test('after a lost tab the timeline and the post lead on to a comment that was begun', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await lucy.getByLabel('Write a comment', { exact: true }).fill('Half a sentence');
  await lucy.goto('/');
  const goOn = lucy.getByRole('button', { name: 'Your unsent comment, 0 comments' });
  await expect(goOn).toHaveText('Your unsent comment');
  await lucy.goto(`/post/${postId}`);
  await goOn.click();
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('Half a sentence');
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.locator('.comment')).toHaveCount(1);
  await expect(goOn).toHaveCount(0);
  await lucy.goto('/');
  await expect(lucy.getByRole('button', { name: '1 comment', exact: true })).toBeVisible();
});

test('what is written at a comment that is deleted or hidden meanwhile goes to the box for a comment', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  const add = async (page: Page, content: string) =>
    (await callFrom(page, 'addComment', { postId, content })).comment.id;
  const question = await add(admin, 'Who comes?');
  const own = await add(lucy, 'I do.');
  await lucy.goto(`/post/${postId}#comments`);
  const box = lucy.getByLabel('Write a comment', { exact: true });
  await box.fill('First');
  await lucy.getByRole('button', { name: 'Answer comment by mina' }).click();
  await lucy.getByLabel('Answer mina').fill('My mother, too');
  await callFrom(admin, 'deleteComment', { commentId: question });
  await expect(box).toHaveValue('First\n\nMy mother, too');
  await expect(box).toBeFocused();
  await expect(lucy.getByText('That comment is gone. Your text is in the box')).toBeVisible();

  await lucy.getByRole('button', { name: 'Edit comment by lucy' }).click();
  await lucy.getByLabel('Edit your comment').fill('I do, and mother.');
  await callFrom(admin, 'deleteComment', { commentId: own });
  await expect(box).toHaveValue('First\n\nMy mother, too\n\nI do, and mother.');
  await lucy.reload();
  await expect(box).toHaveValue('First\n\nMy mother, too\n\nI do, and mother.');
});

test('a comment that is refused while the connection is lost is reported, and its text is kept', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  await admin.goto(`/post/${postId}#comments`);
  const box = admin.getByLabel('Write a comment', { exact: true });
  await box.fill('half a thought');
  const refused = { status: 403, json: { error: { status: 'PERMISSION_DENIED', message: 'You may not.' } } };
  await admin.route('**/api/addComment', route => route.fulfill(refused));
  await admin.route('**/api/getViewer', route => route.abort());
  await admin.getByRole('button', { name: 'Post comment' }).click();
  await expect(admin.getByRole('alert')).toContainText(
    'Failed to post your comment. You may not. Your text is kept.',
  );
  await expect(box).toHaveValue('half a thought');
});

test('a comment that is written without a connection is sent once when there is one', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}#comments`);
  await lucy.getByLabel('Write a comment', { exact: true }).fill('From the train');
  await lucy.context().setOffline(true);
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.getByText('You are offline. Your comment will be sent')).toBeVisible();
  await expect(lucy.locator('.comment')).toHaveCount(0);
  // As it stands then, and only if it is still wanted.
  const box = lucy.getByLabel('Write a comment', { exact: true });
  await lucy.getByRole('button', { name: 'Do not send it' }).click();
  await expect(lucy.getByText('You are offline.')).toHaveCount(0);
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await box.pressSequentially(' to Whitby');
  await lucy.context().setOffline(false);
  await expect(lucy.locator('.comment')).toHaveText(/From the train to Whitby/);
  await expect(box).toHaveValue('');
  await expect(lucy.getByText('You are offline.')).toHaveCount(0);
});

test('a comment that waited in a closed tab is sent by its author alone', async ({ people, site }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  const path = `/post/${postId}#comments`;
  await lucy.goto(path);
  await lucy.getByLabel('Write a comment', { exact: true }).fill('From the train');
  await lucy.context().setOffline(true);
  await lucy.getByRole('button', { name: 'Post comment' }).click();
  await expect(lucy.getByText('You are offline. Your comment will be sent')).toBeVisible();
  await lucy.goto('about:blank');
  await lucy.context().setOffline(false);
  await addAccount(site, { username: 'quincey', name: 'Quincey Morris' });
  await startSession(site, lucy.context(), 'quincey');
  await lucy.goto(path);
  await expect(lucy.getByLabel('Write a comment', { exact: true })).toHaveValue('');
  await expect(lucy.locator('.comment')).toHaveCount(0);
  await startSession(site, lucy.context(), 'lucy');
  await lucy.reload();
  await expect(lucy.locator('.comment')).toHaveText(/From the train/);
});
