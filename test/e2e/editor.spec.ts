import type { BrowserContext, Page } from '@playwright/test';
import { essay, shortPost } from '../factories.ts';
import { expectAccessible } from './accessible.ts';
import { callFrom, expect, signIn, test } from './site.ts';

/** The editor (specification section 2, "/admin/posts/new" and "/admin/posts/{postId}/edit"). */

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png });
/** The first box of an MP4: what tells its type. */
const video = {
  name: 'high water.mp4',
  mimeType: 'video/mp4',
  buffer: Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'),
};

const text = (page: Page) => page.getByRole('textbox', { name: 'Content' });

async function write(page: Page, words: string): Promise<void> {
  await text(page).click();
  await page.keyboard.insertText(words);
}

async function startEssay(page: Page, title: string): Promise<void> {
  await page.goto('/admin/posts/new');
  await page.getByText('Essay', { exact: true }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Description').fill('What they carry.');
}

test.beforeEach(async ({ site, page }) => {
  await site.createAdmin();
  await signIn(page, 'mina');
});

test('a short post is limited to 300 characters as people count them', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await expect(page.getByRole('radio', { name: 'Short Post' })).toBeChecked();
  await write(page, '👨‍👩‍👧‍👦'.repeat(290));
  await expect(page.getByText('290 / 300')).toHaveClass(/near/);
  await page.keyboard.insertText('a'.repeat(11));
  await expect(page.getByText('301 / 300')).toHaveClass(/over/);
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Save as Draft' })).toBeDisabled();
  await page.keyboard.press('Backspace');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('an essay needs a title and a description, and switching the type keeps what was typed', async ({
  page,
}) => {
  await page.goto('/admin/posts/new');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByText('Content is required.')).toBeVisible();
  await expect(text(page)).toBeFocused();
  await page.getByText('Essay', { exact: true }).click();
  await write(page, 'Long words.');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page.getByText('A title is required for an essay.')).toBeVisible();
  await expect(page.getByText('A description is required for an essay.')).toBeVisible();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByLabel('Title').fill('Kept');
  await page.getByText('Short Post', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveCount(0);
  await page.getByText('Essay', { exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveValue('Kept');
  await expect(text(page)).toContainText('Long words.');
});

test('toolbar, shortcuts and keyboard: formatting, and a way out', async ({ page }) => {
  await page.goto('/admin/posts/new');
  await write(page, 'hills');
  await page.keyboard.press('ControlOrMeta+b');
  await expect(text(page)).toHaveText('**hills**');
  await page.getByRole('button', { name: 'Bold' }).click();
  await expect(text(page)).toHaveText('hills');
  await page.getByRole('button', { name: 'Italic' }).click();
  await expect(text(page)).toHaveText('*hills*');
  await page.keyboard.press('ControlOrMeta+i');
  await page.getByRole('button', { name: 'List' }).click();
  await expect(text(page)).toHaveText('- hills');
  // In a list Tab indents; Escape, then Tab, goes on.
  await page.keyboard.press('Tab');
  await expect(text(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(text(page)).not.toBeFocused();
  await expect(page.getByLabel('Saved in this browser')).toHaveCount(0);
  await expect(page.getByText('Saved in this browser')).toBeVisible();
});

test('the preview is what will be published, seen by whom it will be seen', async ({ site, page }) => {
  await site.cli('seed', '--posts', '0', '--members', '4');
  await startEssay(page, 'On rivers');
  await write(page, '## Where they *begin*');
  await expect(page.locator('.beside em')).toHaveText('begin');
  await page.getByRole('combobox', { name: 'Tags' }).fill(' a secret , ');
  await expect(page.getByText('Only admins: none of 4 members is approved for “a secret”.')).toBeVisible();
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel').getByText('On rivers')).toBeVisible();
  await page.getByText('A visitor', { exact: true }).click();
  await expect(
    page.getByText('Visitors do not see this post. Its address leads them to the log-in page.'),
  ).toBeVisible();
  await expect(page.getByRole('tabpanel').getByText('On rivers')).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove a secret' }).click();
  await expect(page.getByText('Everybody: visitors, too.')).toBeVisible();
  await expect(page.getByRole('tabpanel').getByText('On rivers')).toBeVisible();
  await page.getByRole('tab', { name: 'Write' }).click();
  await expect(text(page)).toHaveText('## Where they begin'.replace('begin', '*begin*'));
});

test('tags are suggested, new ones join the list, and their effect is told before it is saved', async ({
  page,
}) => {
  const { post } = await callFrom(page, 'createPost', essay({ tags: ['friends'] }));
  await page.goto(`/admin/posts/${post.id}/edit`);
  await expect(page.getByRole('button', { name: 'Cannot save published post as draft' })).toBeDisabled();
  const tags = page.getByRole('combobox', { name: 'Tags' });
  await page.getByRole('button', { name: 'Remove friends' }).click();
  await expect(page.getByText('When saved, this post becomes visible to visitors.')).toBeVisible();
  await tags.fill('FRI');
  await expect(page.getByRole('option', { name: 'friends', exact: true })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove friends' })).toBeVisible();
  await expect(page.getByText('becomes visible to visitors')).toHaveCount(0);
  await tags.fill('  ');
  await page.keyboard.press('Enter');
  await tags.fill('  brand   new ');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove brand new' })).toBeVisible();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  expect((await callFrom(page, 'getTags', {})).tags.map(tag => tag.name)).toEqual(['brand new', 'friends']);
});

test('media are inserted where the cursor stands, and attachments ordered, described and removed', async ({
  page,
}) => {
  await startEssay(page, 'Media');
  await write(page, 'Before.');
  await expect(page.getByLabel('Images and videos to insert')).toHaveAttribute('accept', 'image/*,video/*');
  await page.getByLabel('Images and videos to insert').setInputFiles([picture('river bank (1).png'), video]);
  await expect(text(page)).toContainText(
    /!\[river bank \(1\)\.png\]\(\/files\/[\w-]+\/river_bank__1_\.png\)/,
  );
  await expect(text(page)).toContainText(/\[Video: high water\.mp4\]\(\/files\/[\w-]+\/high_water\.mp4\)/);
  await page
    .getByLabel('Files to attach')
    .setInputFiles([picture('one.png'), picture('two.png'), picture('three.png')]);
  const list = page.locator('.files li');
  await expect(list).toHaveCount(3);
  await page.getByRole('button', { name: 'Move two.png up' }).click();
  await page.getByLabel('Description of two.png').fill('The second');
  await page.getByRole('button', { name: 'Remove three.png' }).click();
  await expect(list.locator('strong')).toHaveText(['two.png', 'one.png']);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  expect(posts[0]?.attachments.map(({ name, description }) => [name, description])).toEqual([
    ['two.png', 'The second'],
    ['one.png', null],
  ]);
  await page.goto(`/post/${posts[0]?.id}`);
  await expect(page.locator('.prose video')).toHaveCount(1);
  await expect(page.locator('.prose img')).toHaveCount(1);
});

test('pictures are pasted and dropped', async ({ page }) => {
  await page.goto('/admin/posts/new');
  for (const kind of ['paste', 'drop']) {
    await text(page).click();
    await text(page).evaluate(
      (element, { kind, bytes }) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], `${kind}.png`, { type: 'image/png' }));
        const { left, top } = element.getBoundingClientRect();
        const event =
          kind === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent('drop', {
                dataTransfer: data,
                bubbles: true,
                cancelable: true,
                clientX: left + 20,
                clientY: top + 20,
              });
        element.dispatchEvent(event);
      },
      { kind, bytes: [...png] },
    );
    await expect(text(page)).toContainText(`![${kind}.png](/files/`);
  }
});

test.describe('failures', () => {
  test.use({ allowedErrors: [/503|409|403|400|Failed to load resource|ERR_/] });

  test('of an upload are told, and it can be tried again or cancelled', async ({ page }) => {
    await page.goto('/admin/posts/new');
    await page.route('**/v0/b/**', route =>
      route.fulfill({ status: 403, json: { error: { code: 403, message: 'Not now.' } } }),
    );
    const chooser = page.getByLabel('Images and videos to insert');
    await chooser.setInputFiles([picture('a.png')]);
    await expect(page.getByText('Failed to upload media. Please try again.')).toBeVisible();
    await page.unroute('**/v0/b/**');
    await page.getByRole('button', { name: 'Try a.png again' }).click();
    await expect(text(page)).toContainText('![a.png](/files/');

    // One that never ends, until it is cancelled.
    await page.route('**/v0/b/**', () => {});
    await chooser.setInputFiles([picture('b.png')]);
    await expect(page.getByRole('progressbar', { name: 'Uploading b.png' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
    await page.getByRole('button', { name: 'Cancel b.png' }).click();
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    await expect(text(page)).not.toContainText('b.png');
  });

  test('of a save are told and lose nothing, and a lost answer makes no second post', async ({ page }) => {
    await startEssay(page, 'On rivers');
    await write(page, 'Every word.');
    await page.route('**/api/createPost', route =>
      route.fulfill({ status: 503, json: { error: { status: 'UNAVAILABLE', message: 'Not now.' } } }),
    );
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByText('Failed to save post. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();
    await expect(page.getByText('Not now.')).toBeVisible();
    await expect(text(page)).toHaveText('Every word.');
    await expect(page.getByLabel('Title')).toHaveValue('On rivers');

    // Now the server saves, and only its answer is lost.
    await page.unroute('**/api/createPost');
    await page.route('**/api/createPost', async route => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page.getByText('Failed to save post. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();
    await page.unroute('**/api/createPost');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(page).toHaveURL('/admin/posts');
    await expect(page.getByRole('article')).toHaveCount(1);
  });

  test('two authors save one post: both texts are shown, and either can be kept', async ({
    site,
    page,
    browser,
  }) => {
    await site.createAdmin('lucy_w');
    const { post } = await callFrom(page, 'createPost', essay({ title: 'Shared', content: 'First.' }));
    const context = await browser.newContext({ baseURL: site.url });
    const other = await context.newPage();
    await signIn(other, 'lucy_w');
    const saveTheirs = async (content: string) => {
      await other.goto(`/admin/posts/${post.id}/edit`);
      await text(other).click();
      await other.keyboard.press('ControlOrMeta+a');
      await other.keyboard.insertText(content);
      await other.getByRole('button', { name: 'Publish', exact: true }).click();
      await expect(other).toHaveURL('/admin/posts');
    };

    await page.goto(`/admin/posts/${post.id}/edit`);
    await write(page, 'Mine. ');
    await saveTheirs('Theirs.');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog', {
      name: 'Somebody else has saved this post since you opened it',
    });
    await expect(dialog).toContainText('Mine.');
    await expect(dialog).toContainText('Theirs.');
    await page.getByRole('button', { name: 'Keep mine as the new version' }).click();
    await expect(page).toHaveURL('/admin/posts');
    expect((await callFrom(page, 'getPost', { postId: post.id })).post.content).toContain('Mine.');

    await page.goto(`/admin/posts/${post.id}/edit`);
    await write(page, 'Mine again. ');
    await saveTheirs('Theirs again.');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await expect(text(page)).toHaveText('Theirs again.');
    // Mine is kept, and offered.
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(text(page)).toContainText('Mine again.');
    await context.close();
  });
});

test('leaving with unsaved changes asks: links, back, and closing', async ({ page }) => {
  await page.goto('/admin/posts');
  await page.getByRole('link', { name: 'Create New Post' }).click();
  await write(page, 'Not yet saved');
  const question = page.getByText('You have unsaved changes.');
  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(text(page)).toHaveText('Not yet saved');

  await page.evaluate(() => history.back());
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toHaveCount(0);
  await expect(page).toHaveURL('/admin/posts/new');

  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe('beforeunload');
  await dialog.dismiss();
  await expect(text(page)).toHaveText('Not yet saved');

  await page.getByRole('link', { name: 'Posts', exact: true }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.getByRole('link', { name: 'Create New Post' }).click();
  await expect(page.getByText('This browser has unsaved text of')).toBeVisible();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeVisible();
  await expect(page.getByText('This browser has unsaved text of')).toHaveCount(0);
});

for (const [device, viewport] of [
  ['a desk', { width: 1280, height: 800 }],
  ['a phone', { width: 360, height: 740 }],
] as const) {
  test(`an essay from an empty editor to its readers at ${device}, whatever dies meanwhile`, async ({
    site,
    page,
    browser,
  }) => {
    test.setTimeout(120_000);
    await page.setViewportSize(viewport);
    await startEssay(page, 'On rivers');
    const words = Array.from(
      { length: 20 },
      (_, part) => `## Part ${part}\n\n${`word${part} `.repeat(100).trim()}\n\n`,
    );
    await write(page, words.slice(0, 10).join(''));
    const pictures = Array.from({ length: 5 }, (_, index) => picture(`picture ${index}.png`));
    await page.getByLabel('Images and videos to insert').setInputFiles(pictures);
    await expect(page.getByText('Waiting for uploads...')).toHaveCount(0);
    await expect.poll(() => kept(page)).toContain('picture_4.png');

    // The browser dies: its storage is all that is left of it.
    const storageState = await page.context().storageState();
    await page.context().close();
    const context: BrowserContext = await browser.newContext({ baseURL: site.url, storageState, viewport });
    const again = await context.newPage();
    await again.goto('/admin/posts/new');
    await expect(again.getByText('This browser has unsaved text of')).toContainText('On rivers');
    await again.getByRole('button', { name: 'Restore' }).click();
    await expect(again.getByLabel('Title')).toHaveValue('On rivers');
    await text(again).click();
    await again.keyboard.press('ControlOrMeta+End');
    await again.keyboard.insertText(words.slice(10).join(''));
    await again.keyboard.insertText('| River | Length |\n| --- | ---: |\n| Inn | 518 km |\n\n');
    await again.getByLabel('Images and videos to insert').setInputFiles([video]);
    await expect.poll(() => kept(again)).toContain('high_water.mp4');

    // The server dies while the author publishes.
    await site.stop('SIGKILL');
    await again.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(again.getByText('Failed to save post. Please try again.')).toBeVisible();
    await again.getByRole('button', { name: 'OK' }).click();
    await site.start();
    await again.getByRole('button', { name: 'Publish', exact: true }).click();
    await expect(again).toHaveURL('/admin/posts');

    const { posts } = await callFrom(again, 'getPosts', {});
    expect(posts).toHaveLength(1);
    await again.goto(`/post/${posts[0]?.id}`);
    await expect(again.locator('.prose h2')).toHaveCount(20);
    await expect(again.locator('.prose img')).toHaveCount(5);
    await expect(again.locator('.prose video')).toHaveCount(1);
    await expect(again.locator('.prose table')).toHaveCount(1);
    const body = (await again.locator('.prose').textContent()) ?? '';
    expect(body.match(/word\d+/g)).toHaveLength(2_000);
    for (const image of await again.locator('.prose img').all())
      expect(await image.evaluate((element: HTMLImageElement) => element.decode().then(() => true))).toBe(
        true,
      );
    await context.close();
  });
}

async function kept(page: Page): Promise<string> {
  return await page.evaluate(() => JSON.stringify({ ...localStorage }));
}

test('readers load nothing of the editor', async ({ page }) => {
  await callFrom(page, 'createPost', shortPost());
  const scripts: string[] = [];
  page.on('request', request => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  await page.goto('/');
  await expect(page.getByText('A short post.')).toBeVisible();
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter(url => url.includes('editor'))).toEqual([]);
});

test('axe finds nothing', async ({ page }) => {
  test.setTimeout(120_000);
  await startEssay(page, 'On rivers');
  await write(page, '## Where\n\n> They *begin*, [here](https://example.com).\n\n- `code`\n');
  await page.getByLabel('Files to attach').setInputFiles([picture('one.png')]);
  await page.getByRole('combobox', { name: 'Tags' }).fill('friends,');
  await expect(page.getByRole('button', { name: 'Remove friends' })).toBeVisible();
  await expect(page.locator('.beside em')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expectAccessible(page);
});
