import { publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

test('shots', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin);
  const lucy = await people.member('lucy');
  const mina = await people.member('quincey');
  const add = async (page: typeof lucy, content: string, parentId?: string) =>
    (await callFrom(page, 'addComment', { postId, content, ...(parentId ? { parentId } : {}) })).comment;
  const first = await add(
    lucy,
    'What a lovely walk that was. I would like to go there again in spring, when the paths are dry and the trees are still bare.',
  );
  await add(admin, 'We will! The second weekend of April, if the weather holds.', first.id);
  await add(mina, 'Count me in.', first.id);
  const rude = await add(lucy, 'This is a rude comment that somebody reports.');
  await callFrom(mina, 'reportComment', { commentId: rude.id, word: 'Not nice at all.' });
  const gone = await add(mina, 'gone');
  await add(lucy, 'An answer to something deleted.', gone.id);
  await callFrom(mina, 'deleteComment', { commentId: gone.id });
  const hidden = await add(lucy, 'A hidden one.');
  await callFrom(admin, 'hideComment', { commentId: hidden.id, reason: 'Please be kind.' });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 768, 1280]) {
      await lucy.emulateMedia({ colorScheme });
      await lucy.setViewportSize({ width, height: 900 });
      await lucy.goto(`/post/${postId}#comments`);
      await expect(lucy.getByText('Count me in.')).toBeVisible();
      await lucy
        .locator('.comment', { hasText: 'Count me in' })
        .getByRole('button', { name: 'Answer' })
        .click();
      await lucy.screenshot({ path: `/tmp/talk/shots/lucy-${width}-${colorScheme}.png`, fullPage: true });
      await admin.emulateMedia({ colorScheme });
      await admin.setViewportSize({ width, height: 900 });
      await admin.goto('/admin/comments');
      await expect(admin.getByText('Not nice')).toBeVisible();
      await admin.getByRole('button', { name: 'Hide comment by lucy' }).click();
      await admin.screenshot({ path: `/tmp/talk/shots/admin-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await admin.goto(`/post/${postId}#comments`);
  await expect(admin.getByText('Count me in.')).toBeVisible();
  await admin.screenshot({ path: `/tmp/talk/shots/post-admin.png`, fullPage: true });
});
