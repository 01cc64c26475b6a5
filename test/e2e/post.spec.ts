import type { Page } from '@playwright/test';
import { decide, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishPost } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import type { RunningSite } from './site.ts';

/** Attachments cannot be made on a page yet: straight into the table. */
function attach(
  site: RunningSite,
  postId: string,
  files: { name: string; type: string; description?: string }[],
) {
  withDatabase(site, db => {
    const insert = db.prepare(
      'insert into attachments (id, post_id, position, name, url, type, size, description, thumbnail) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    files.forEach(({ name, type, description }, position) => {
      const thumbnail = type.startsWith('video/') ? '/icon-192.png' : null;
      const url = type.startsWith('image/') ? `/icon-192.png?${position}` : `/files/${position}`;
      insert.run(`a${position}`, postId, position, name, url, type, 1, description ?? null, thumbnail);
    });
  });
}

/** Presses a key where the focus is then, in the very step in which a dialog comes into the document. */
const pressWithTheDialog = (page: Page, key: string) =>
  page.evaluate(pressed => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('[role=dialog]') === null) return;
      observer.disconnect();
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }, key);

test('the page of an essay shows its counts, tags and attachments, and comments on demand', async ({
  site,
  people,
}) => {
  const admin = await people.admin();
  const { post } = await callFrom(admin, 'createPost', {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content: 'From the hills.\n\n![A spring](/icon-512.png)',
    tags: ['water'],
    isDraft: false,
  });
  attach(site, post.id, [
    { name: 'one.png', type: 'image/png', description: 'The source' },
    { name: 'two.png', type: 'image/png' },
    { name: 'video.mp4', type: 'video/mp4', description: 'The flow' },
    { name: 'sound.mp3', type: 'audio/mpeg' },
    { name: 'bell.mp3', type: 'audio/mpeg', description: 'The bell' },
    { name: 'map.pdf', type: 'application/pdf' },
  ]);
  await admin.goto(`/post/${post.id}`);
  await expect(admin.getByRole('heading', { name: 'On rivers' })).toBeVisible();
  await expect(admin.getByRole('link', { name: 'water' })).toBeVisible();
  await expect(admin.locator('figcaption').first()).toHaveText('The source');
  await expect(admin.locator('video')).toHaveAttribute('poster', '/icon-192.png');
  await expect(admin.locator('video')).toHaveAttribute('controls', '');
  await expect(admin.locator('audio').first()).toHaveAttribute('controls', '');
  await expect(admin.getByText('sound', { exact: true }).first()).toBeVisible();
  // A sound that somebody has described is not named by its file.
  await expect(admin.getByText('The bell', { exact: true })).toBeVisible();
  await expect(admin.getByText('bell', { exact: true }).first()).toBeHidden();
  await expect(admin.getByRole('link', { name: /map\.pdf/ })).toHaveAttribute('target', '_blank');
  await expectAccessible(admin);

  // The picture in the text and the attached ones, one after another, with the keyboard alone.
  const first = admin.getByRole('button', { name: 'Open image: A spring' });
  await first.focus();
  await admin.keyboard.press('Enter');
  const box = admin.getByRole('dialog');
  await expect(box).toHaveAccessibleName('Image 1 of 3');
  await admin.keyboard.press('ArrowRight');
  await admin.keyboard.press('ArrowRight');
  await admin.keyboard.press('ArrowRight');
  await expect(box).toHaveAccessibleName('Image 3 of 3');
  await expect(box.getByRole('button', { name: 'Next image' })).toBeDisabled();
  await admin.keyboard.press('ArrowLeft');
  await expect(box).toHaveAccessibleName('Image 2 of 3');
  await admin.keyboard.press('Escape');
  await expect(box).toBeHidden();
  await expect(first).toBeFocused();
  await admin.getByRole('button', { name: 'Open image 3 of 3', exact: true }).click();
  await expect(box).toHaveAccessibleName('Image 3 of 3');
  await expectAccessible(admin);
  await admin.mouse.click(10, 10);
  await expect(box).toBeHidden();

  // A key that is pressed as soon as the picture is there counts, although the focus follows only with the
  // next frame.
  await expect(box).toHaveCount(0);
  await pressWithTheDialog(admin, 'End');
  await first.click();
  await expect(box).toHaveAccessibleName('Image 3 of 3');
  await box.getByRole('button', { name: 'Close' }).click();
  await expect(box).toBeHidden();

  await admin.getByRole('button', { name: '0 comments' }).click();
  await expect(admin.getByLabel('Write a comment', { exact: true })).toBeVisible();
});

