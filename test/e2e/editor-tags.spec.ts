import { essay, shortPost } from '../factories.ts';
import { write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The tags of a post in the editor: their limit, and what happens to them elsewhere meanwhile. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
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

test('who can read a post is told of the tags that are meant, also after one was renamed elsewhere', async ({
  page,
  people,
}) => {
  await callFrom(page, 'addTag', { name: 'trips' });
  const { post } = await callFrom(page, 'createPost', shortPost('For the family.', ['family']));
  await people.member('lucy', { tags: ['family', 'trips'] });
  const { tags } = await callFrom(page, 'getTags', {});
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(page.getByText('1 of 1 member approved for “family”, and admins.')).toBeVisible();
  const tagId = tags.find(({ name }) => name === 'family')?.id ?? '';
  await callFrom(page, 'renameTag', { tagId, name: 'relatives' });
  await page.getByRole('combobox', { name: 'Tags' }).fill('trips,');
  await expect(
    page.getByText('1 of 1 member approved for “relatives” and “trips”, and admins.'),
  ).toBeVisible();
  await expect(page.getByText(/this post (?:is hidden|becomes)/)).toHaveCount(0);
});
