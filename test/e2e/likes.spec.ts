import { publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

test('after rapid clicks the last one counts, in this tab, on the server and in another tab', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}`);
  const other = await lucy.context().newPage();
  await other.goto(`/post/${postId}`);
  const like = (page: typeof lucy) => page.getByRole('button', { name: /^Like/ });
  for (let i = 0; i < 7; i += 1) await like(lucy).click();
  await expect(like(lucy)).toHaveAttribute('aria-pressed', 'true');
  await expect(like(lucy)).toHaveText('1 like');
  const stored = async () => {
    const { post } = await callFrom(lucy, 'getPost', { postId });
    return [post.isLiked, post.likeCount];
  };
  await expect.poll(stored).toEqual([true, 1]);
  await like(lucy).click();
  await expect(like(lucy)).toHaveText('Like');
  await expect.poll(stored).toEqual([false, 0]);

  await like(lucy).click();
  await expect.poll(stored).toEqual([true, 1]);
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await expect(like(other)).toHaveText('1 like');
  // The other tab removes the like; the first tab had a wrong number and is corrected.
  await like(other).click();
  await expect.poll(stored).toEqual([false, 0]);
});

test('a like without a connection is undone and reported, and can be tried again', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  await lucy.goto(`/post/${postId}`);
  const like = lucy.getByRole('button', { name: /^Like/ });
  const refused = { status: 403, json: { error: { status: 'PERMISSION_DENIED', message: 'You may not.' } } };
  await lucy.route('**/api/setLike', route => route.abort());
  const fail = async (sentence: string) => {
    await like.click();
    const alert = lucy.getByRole('alertdialog', { name: sentence });
    await alert.getByRole('button', { name: 'OK' }).click();
    await expect(like).toHaveText('Like');
    await expect(like).toHaveAttribute('aria-pressed', 'false');
  };
  await fail('Failed to save your like. The server cannot be reached.');
  // It is lost between the refusal and the question who is signed in.
  await lucy.route('**/api/setLike', route => route.fulfill(refused));
  await lucy.route('**/api/getViewer', route => route.abort());
  await fail('Failed to save your like. You may not.');
  await lucy.unroute('**/api/setLike');
  await lucy.unroute('**/api/getViewer');
  await like.click();
  await expect(like).toHaveText('1 like');
  // The page shows it before the server has answered.
  await expect.poll(async () => (await callFrom(lucy, 'getPost', { postId })).post.likeCount).toBe(1);
});

test('visitors are asked to log in, and pending users are told to wait', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const visitor = await people.visitor();
  const scripts = Promise.withResolvers<void>();
  await visitor.route('**/assets/entry-client-*.js', async route => {
    await scripts.promise;
    await route.continue();
  });
  const opened = visitor.goto(`/post/${postId}`);
  const like = visitor.getByRole('button', { name: 'Like, 0 likes' });
  // With a slow connection the text is shown before its buttons work.
  await like.click();
  await like.click();
  scripts.resolve();
  await opened;
  const question = visitor.getByRole('alertdialog', {
    name: 'You need to log in or sign up to perform this action. Would you like to continue to the login page?',
  });
  await question.getByRole('button', { name: 'No' }).click();
  await expect(question).toBeHidden();
  await expect(like).toBeFocused();
  await like.click();
  await question.getByRole('button', { name: 'Yes' }).click();
  await expect(visitor).toHaveURL(`/login?next=${encodeURIComponent(`/post/${postId}`)}`);

  const lucy = await people.member('lucy', { status: 'pending' });
  await lucy.goto(`/post/${postId}`);
  await lucy.getByRole('button', { name: 'Like, 0 likes' }).click();
  await expect(
    lucy.getByRole('alertdialog', {
      name: 'Your account needs to be approved by an admin before you can like posts.',
    }),
  ).toBeVisible();
  await lucy.keyboard.press('Escape');
  await expect(lucy.getByRole('button', { name: 'Like, 0 likes' })).toBeVisible();
});
