import type { Page } from '@playwright/test';
import { publishForFriends, publishPost } from './content.ts';
import { startEssay, text, write } from './editor.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import type { People } from './people.ts';

/** Back closes what is open over a page, which is how phones close things. */

/** An admin comes from the archive to a timeline with an About text and tags. */
async function openOnPhone(page: Page, people: People): Promise<void> {
  await people.admin(page);
  await publishForFriends(page);
  await callFrom(page, 'saveAbout', { content: 'I write.' });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/archive');
  await page.goto('/');
  await hydrated(page);
}

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

test('Back closes a picture and stays on the page; forward opens nothing, and the next Back leaves', async ({
  admin: page,
}) => {
  await page.route('**/picture.gif', route =>
    route.fulfill({ contentType: 'image/gif', body: Buffer.from(pixel.split(',')[1] ?? '', 'base64') }),
  );
  const content = `![A spring](/picture.gif)\n\n${'And on.\n\n'.repeat(60)}![A mouth](/picture.gif)`;
  const { post } = await callFrom(page, 'createPost', {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content,
    tags: [],
    isDraft: false,
  });
  await page.goto('/');
  await page.getByRole('link', { name: 'On rivers' }).click();
  await hydrated(page);
  // Another font would move the text.
  await page.evaluate(() => document.fonts.ready);
  const mouth = page.getByRole('button', { name: 'Open image: A mouth' });
  const dialog = page.getByRole('dialog');
  await mouth.click();
  await expect(dialog).toBeVisible();
  const scrolled = await page.evaluate(() => window.scrollY);
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(`/post/${post.id}`);
  await expect(mouth).toBeFocused();
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(scrolled);

  await page.evaluate(() => window.history.forward());
  await expect.poll(() => page.evaluate(() => window.history.state)).toEqual({ index: 1 });
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(`/post/${post.id}`);

  // Closed in another way, it leaves nothing behind.
  for (const key of ['Escape', 'Enter']) {
    await mouth.press('Enter');
    await expect(dialog).toBeVisible();
    if (key === 'Escape') await page.keyboard.press(key);
    else await dialog.getByRole('button', { name: 'Close' }).press(key);
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => window.history.state)).toEqual({ index: 1 });
  }
  await page.goBack();
  await expect(page).toHaveURL('/');
});

test('Back answers a question with no, and closes a panel of the editor without touching the text', async ({
  admin: page,
}) => {
  await startEssay(page, 'On rivers');
  await write(page, 'Every word.');
  await page.getByRole('button', { name: 'Writing help' }).click();
  const help = page.getByRole('dialog', { name: 'Writing help' });
  await expect(help).toBeVisible();
  await page.goBack();
  await expect(help).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(text(page)).toHaveText('Every word.');

  const question = page.getByRole('alertdialog');
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(question).toContainText('You have unsaved changes.');
  await page.goBack();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(text(page)).toHaveText('Every word.');
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/admin/posts');
  // The question is no step between the two pages.
  await page.goBack();
  await expect(page).toHaveURL('/admin/posts/new');
});

test('a dialog that leads to another page leaves no step behind', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin, 'By the river.');
  const page = await people.visitor();
  await page.goto('/');
  await page.getByRole('article').locator('.dated').click();
  await hydrated(page);
  await page.getByRole('button', { name: /^Like/ }).click();
  await page.getByRole('alertdialog').getByRole('button').first().waitFor();
  await page.goBack();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await page.getByRole('button', { name: /^Like/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Yes' }).click();
  await expect(page).toHaveURL(/\/login/);
  await page.goBack();
  await expect(page).toHaveURL(`/post/${postId}`);
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL('/');
});

test('Back closes the panels of the timeline on a phone, and leaves the posts that were searched', async ({
  page,
  people,
}) => {
  await openOnPhone(page, people);
  const panels = {
    about: page.getByRole('complementary', { name: 'About' }),
    search: page.getByRole('search', { name: 'Posts by tag' }),
  };
  for (const [name, panel] of Object.entries(panels)) {
    const toggle = page.getByRole('button', { name, exact: true });
    await toggle.click();
    await panel.getByRole('button').first().focus();
    await page.goBack();
    await expect(panel).toBeHidden();
    await expect(toggle).toBeFocused();
    await expect(page).toHaveURL('/');
    // Closed by its button, it leaves nothing behind.
    await toggle.click();
    await expect(panel).toBeVisible();
    await toggle.click();
    await expect(panel).toBeHidden();
    await expect.poll(() => page.evaluate(() => window.history.state)).toEqual({ index: 0 });
  }

  await page.getByRole('button', { name: 'search', exact: true }).click();
  await panels.search.getByRole('button', { name: 'family' }).click();
  await panels.search.getByRole('button', { name: 'Search' }).click();
  await expect(page).toHaveURL('/?tags=family');
  await expect(panels.search).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page).toHaveURL('/archive');
});

test('one step over two open panels closes both', async ({ page, people }) => {
  await openOnPhone(page, people);
  const about = page.getByRole('complementary', { name: 'About' });
  const search = page.getByRole('search', { name: 'Posts by tag' });
  await page.getByRole('button', { name: 'about', exact: true }).click();
  await page.getByRole('button', { name: 'search', exact: true }).click();
  await expect.poll(() => page.evaluate(() => window.history.state)).toMatchObject({ index: 2 });
  await page.evaluate(() => window.history.go(-2));
  await expect(about).toBeHidden();
  await expect(search).toBeHidden();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page).toHaveURL('/archive');
});

test('Back closes the About panel that a first step has opened', async ({ admin: page }) => {
  await page.goto('/archive');
  await page.goto('/');
  await hydrated(page);
  const about = page.getByRole('complementary', { name: 'About' });
  const step = page.getByRole('link', { name: 'Say who you are' });
  // Where there is room for it, nothing is opened that Back could close.
  await step.press('Enter');
  await expect(about).toBeFocused();
  await page.goBack();
  await expect(page).toHaveURL('/archive');
  await page.goForward();
  await hydrated(page);

  await page.setViewportSize({ width: 360, height: 800 });
  await expect(about).toBeHidden();
  await step.press('Enter');
  await expect(about).toBeFocused();
  await expect.poll(() => page.evaluate(() => window.history.state)).toMatchObject({ index: 1 });
  await page.goBack();
  await expect(about).toBeHidden();
  await expect(step).toBeFocused();
  await expect(page).toHaveURL('/');
});

test('Back from a footnote returns to where its reader was, and forward to the note', async ({
  admin: page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const content = `Begin.\n\n${'And on.\n\n'.repeat(20)}As she said.[^1]\n\n${'And on.\n\n'.repeat(60)}[^1]: In a letter.`;
  const { post } = await callFrom(page, 'createPost', {
    ...{ type: 'essay', title: 'On rivers', description: 'Where they come from.' },
    ...{ content, tags: [], isDraft: false },
  });
  await page.goto(`/post/${post.id}`);
  await hydrated(page);
  await page.evaluate(() => document.fonts.ready);
  const note = page.getByText('In a letter.');
  const reference = page.getByRole('link', { name: '1', exact: true });
  for (const _ of ['once', 'again']) {
    await reference.scrollIntoViewIfNeeded();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(0);
    const place = await page.evaluate(() => window.scrollY);
    await reference.click();
    await expect(note).toBeInViewport();
    await page.goBack();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(place);
    await page.goForward();
    await expect(note).toBeInViewport();
    await page.goBack();
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(place);
  }
});
