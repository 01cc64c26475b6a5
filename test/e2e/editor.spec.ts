import { essay } from '../support/factories.ts';
import { addAccount } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Writing in the editor (specification section 2, "/admin/posts/new" and "/admin/posts/{postId}/edit"). */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('the author chooses the type, sees its limits, and formats with toolbar and shortcuts, which the help lists', async ({
  page,
}) => {
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await page.goto('/admin/posts/new');
  await expect(page.getByRole('radio', { name: 'Short Post' })).toBeChecked();
  await publish.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Content is required.' })).toBeVisible();
  await expect(text(page)).toBeFocused();

  // Characters are counted as people count them.
  await write(page, '👨‍👩‍👧‍👦'.repeat(290));
  await expect(page.getByText('290 / 300')).toHaveClass(/near/);
  await page.keyboard.insertText('a'.repeat(11));
  await expect(page.getByText('301 / 300')).toHaveClass(/over/);
  await expect(page.getByText('A short post has at most 300 characters. Remove 1 to save it.')).toBeVisible();
  await expect(publish).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Save as Draft' })).toBeDisabled();
  await page.keyboard.press('Backspace');
  await expect(publish).toBeEnabled();

  // Changing the type keeps what was typed.
  await page.getByText('Essay', { exact: true }).click();
  await publish.click();
  await expect(page.getByText('A title is required for an essay.')).toBeVisible();
  await expect(page.getByText('A description is required for an essay.')).toBeVisible();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByLabel('Title').fill('Kept');
  await page.getByText('Short Post', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveCount(0);
  await page.getByText('Essay', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveValue('Kept');
  await expect(text(page)).toContainText('aaaaaaaaaa');
  await page.getByText('Short Post', { exact: true }).click();

  await text(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('hills');
  await page.keyboard.press('ControlOrMeta+b');
  await expect(text(page)).toHaveText('**hills**');
  await page.getByRole('button', { name: 'Bold' }).click();
  await expect(text(page)).toHaveText('hills');
  await page.getByRole('button', { name: 'Italic' }).click();
  await expect(text(page)).toHaveText('*hills*');
  await page.keyboard.press('ControlOrMeta+i');
  await expect(text(page)).toHaveText('hills');
  // An address pasted over words makes them a link.
  await text(page).evaluate(element => {
    const data = new DataTransfer();
    data.setData('text/plain', 'https://example.com/a');
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect(text(page)).toHaveText('[hills](https://example.com/a)');
  await page.getByRole('button', { name: 'List' }).click();
  await expect(text(page)).toContainText('- [hills]');
  // In a list Tab indents; Escape, then Tab, moves the focus.
  await page.keyboard.press('Tab');
  await expect(text(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(text(page)).not.toBeFocused();
  await expect(page.getByText('Saved in this browser')).toBeVisible();

  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+/');
  const help = page.getByRole('dialog', { name: 'Writing help' });
  await expect(help).toContainText('Ctrl+B');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);
  await expect(text(page)).toBeFocused();
  await page.getByRole('button', { name: 'Save as Draft' }).click();
  await expect(page).toHaveURL('/admin/posts');
  await expect(page.getByRole('article')).toContainText('Draft');
  expect((await callFrom(page, 'getPosts', {})).posts).toEqual([]);
  await page.getByRole('link', { name: /^Edit/ }).click();
  await expect(page.getByText('This browser has unsaved text of')).toHaveCount(0);
  await publish.click();
  await expect(page).toHaveURL('/admin/posts');
  await expect(page.getByRole('article')).not.toContainText('Draft');
  expect((await callFrom(page, 'getPosts', {})).posts).toHaveLength(1);
});

test('a title and a description that are too long stay whole, and the post is not saved before they are shorter', async ({
  page,
}) => {
  await startEssay(page, 'On rivers');
  await write(page, 'Every word.');
  let saves = 0;
  page.on('request', request => {
    if (request.url().endsWith('/createPost')) saves += 1;
  });
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  for (const [label, most, sentence] of [
    ['Title', 200, 'A title has at most 200 characters. Remove 3 to save it.'],
    ['Description', 500, 'A description has at most 500 characters. Remove 3 to save it.'],
  ] as const) {
    const field = page.getByLabel(label);
    await field.fill('');
    await field.focus();
    // Spaces at the ends are not saved, and a pasted line break is a space.
    await page.keyboard.insertText(`  ${'word\n'.repeat(most / 5)}and`);
    await expect(field).toHaveValue(/ and$/);
    await expect(page.getByText(`${most + 3} / ${most}`)).toHaveClass(/over/);
    await expect(page.getByText(sentence)).toBeVisible();
    await expect(field).toHaveAccessibleDescription(sentence);
    for (const button of [publish, page.getByRole('button', { name: 'Save as Draft' })]) {
      await button.click();
      await expect(field).toBeFocused();
    }
    for (let key = 0; key < 4; key += 1) await page.keyboard.press('Backspace');
    await expect(page.getByText(`${most - 1} / ${most}`)).toHaveClass(/near/);
  }
  expect(saves).toBe(0);
  await publish.click();
  await expect(page).toHaveURL('/admin/posts');
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

test('each line is written from the side where its own words begin', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await write(page, 'The water rose.\n\nהמים עלו.\n\nالماء يرتفع.');
  const directions = page
    .locator('.cm-line')
    .evaluateAll(lines => lines.map(line => getComputedStyle(line).direction));
  expect(await directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', 'rtl']);
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
  await expect(page.getByText('Only admins: none of 4 members is approved for “a secret”.')).toBeVisible();
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
  await expect(page.getByText('Everybody, including visitors.')).toBeVisible();
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

test('Enter adds the highlighted tag; after Escape, and with a comma or Tab, the typed tag is added', async ({
  page,
}) => {
  for (const name of ['art history', 'family']) await callFrom(page, 'addTag', { name });
  await startEssay(page, 'On art');
  const tags = page.getByRole('combobox', { name: 'Tags' });
  const chosen = page.locator('.chip.picked');
  const first = page.getByRole('option').first();
  await tags.press('a');
  await expect(first).toHaveAttribute('data-highlighted');
  await tags.press('Backspace');
  // Nobody has chosen the first of all tags.
  await tags.press('Enter');
  await tags.press('a');
  await expect(first).toHaveText('art history');
  await expect(first).toHaveAttribute('data-highlighted');
  await tags.press('Enter');
  await expect(chosen).toHaveText(['art history']);
  await page.getByRole('button', { name: 'Remove art history' }).click();

  for (const keys of [['Escape', 'Enter'], [','], ['Tab']]) {
    await tags.pressSequentially('art');
    await expect(first).toHaveText('art history');
    await expect(first).toHaveAttribute('data-highlighted');
    for (const key of keys) await page.keyboard.press(key);
    await expect(chosen).toHaveText(['art']);
    await expect(tags).toHaveValue('');
    await page.getByRole('button', { name: 'Remove art' }).click();
  }
  await tags.pressSequentially('art');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await expect(tags).toHaveValue('art');
  // A click shows the suggestions again, with none of them highlighted.
  await tags.click();
  await expect(first).toHaveText('art history');
  await page.keyboard.press('Enter');
  await expect(chosen).toHaveText(['art']);
});
