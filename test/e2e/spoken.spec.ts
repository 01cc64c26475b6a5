import { withDatabase } from './accounts.ts';
import { publishEssay, publishNotes, publishPost } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

/** What a screen reader says, and where it is, beyond what the other journeys ask on their way. */

test('Back from a post puts the focus on its card, and the heading of a short post does not repeat its text', async ({
  admin: page,
}) => {
  const id = await publishEssay(page, 'On herons');
  const [note] = await publishNotes(page, ['A note about nothing.']);
  await page.goto('/');
  await hydrated(page);
  const heading = /^Post of \w+ \d+, \d+$/;
  await expect(page.getByRole('heading', { name: heading, level: 2 })).toBeAttached();
  await page.goto(`/post/${note}`);
  await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeAttached();
  await expect(page).toHaveTitle(/^A note about nothing\./);
  await page.goto('/');
  await page.getByRole('link', { name: 'On herons' }).click();
  await expect(page).toHaveURL(`/post/${id}`);
  await page.goBack();
  await expect(page.getByRole('article', { name: 'On herons' })).toBeFocused();
});

test('what is missing in the text is tied to the text', async ({ admin: page }) => {
  await page.goto('/admin/posts/new');
  const text = page.getByRole('textbox', { name: 'Content' });
  await expect(text).toBeVisible();
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(text).toHaveAttribute('aria-invalid', 'true');
  await expect(text).toHaveAccessibleDescription('Content is required.');
});

test('the preview beside the text is read after the attachments and the buttons', async ({ admin: page }) => {
  await page.goto('/admin/posts/new');
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.insertText('The water rose.');
  await expect(page.getByRole('region', { name: 'Preview beside the text' }).locator('p')).toHaveText(
    'The water rose.',
  );
  // Chromium's own tree: ariaSnapshot leaves what is owned where it is in the document.
  const session = await page.context().newCDPSession(page);
  const readAloud = async () => {
    const { nodes } = await session.send('Accessibility.getFullAXTree');
    const byId = new Map(nodes.map(node => [node.nodeId, node]));
    const read: string[] = [];
    const walk = (id: string) => {
      const node = byId.get(id);
      read.push(`${node?.role?.value} ${node?.name?.value}`);
      for (const child of node?.childIds ?? []) walk(child);
    };
    walk(nodes[0]?.nodeId ?? '');
    return read.filter(place => places.includes(place));
  };
  const places = [
    'textbox Content',
    'heading Attachments',
    'button Save as Draft',
    'region Preview beside the text',
  ];
  await expect.poll(readAloud).toEqual(places);
});

test('Tab goes from the text to the tags and the buttons, past the links of the preview beside it', async ({
  admin: page,
}) => {
  await page.goto('/admin/posts/new');
  await page.getByRole('textbox', { name: 'Content' }).click();
  await page.keyboard.insertText('[One](/about) and [two](https://other.example).');
  const preview = page.getByRole('region', { name: 'Preview beside the text' });
  await expect(preview.getByRole('link')).toHaveCount(2);
  const publish = page.getByRole('button', { name: 'Publish' });
  const isPublish = () => publish.evaluate(button => button === document.activeElement);
  await page.keyboard.press('Escape');
  const passed: string[] = [];
  do {
    await page.keyboard.press('Tab');
    passed.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
  } while (!(await isPublish()));
  expect(passed).not.toContain('One');
  expect(passed).not.toContain('two');
  await preview.getByRole('link', { name: 'One' }).focus();
  await expect(preview.getByRole('link', { name: 'One' })).toBeFocused();
});

test('older comments come where nothing is seen to move: what is below leaves the screen at the click', async ({
  site,
  admin: page,
}) => {
  const id = await publishPost(page, 'Much discussed.');
  withDatabase(site, db => {
    const add = db.prepare('insert into comments (id, post_id, content, created_at) values (?, ?, ?, ?)');
    for (let n = 0; n < 25; n += 1) add.run(`c${n}`, id, `Comment ${n}, at some length.`, n + 1);
    db.prepare('update posts set comment_count = 25 where id = ?').run(id);
  });
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(`/post/${id}?comments=1#comments`);
  await hydrated(page);
  const footer = page.locator('footer.foot');
  // What scrolls to the comments has begun, and goes on until the reader moves, as by a key.
  await expect(page.locator('#comments')).toBeFocused();
  await page.keyboard.press('End');
  await expect(footer).toBeInViewport();
  const asked = Promise.withResolvers<void>();
  await page.route('**/api/listComments', async route => {
    await asked.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Load More Comments' }).click();
  await expect(footer).not.toBeInViewport();
  asked.resolve();
  await expect(page.getByText('Comment 0, at some length.')).toBeAttached();
});
