import { essay, shortPost } from '../support/factories.ts';
import { write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The tags of a post in the editor: their limit, and what happens to them elsewhere meanwhile. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('tags beyond the most that a post may have stay until the author has removed some, and the post is not saved before', async ({
  page,
}) => {
  const tags = Array.from({ length: 50 }, (_, index) => `tag ${index}`);
  const { post } = await callFrom(page, 'createPost', essay({ tags }));
  await page.goto(`/admin/posts/${post.id}/edit`);
  const field = page.getByRole('combobox', { name: 'Tags' });
  await expect(field).toHaveAccessibleDescription('A post has at most 50 tags.');
  // The last one is still being typed; its suggestion hides the rest of the page from roles.
  const save = page.locator('.save-bar .primary');
  await field.fill('secret');
  await save.click({ force: true });
  await expect(field).toHaveAccessibleDescription('A post has at most 50 tags. Remove 1 to save it.');
  await expect(page.getByText('A post has at most 50 tags.', { exact: true })).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Who can read this' })).not.toContainText(/visitors|load/);
  await page.getByRole('heading', { name: 'Who can read this' }).click();
  await expect(field).not.toBeFocused();
  await save.click();
  await expect(field).toBeFocused();
  await field.fill('more,');
  await expect(field).toHaveAccessibleDescription('A post has at most 50 tags. Remove 2 to save it.');
  await page.getByRole('button', { name: 'Remove more' }).click();
  await page.getByRole('button', { name: 'Remove tag 49' }).click();
  await save.click();
  await expect(page).toHaveURL('/admin/posts');
  const saved = (await callFrom(page, 'getPost', { postId: post.id })).post;
  expect(saved.version).toBe(post.version + 1);
  expect(saved.tags).toHaveLength(50);
  expect(saved.tags).toContain('secret');
});

test('the field for tags keeps its name while suggestions are open', async ({ page }) => {
  await callFrom(page, 'addTag', { name: 'trips' });
  await page.goto('/admin/posts/new');
  await page.getByRole('combobox', { name: 'Tags' }).fill('tr');
  await expect(page.getByRole('option', { name: 'trips' })).toBeVisible();
  // As the browser tells screen readers: Playwright takes the name from a hidden label, too.
  const session = await page.context().newCDPSession(page);
  const spoken = async () => {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    return nodes.find(({ role }) => role?.value === 'combobox')?.name?.value;
  };
  await expect.poll(spoken).toBe('Tags');
});

test('a tag that is renamed in another tab stays the same tag, and has its new name when the author comes back', async ({
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', shortPost('Kept.', ['family']));
  const { tags } = await callFrom(page, 'getTags', {});
  await page.goto(`/admin/posts/${post.id}/edit`);
  const chosen = page.getByRole('toolbar', { name: 'Chosen tags' });
  await expect(chosen).toContainText('family');
  await write(page, 'More. ');
  await callFrom(page, 'renameTag', { tagId: tags[0]?.id ?? '', name: 'relatives' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const names = async () => (await callFrom(page, 'getTags', {})).tags.map(({ name }) => name);
  expect(await names()).toEqual(['relatives']);

  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(chosen).toContainText('relatives');
  await callFrom(page, 'renameTag', { tagId: tags[0]?.id ?? '', name: 'kin' });
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(chosen).toContainText('kin');
  await expect(page.getByText(/approved for “kin”/)).toBeVisible();
  await expect(page.getByText(/this post (?:is hidden|becomes)/)).toHaveCount(0);
});

test('“Who can read this” counts and names the readers by the chosen tags, even after one was renamed elsewhere', async ({
  page,
  people,
}) => {
  await callFrom(page, 'addTag', { name: 'trips' });
  const { post } = await callFrom(page, 'createPost', shortPost('For the family.', ['family']));
  await people.member('lucy', { tags: ['family', 'trips'] });
  await people.member('jonas', { tags: ['family'] });
  const { tags } = await callFrom(page, 'getTags', {});
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(page.getByText('2 of 2 members approved for “family”, and admins.')).toBeVisible();
  const readers = page.getByRole('region', { name: 'Who can read this' });
  await readers.getByText('Their names').click();
  await expect(readers.getByText('Full jonas and Full lucy')).toBeVisible();
  const tagId = tags.find(({ name }) => name === 'family')?.id ?? '';
  await callFrom(page, 'renameTag', { tagId, name: 'relatives' });
  await page.getByRole('combobox', { name: 'Tags' }).fill('trips,');
  await expect(
    page.getByText('1 of 2 members approved for “relatives” and “trips”, and admins.'),
  ).toBeVisible();
  await expect(readers.getByText('Full lucy', { exact: true })).toBeVisible();
  await expect(page.getByText('When saved, this post is hidden from 1 member.')).toBeVisible();
});

test.describe(() => {
  test.use({ allowedErrors: [/400/] });

  test('an author publishes no post without a tag that was mistyped', async ({ page, people }) => {
    await callFrom(page, 'addTag', { name: 'friends' });
    const lucy = await people.member('lucy', { tags: ['friends'] });
    const { user } = await callFrom(lucy, 'getViewer', {});
    await callFrom(page, 'setAuthor', { userId: user?.id ?? '', isAuthor: true });
    await lucy.goto('/admin/posts/new');
    await write(lucy, 'For friends only.');
    const tags = lucy.getByRole('combobox', { name: 'Tags' });
    await tags.fill('frends');
    await expect(lucy.getByText('New tag')).toHaveCount(0);
    await lucy.getByRole('button', { name: 'Publish', exact: true }).click();
    await lucy.getByRole('button', { name: 'OK' }).click();
    const refusal = 'You may use only tags that you may read yourself, and “frends” is none of them.';
    await expect(tags).toHaveAccessibleDescription(refusal);
    await expect(lucy.getByText(`Failed to load who can read this. ${refusal}`)).toBeVisible();
    expect((await callFrom(lucy, 'listPosts', {})).posts).toEqual([]);
    await lucy.getByRole('button', { name: 'Remove frends' }).click();
    await tags.fill('friends');
    await tags.press('Enter');
    await lucy.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(lucy).toHaveURL('/admin/posts');
    expect((await callFrom(lucy, 'listPosts', {})).posts[0]?.tags).toEqual(['friends']);
  });
});
