import { expectAccessible } from './axe.ts';
import { pressInComposition } from './composition.ts';
import { publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

test('a comment is answered, edited, and keeps its place when it is deleted', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await callFrom(lucy, 'addComment', { postId, content: 'first' });
  await callFrom(lucy, 'addComment', { postId, content: 'second' });
  for (const page of [lucy, admin]) await page.goto(`/post/${postId}#comments`);

  const first = admin.locator('.comment', { hasText: 'first' });
  await first.getByRole('button', { name: 'Answer' }).click();
  const answer = admin.getByLabel('Answer lucy');
  await expect(answer).toBeFocused();
  await admin.keyboard.type('answer');
  // The draft is kept, and Cancel puts the focus back to the comment.
  await admin.getByRole('button', { name: 'Cancel' }).click();
  await expect(first).toBeFocused();
  await first.getByRole('button', { name: 'Go on with your answer to the comment by lucy' }).click();
  await expect(answer).toHaveValue('answer');
  await admin.keyboard.press('Control+Enter');
  await expect(first).toBeFocused();
  await expect(first.getByRole('button', { name: 'Answer comment by lucy' })).toHaveText('Answer');
  await expect(lucy.locator('.comment .words')).toHaveText(['second', 'first', 'answer']);
  await expect(lucy.locator('.comment.answer')).toHaveText(/answer/);
  await expectAccessible(lucy);

  await lucy.locator('.comment', { hasText: 'first' }).getByRole('button', { name: 'Edit' }).click();
  await expect(lucy.getByLabel('Edit your comment')).toHaveValue('first');
  await expect(lucy.getByLabel('Edit your comment')).toBeFocused();
  await lucy.keyboard.type(', changed');
  await lucy.getByRole('button', { name: 'Save' }).click();
  await expect(admin.locator('.comment .words')).toHaveText(['second', 'first, changed', 'answer']);

  await lucy.locator('.comment', { hasText: 'first' }).getByRole('button', { name: 'Delete' }).click();
  await lucy.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  for (const page of [lucy, admin]) {
    await expect(page.getByText('This comment was deleted.')).toBeVisible();
    await expect(page.locator('.comment .words')).toHaveText(['second', 'answer']);
    await expect(page.getByRole('heading', { name: '2 comments' })).toBeVisible();
  }
});

test('a reported comment is hidden by an admin, and its writer reads why', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const [lucy, quincey] = [await people.member('lucy'), await people.member('quincey')];
  await callFrom(lucy, 'addComment', { postId, content: 'rude words' });
  for (const page of [lucy, quincey]) await page.goto(`/post/${postId}#comments`);
  await quincey.getByRole('button', { name: 'Report comment by lucy' }).click();
  await expect(quincey.getByLabel('What is wrong with this comment?')).toBeFocused();
  await quincey.keyboard.type('This is rude.');
  // What was written is kept until it is sent or cancelled.
  await quincey.keyboard.press('Escape');
  await quincey.getByRole('button', { name: 'Report comment by lucy' }).click();
  await expect(quincey.getByLabel('What is wrong with this comment?')).toHaveValue('This is rude.');
  await quincey.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(quincey.getByText('Thank you. The admins will look at this comment.')).toBeInViewport();
  await expect(quincey.getByRole('button', { name: 'Reported comment by lucy' })).toBeVisible();

  await admin.goto('/admin/comments');
  await expect(admin.getByText('“This is rude.”')).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Comments 1 reported' })).toBeVisible();
  await expectAccessible(admin);
  const hide = admin.getByRole('button', { name: 'Hide comment by lucy' });
  await hide.click();
  await admin.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(hide).toBeFocused();
  await hide.click();
  await expect(admin.getByLabel('Why do you hide this comment?')).toBeFocused();
  await admin.keyboard.type('Please be kind.');
  await admin.getByRole('button', { name: 'Hide', exact: true }).click();
  await expect(admin.getByText('No comment waits for you.')).toBeVisible();
  await expect(admin.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(admin.getByRole('link', { name: 'Comments', exact: true })).toBeVisible();
  await expect(quincey.locator('.comment')).toHaveCount(0);
  await expect(lucy.getByText('Please be kind.')).toBeVisible();
  await admin.getByRole('link', { name: 'Hidden' }).click();
  await admin.getByRole('button', { name: 'Show again: comment by lucy' }).click();
  await expect(quincey.locator('.comment .words')).toHaveText('rude words');
  await admin.getByRole('link', { name: 'All', exact: true }).click();
  const all = admin.getByRole('region', { name: 'All comments' });
  await expect(all.getByRole('article')).toHaveText([/lucy.* at \d\d:\d\d.*rude words/]);
  await all.getByRole('article').getByRole('link').click();
  await expect(admin.locator('.comment .words')).toHaveText('rude words');
});

