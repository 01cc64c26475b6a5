import { essay } from '../support/factories.ts';
import { addAccount } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The preview of a post in the editor, and who may read it. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('the buttons stay under the pointer when the preview comes', async ({ page }) => {
  const preview = Promise.withResolvers<void>();
  await page.route('**/api/previewPost**', async route => {
    await preview.promise;
    await route.continue();
  });
  // With a title of several lines the preview is higher than the text, and the page becomes longer with it.
  await startEssay(page, 'On rivers, and what they carry to the sea. '.repeat(4));
  await write(page, 'The water rose.\n\n'.repeat(5));
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await page.getByRole('button', { name: 'Publish', exact: true }).hover();
  await page.mouse.down();
  preview.resolve();
  await expect(page.getByLabel('Preview beside the text').getByText('The water rose.')).toHaveCount(5);
  await page.mouse.up();
  await expect(page).toHaveURL('/admin/posts');
});

test('a block of the preview stays in place while its words change', async ({ page }) => {
  await startEssay(page, 'On rivers');
  await write(page, 'The *water* rose.\n\nIt fell [again](/a).');
  const preview = page.getByLabel('Preview beside the text');
  const block = await preview.getByText('It fell again.').evaluateHandle(paragraph => paragraph);
  await page.keyboard.insertText(' We swept.');
  await expect(preview.getByText('It fell again. We swept.')).toBeVisible();
  expect(await block.evaluate(paragraph => paragraph.isConnected)).toBe(true);
});

test('the preview beside a long text shows what is written', async ({ page }) => {
  await startEssay(page, 'On rivers');
  await write(page, Array.from({ length: 60 }, (_, at) => `The water rose ${at} times.`).join('\n\n'));
  const preview = page.getByLabel('Preview beside the text');
  await expect(preview.getByText('The water rose 0 times.')).toBeInViewport();
  await page.keyboard.insertText('\n\nIt fell.');
  await expect(preview.getByText('It fell.')).toBeInViewport();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.insertText('First. ');
  await expect(preview.getByText('First. The water rose 0 times.')).toBeInViewport();
});

test('the preview beside a changed text is the same as one that is made anew', async ({ page }) => {
  await startEssay(page, 'On rivers');
  await write(page, 'The *water* rose.\n\n- one\n- two\n\nIt fell.\n\n> So it was.');
  const beside = page.getByLabel('Preview beside the text');
  await expect(beside.getByText('So it was.')).toBeVisible();
  const changes = [
    ['ControlOrMeta+Home', '## The flood\n\n', 'The flood'],
    ['ControlOrMeta+End', '\n\nAfter *it*, [again](/a).', 'After it, again.'],
    ['ArrowUp', 'Before. ', 'Before.'],
  ] as const;
  for (const [key, text, shown] of changes) {
    await page.keyboard.press(key);
    await page.keyboard.insertText(text);
    await expect(beside.getByText(shown)).toBeVisible();
  }
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ControlOrMeta+Shift+ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Backspace');
  await expect(beside.getByText('The flood')).toHaveCount(0);
  const changed = await beside.locator('.prose').innerHTML();
  await page.getByRole('tab', { name: 'Preview' }).click();
  const anew = page.getByRole('tabpanel').locator('.prose');
  await expect(anew.getByText('So it was.')).toBeVisible();
  expect(changed.replaceAll(' tabindex="-1"', '')).toBe(await anew.innerHTML());
});

test('the preview equals the published post for each kind of reader; tags are suggested, and their effect is shown', async ({
  site,
  page,
}) => {
  await site.seed('--posts', '0', '--members', '4', '--tags', '1');
  await startEssay(page, 'On rivers');
  await write(page, '## Where they *begin*\n\n> Up [here](https://example.com).\n\n- `code`\n');
  const beside = page.getByRole('region', { name: 'Preview beside the text' });
  await expect(beside.locator('em')).toHaveText('begin');
  const endOfText = await page.locator('.writing').evaluate(field => field.getBoundingClientRect().right);
  expect(await beside.evaluate(preview => preview.getBoundingClientRect().left)).toBeGreaterThan(endOfText);
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await tags.fill(' a secret , ');
  const nobody = 'Only admins: none of 4 members is approved for “a secret”.';
  await expect(page.getByText(nobody, { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = page.getByRole('tabpanel', { name: 'Preview' });
  await expect(preview.getByText('On rivers')).toBeVisible();
  await page.getByText('A visitor', { exact: true }).click();
  await expect(
    preview.getByText('Visitors can’t see this post. Its link takes them to the login page.'),
  ).toBeVisible();
  await expect(preview.getByText('On rivers')).toHaveCount(0);
  await page.getByText('A member', { exact: true }).click();
  await expect(preview.getByText('No member can read this post yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove a secret' }).click();
  await expect(page.getByText('Everybody, including visitors.', { exact: true })).toBeVisible();
  await expect(preview.getByText('On rivers')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Write' }).click();
  await expect(text(page)).toContainText('## Where they *begin*');

  const { post } = await callFrom(page, 'createPost', essay({ tags: ['friends'] }));
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(page.getByRole('button', { name: 'Cannot save published post as draft' })).toBeDisabled();
  await page.getByRole('button', { name: 'Remove friends' }).click();
  await expect(page.getByText('When saved, this post becomes visible to visitors.')).toBeVisible();
  await tags.fill('FRI');
  // Enter takes the known tag that begins like this, which is highlighted, and makes no new one.
  await expect(page.getByRole('option')).toHaveText(['friends', 'New tag “FRI”']);
  await expect(page.getByRole('option', { name: 'friends', exact: true })).toHaveAttribute(
    'data-highlighted',
  );
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove friends' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove FRI', exact: true })).toHaveCount(0);
  await expect(page.getByText('becomes visible to visitors')).toHaveCount(0);
  // The effect is shown also if as many lose it as gain it.
  await addAccount(site, { username: 'ann', name: 'Ann', tags: ['friends'] });
  await callFrom(page, 'addTag', { name: 'family' });
  await addAccount(site, { username: 'ben', name: 'Ben', tags: ['family'] });
  await page.getByRole('button', { name: 'Remove friends' }).click();
  await tags.fill('family,');
  await expect(
    page.getByText('When saved, this post becomes visible to 1 member more and is hidden from 1 member.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Remove family' }).click();
  await tags.fill('friends,');
  await tags.fill('  ');
  await page.keyboard.press('Enter');
  await tags.fill('  brand   new ');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove brand new' })).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const names = (await callFrom(page, 'getTags', {})).tags.map(tag => tag.name);
  expect(names).toEqual(expect.arrayContaining(['brand new', 'friends']));
});
