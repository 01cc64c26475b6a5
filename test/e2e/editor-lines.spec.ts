import type { Locator } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** Lines and paragraphs in the editor and in its preview. */

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('what is typed into a long essay changes its preview where it belongs, and nowhere else', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await startEssay(page, 'Long');
  const paragraphs = Array.from({ length: 200 }, (_, n) => `Paragraph ${n} of the river.`);
  await write(page, paragraphs.join('\n\n'));
  const blocks = page.getByRole('region', { name: 'Preview beside the text' }).locator('.prose > p');
  await expect(blocks).toHaveCount(200);
  // As a property, which makes it no other element.
  const marked = (element: Element) => void Object.assign(element, { isMarked: true });
  for (const place of [0, 100, 198]) await blocks.nth(place).evaluate(marked);
  await page.keyboard.type(' The end');
  await expect(blocks.last()).toHaveText('Paragraph 199 of the river. The end');
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('First. ');
  await expect(blocks.first()).toHaveText('First. Paragraph 0 of the river.');
  await expect(blocks).toHaveCount(200);
  for (const place of [100, 198])
    expect(await blocks.nth(place).evaluate(element => 'isMarked' in element)).toBe(true);
});

test('the last word of a long essay is saved by who publishes right after it, by pointer or keys', async ({
  page,
}) => {
  const long = 'The river rose in the night. '.repeat(150);
  for (const [title, publish] of [
    ['By pointer', (button: Locator) => button.click()],
    ['By keys', (button: Locator) => button.press('Enter')],
  ] as const) {
    await startEssay(page, title);
    await write(page, long);
    await page.keyboard.type('The end');
    await publish(page.getByRole('button', { name: 'Publish', exact: true }));
    await expect(page).toHaveURL('/admin/posts');
    const { posts } = await callFrom(page, 'getPosts', {});
    const { post } = await callFrom(page, 'getPost', { postId: posts[0]?.id ?? '' });
    expect(post).toMatchObject({ title, content: `${long}The end` });
  }
});

test('lines are kept in a short post, and in an essay if its author says so; a paragraph after a list is one', async ({
  page,
}) => {
  await page.goto('/admin/posts/new');
  await text(page).click();
  for (const line of ['- milk', 'bread']) {
    await page.keyboard.type(line);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Enter');
  await page.keyboard.type('After it.');
  await page.keyboard.press('Enter');
  await page.keyboard.type('On its own line.');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  expect(posts[0]).toHaveProperty('content', '- milk\n- bread\n\nAfter it.\nOn its own line.');
  await page.goto('/');
  await expect(page.locator('.prose li')).toHaveText(['milk', 'bread']);
  await expect(page.locator('.prose p')).toHaveText('After it.\nOn its own line.', { useInnerText: true });

  await startEssay(page, 'A poem');
  await write(page, 'The river\nruns on\n\nThe end');
  await expect(page.getByText('These lines will run together.')).toBeVisible();
  await page.getByRole('button', { name: 'Keep the line breaks' }).click();
  await expect(page.getByText('These lines will run together.')).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const [poem] = (await callFrom(page, 'getPosts', {})).posts;
  await page.goto(`/post/${poem?.id}`);
  await expect(page.locator('.prose p').first()).toHaveText('The river\nruns on', { useInnerText: true });
});

test('the editor names a reference to a footnote that has no note', async ({ page }) => {
  await startEssay(page, 'Notes');
  await write(page, 'One[^1], two[^2].\n\n[^1]: A note.\n\n');
  const warning = page.getByText('[^2] has no note. Write it on a line of its own: [^2]: ...');
  await expect(warning).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.insertText('[^2]: Another.');
  await expect(warning).toHaveCount(0);
  // In a short post, too.
  await page.getByText('Short Post', { exact: true }).click();
  await page.keyboard.press('ControlOrMeta+End');
  await text(page).click();
  await page.keyboard.insertText(' Three[^3] four[^4]');
  await expect(page.getByText('[^3] and [^4] have no notes.')).toBeVisible();
});