test('the link to the comments opens them and scrolls to them, also a second time', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishPost(admin, 'A line.\n\n'.repeat(30));
  await callFrom(admin, 'addComment', { postId, content: 'hello' });
  await admin.setViewportSize({ width: 360, height: 500 });
  await admin.goto(`/post/${postId}#comments`);
  await expect(admin.getByRole('heading', { name: '1 comment' })).toBeInViewport();
  await admin.evaluate(() => window.scrollTo(0, 0));
  await expect(admin.getByRole('heading', { name: '1 comment' })).not.toBeInViewport();
  await admin.evaluate(() => {
    window.location.hash = '';
    window.location.hash = '#comments';
  });
  await expect(admin.getByRole('heading', { name: '1 comment' })).toBeInViewport();
});

test('a neighbour that is already loaded is another page: its heading has the focus, its comments their own text', async ({
  people,
}) => {
  const admin = await people.admin();
  await publishEssay(admin, 'On herons');
  const id = await publishEssay(admin, 'On rivers');
  await admin.goto(`/post/${id}#comments`);
  const box = admin.getByLabel('Write a comment', { exact: true });
  await box.fill('About rivers');
  const older = admin.getByRole('link', { name: 'Older On herons' });
  const loaded = admin.waitForResponse('**/api/getPost');
  await older.hover();
  await loaded;
  await older.click();
  await expect(admin.getByRole('heading', { name: 'On herons' })).toBeFocused();
  await expect(box).toHaveCount(0);
  await admin.getByRole('link', { name: '0 comments' }).click();
  await expect(box).toHaveValue('');
});

test('the page of a missing post says so and leads to the timeline; that of a post that is not shared leads to the login page', async ({
  site,
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishPost(admin, 'for friends', ['friends']);
  const visitor = await people.visitor();
  // Its scripts lead away from it after some seconds.
  const seen = Promise.withResolvers<void>();
  await visitor.route('**/*.js', async route => {
    await seen.promise;
    await route.continue();
  });
  const opened = visitor.goto('/post/nothing');
  await expect(visitor.getByRole('heading', { name: 'Post not found' })).toBeVisible();
  seen.resolve();
  expect((await opened)?.status()).toBe(404);
  await expect(visitor).toHaveURL('/');
  await visitor.goto(`/post/${postId}`);
  await expect(visitor).toHaveURL(`/login?next=${encodeURIComponent(`/post/${postId}`)}`);

  const lucy = await people.member('lucy', { status: 'pending' });
  await lucy.goto(`/post/${postId}`);
  await expect(lucy.getByText('Your account is still waiting for approval by an admin.')).toBeVisible();
  decide(site, 'lucy', 'approved');
  await expect(lucy.getByText('This post is not shared with your account.')).toBeVisible();
  await lucy.getByRole('link', { name: 'Go to the timeline' }).click();
  await expect(lucy).toHaveURL('/');
});

test('when a post cannot be fetched, the page says so, and the reader can try again', async ({ people }) => {
  const admin = await people.admin();
  const { post } = await callFrom(admin, 'createPost', {
    type: 'essay',
    title: 'On rivers',
    description: 'Where they come from.',
    content: 'From the hills.',
    isDraft: false,
  });
  const visitor = await people.visitor();
  await visitor.goto('/');
  await visitor.route('**/api/getPost', route =>
    route.fulfill({ status: 403, json: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } } }),
  );
  await visitor.getByRole('link', { name: 'On rivers' }).click();
  await expect(visitor.getByText('Error fetching post. Please try again.')).toBeVisible();
  await expect(visitor.getByRole('heading', { level: 1 })).toBeFocused();
  await visitor.unroute('**/api/getPost');
  const held = Promise.withResolvers<void>();
  await visitor.route('**/api/getPost', async route => {
    await held.promise;
    await route.continue();
  });
  // A screen reader announces only what changes in a status that was there before.
  const status = visitor.getByRole('main').getByRole('status');
  await expect(status).toHaveText('');
  await status.evaluate(element => element.setAttribute('data-before', ''));
  await visitor.getByRole('button', { name: 'Try again' }).click();
  await expect(visitor.locator('[data-before]')).toHaveText('Loading...');
  // The text would push a footer that stands in view down.
  await expect(visitor.getByRole('contentinfo')).not.toBeInViewport();
  held.resolve();
  await expect(visitor.getByText('From the hills.')).toBeVisible();
  expect(visitor.url()).toContain(post.id);

  // The post is fetched again when the window gets the focus; the loaded post stays if that fails.
  await visitor.route('**/api/getPost', route =>
    route.fulfill({ status: 403, json: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } } }),
  );
  const refused = visitor.waitForResponse('**/api/getPost');
  await visitor.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await (await refused).finished();
  await expect(visitor.getByText('From the hills.')).toBeVisible();
  await expect(visitor.getByText('Error fetching post. Please try again.')).toHaveCount(0);
});