test('comments are closed in open pages, and a muted member reads why there is no box', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await callFrom(admin, 'addComment', { postId, content: 'first' });
  for (const page of [lucy, admin]) await page.goto(`/post/${postId}#comments`);
  await lucy.getByRole('button', { name: 'Answer comment by mina' }).click();
  await lucy.keyboard.type('an answer');
  const box = lucy.getByLabel('Write a comment', { exact: true });
  await box.fill('half a thought');
  await admin.getByRole('button', { name: 'Allow no more comments' }).click();
  await expect(lucy.getByText('Comments are closed.', { exact: true })).toBeVisible();
  const answer = lucy.getByRole('article', { name: /^Comment by mina/ });
  await expect(answer.getByText('Comments are closed. Your text is kept here, to be copied.')).toBeVisible();
  await expect(answer.getByRole('textbox')).toHaveValue('an answer');
  await expect(lucy.getByRole('button', { name: 'Post answer' })).toHaveCount(0);
  // The text that was begun can be copied, and goes on where it was.
  await expect(box).toHaveValue('half a thought');
  await expect(box).toHaveAttribute('readonly');
  await expect(box).toBeFocused();
  await expect(lucy.getByRole('button', { name: 'Post comment' })).toHaveCount(0);
  await expect(admin.getByLabel('Write a comment', { exact: true })).toHaveCount(0);
  await admin.getByRole('button', { name: 'Allow comments again' }).click();
  await expect(lucy.getByRole('button', { name: 'Post comment' })).toBeVisible();
  await lucy.keyboard.type(', and the rest');
  await expect(box).toHaveValue('half a thought, and the rest');
  await box.fill('');
  await admin.goto('/admin?list=approved');
  await admin.getByRole('button', { name: 'Edit lucy' }).click();
  await admin.getByRole('button', { name: 'Mute: lucy' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Mute' }).click();
  await expect(admin.getByRole('row', { name: /^lucy/ })).toContainText('Muted');
  const muted = lucy.getByText('An admin has muted you: you can read comments, but not write.');
  await expect(muted.and(lucy.getByRole('status'))).toBeVisible();
});

test('a change of a comment is kept until it is saved or cancelled', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  const { comment } = await callFrom(lucy, 'addComment', { postId, content: 'first' });
  await lucy.goto(`/post/${postId}#comments`);
  const edit = lucy.getByRole('button', { name: 'Edit comment by lucy' });
  const box = lucy.getByLabel('Edit your comment');
  await edit.click();
  await box.fill('');
  await lucy.getByRole('button', { name: 'Save' }).click();
  await expect(box).toBeFocused();
  await expect(box).toHaveJSProperty('validationMessage', 'Write a comment first.');
  await box.fill('second thoughts');
  // Escape ends a word that an input method composes.
  await pressInComposition(lucy, box, 'Escape');
  await expect(box).toHaveValue('second thoughts');
  await lucy.keyboard.press('Escape');
  await expect(box).toHaveCount(0);
  await lucy.reload();
  await edit.click();
  await expect(box).toHaveValue('second thoughts');
  await expect(box).toHaveAccessibleDescription('Unsaved text from before. Cancel discards it.');
  await lucy.getByRole('button', { name: 'Cancel' }).click();
  await edit.click();
  await expect(box).toHaveValue('first');

  await box.fill('from here');
  await callFrom(lucy, 'editComment', { commentId: comment.id, content: 'from the phone' });
  const save = lucy.getByRole('button', { name: 'Save' });
  await save.click();
  await expect(lucy.getByRole('alert')).toHaveText(
    'This comment was changed elsewhere meanwhile. Cancel to read it, or save again to replace it.',
  );
  await expect(box).toHaveValue('from here');
  await save.click();
  await expect(lucy.locator('.comment .words')).toHaveText('from here');
});

test('an admin shows a comment again where it is read, and sees when that fails', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  const { comment } = await callFrom(lucy, 'addComment', { postId, content: 'rude words' });
  await callFrom(admin, 'hideComment', { commentId: comment.id, reason: 'Please be kind.' });
  await admin.goto(`/post/${postId}#comments`);
  await admin.route('**/api/restoreComment', route => route.fulfill({ status: 503 }), { times: 1 });
  const again = admin.getByRole('button', { name: 'Show again: comment by lucy' });
  await again.click();
  const failure = admin.getByRole('alertdialog');
  await expect(failure).toContainText('Failed to show the comment again.');
  await failure.getByRole('button', { name: 'OK' }).click();
  // The stream removes the pressed button before the answer is there.
  await admin.route('**/api/restoreComment', async route => {
    const response = await route.fetch();
    await expect(again).toHaveCount(0);
    await route.fulfill({ response });
  });
  await again.click();
  await expect(admin.getByRole('button', { name: 'Hide comment by lucy' })).toBeVisible();
  await expect(admin.getByRole('article', { name: 'Comment by lucy' })).toBeFocused();
});
