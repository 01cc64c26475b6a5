import type { Locator } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Writing in the editor (specification section 2, "/admin/posts/new" and "/admin/posts/{postId}/edit"). */

/** Whether nothing covers an element, at its middle and at its lower edge. */
const isOnTop = (element: Locator) =>
  element.evaluate(node => {
    const { left, top, bottom, height } = node.getBoundingClientRect();
    return [top + height / 2, bottom - 1].every(y => node.contains(document.elementFromPoint(left + 1, y)));
  });

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
  await expect(page.getByText('Content is required.')).toHaveCount(0);
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
  await expect(page.getByText('A title is required for an essay.')).toHaveCount(0);
  await expect(page.getByText('A description is required for an essay.')).toBeVisible();
  await page.getByText('Short Post', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveCount(0);
  await page.getByText('Essay', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveValue('Kept');
  await expect(text(page)).toContainText('aaaaaaaaaa');
  await page.getByText('Short Post', { exact: true }).click();

  await text(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('hill');
  // A format of the word at the cursor leaves the cursor there.
  await page.keyboard.press('ControlOrMeta+b');
  await page.keyboard.insertText('s');
  await expect(text(page)).toHaveText('**hills**');
  await page.keyboard.press('ControlOrMeta+b');
  await expect(text(page)).toHaveText('hills');
  await page.keyboard.press('ControlOrMeta+a');
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
  // Together: two seconds later Tab would indent again.
  await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Tab')]);
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

test('who publishes an empty text from its preview gets to the text and to what is missing', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/admin/posts/new');
  // The second time, too: its error is there already.
  for (const _ of ['first', 'second']) {
    await page.getByRole('tab', { name: 'Preview' }).click();
    await expect(page.getByRole('alert')).not.toBeVisible();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByRole('tab', { name: 'Write' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('alert')).toBeInViewport();
    await expect(text(page)).toBeFocused();
  }
});

test('what is missing in the text is said above the bar of a small laptop', async ({ page }) => {
  await page.goto('/admin/posts/new');
  const error = page.getByRole('alert');
  for (const height of [720, 800]) {
    await page.setViewportSize({ width: 1280, height });
    // The second time, too: its error is there already.
    for (const _ of ['first', 'second']) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await expect.poll(() => isOnTop(error)).toBe(true);
    }
  }
});

test('each line is written from the side where its own words begin', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await write(page, 'The water rose.\n\nהמים עלו.\n\nالماء يرتفع.');
  const directions = () =>
    page.locator('.cm-line').evaluateAll(lines => lines.map(line => getComputedStyle(line).direction));
  await expect.poll(directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', 'rtl']);
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
