import type { Locator } from '@playwright/test';
import { essay } from '../support/factories.ts';
import { png } from '../support/png.ts';
import { expectAccessible } from './axe.ts';
import { picture, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { upload } from './upload.ts';

/**
 * Pictures, videos and attachments in the editor (specification section 2, "/admin/posts/new"; section 5).
 */

/** The first box of an MP4, by which its type is detected. */
const video = {
  name: 'high water.mp4',
  mimeType: 'video/mp4',
  buffer: Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'),
};

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
});

test('media are inserted, pasted and dropped at the cursor; attachments are ordered, described and removed', async ({
  page,
}) => {
  await startEssay(page, 'Media');
  await write(page, 'Before.');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(page.getByLabel('Images and videos to insert')).toHaveAttribute('accept', 'image/*,video/*');
  await page.getByLabel('Images and videos to insert').setInputFiles([picture('river bank (1).png'), video]);
  await expect(text(page)).toContainText(
    /!\[river bank \(1\)\.png\]\(\/files\/[\w-]+\/river_bank__1_\.png\)/,
  );
  await expect(text(page)).toContainText(/\[Video: high water\.mp4\]\(\/files\/[\w-]+\/high_water\.mp4\)/);
  for (const kind of ['paste', 'drop']) {
    await text(page).evaluate(
      (element, { kind, bytes }) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes)], `${kind}.png`, { type: 'image/png' }));
        const { left, top } = element.getBoundingClientRect();
        const common = { bubbles: true, cancelable: true };
        const event =
          kind === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: data, ...common })
            : new DragEvent('drop', { dataTransfer: data, clientX: left + 20, clientY: top + 20, ...common });
        element.dispatchEvent(event);
      },
      { kind, bytes: [...png] },
    );
    await expect(text(page)).toContainText(`![${kind}.png](/files/`);
  }

  // Beside the text, where the browser would leave the page to show the file.
  const isTaken = await page.getByRole('heading', { name: 'Who can read this' }).evaluate(
    (element, bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], 'beside.png', { type: 'image/png' }));
      const common = { dataTransfer: data, bubbles: true, cancelable: true };
      return ['dragover', 'drop'].map(kind => !element.dispatchEvent(new DragEvent(kind, common)));
    },
    [...png],
  );
  expect(isTaken).toEqual([true, true]);
  await expect(text(page)).toContainText('![beside.png](/files/');

  await page
    .getByLabel('Files to attach')
    .setInputFiles([picture('one.png'), picture('two.png'), picture('three.png')]);
  const list = page.getByRole('region', { name: /^Attachments/ }).getByRole('listitem');
  await expect(list).toHaveCount(3);
  // With the keyboard alone, and the focus is never lost.
  const up = page.getByRole('button', { name: 'Move two.png up' });
  await up.focus();
  await page.keyboard.press('Enter');
  await expect(list.locator('strong')).toHaveText(['two.png', 'one.png', 'three.png']);
  await expect(up).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('two.png is 1 of 3 now.')).toBeAttached();
  await page.getByLabel('Caption of two.png').fill('The second');
  const spoken = page.getByLabel('Description of two.png for those who do not see it');
  await spoken.fill('a'.repeat(501));
  await expect(list.first()).toContainText('A description has at most 500 characters. Remove 1 to save it.');
  await expect(spoken).toHaveAttribute('aria-invalid', 'true');
  await spoken.fill('A quay');
  await page.getByRole('button', { name: 'Remove three.png' }).focus();
  await page.keyboard.press('Enter');
  await expect(list.locator('strong')).toHaveText(['two.png', 'one.png']);
  await expect(page.getByRole('button', { name: 'Remove one.png' })).toBeFocused();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  expect(posts[0]?.attachments.map(({ name, description, alt }) => [name, description, alt])).toEqual([
    ['two.png', 'The second', 'A quay'],
    ['one.png', null, null],
  ]);
  await page.goto(`/post/${posts[0]?.id}`);
  await expect(page.locator('.prose video')).toHaveCount(1);
  await expect(page.locator('.prose img')).toHaveCount(4);
});

/**
 * Pastes or drops a picture as browsers do when it is copied or dragged from a page of this site: with its
 * bytes.
 */
async function bringPicture(kind: 'paste' | 'drop', place: Locator, address: string): Promise<void> {
  await place.evaluate(
    (element, { kind, bytes, address }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], 'copy.png', { type: 'image/png' }));
      data.setData('text/html', `<img src="${location.origin}${address}?width=480">`);
      const { left, top } = element.getBoundingClientRect();
      const common = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...common })
          : new DragEvent('drop', { dataTransfer: data, clientX: left + 2, clientY: top + 20, ...common }),
      );
    },
    { kind, bytes: [...png], address },
  );
}

test('a picture of the post that is pasted or dropped is shown again, and one of another post is uploaded', async ({
  page,
  people,
}) => {
  const nora = await people.admin(undefined, 'nora');
  const theirs = await upload(nora.request, 'theirs.png', png, 'image/png');
  await startEssay(page, 'Again');
  await page.getByLabel('Images and videos to insert').setInputFiles(picture('mine.png'));
  await expect(text(page)).toContainText('![mine.png](/files/');
  const uploads: string[] = [];
  page.on(
    'request',
    request => request.method() === 'POST' && request.url().includes('/v0/') && uploads.push(request.url()),
  );
  const [, mine = ''] = /(\/files\/[\w-]+\/mine\.png)/.exec((await text(page).textContent()) ?? '') ?? [];
  for (const kind of ['paste', 'drop'] as const) await bringPicture(kind, text(page), mine);
  await expect(text(page).getByText(`![](${mine})`)).toHaveCount(2);
  // It was uploaded here, so its address is taken also when the text does not show it any more.
  await text(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Backspace');
  await expect(text(page)).not.toContainText(mine);
  await bringPicture('paste', text(page), mine);
  await expect(text(page)).toContainText(`![](${mine})`);
  const attachments = page.getByRole('region', { name: 'Attachments' });
  await bringPicture('drop', attachments, mine);
  expect(uploads).toEqual([]);

  await bringPicture('paste', text(page), theirs);
  await bringPicture('drop', text(page), theirs);
  await expect(text(page).getByText('![copy.png](/files/')).toHaveCount(2);
  await expect(text(page)).not.toContainText(theirs);
  await bringPicture('drop', attachments, theirs);
  await expect(attachments.getByRole('listitem')).toHaveText([/^copy\.png/]);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
});

test('files beyond the most that a post may have are named, and not uploaded', async ({ page }) => {
  const stored: string[] = [];
  for (let n = 1; n <= 49; n += 1)
    stored.push(await upload(page.request, `${n}.txt`, `File ${n}.`, 'text/plain'));
  const attachments = stored.map(url => ({ url, description: null }));
  const { post } = await callFrom(page, 'createPost', { ...essay({ tags: ['friends'] }), attachments });
  await page.goto(`/admin/posts/${post.id}/edit`);
  const files = ['one.txt', 'two.txt'].map(name => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(name),
  }));
  await page.getByLabel('Files to attach').setInputFiles(files);
  const refused = page.getByText('A post has at most 50 attachments. Not attached: two.txt.');
  await expect(refused).toBeVisible();
  await expect(page.locator('.files li')).toHaveCount(50);
  await expect(page.locator('.files li').last()).toContainText('one.txt');
  await expect(page.getByRole('button', { name: 'Add attachments' })).toBeDisabled();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(refused).toHaveCount(0);
});

test('the editor says how large a file may be, and sends none that is larger', async ({ page }) => {
  await callFrom(page, 'saveSiteSettings', { values: { fileMaxMib: 1 }, version: 0 });
  await startEssay(page, 'Large');
  await expect(page.getByRole('region', { name: 'Attachments' })).toContainText('A file has at most 1 MB.');
  const sent: string[] = [];
  page.on('request', request => request.url().includes('/v0/b/') && sent.push(request.url()));
  const file = (name: string, size: number) => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.alloc(size, 'a'),
  });
  await page.getByLabel('Files to attach').setInputFiles(file('large.txt', 1024 * 1024 + 1));
  await expect(page.getByText('large.txt: A file has at most 1 MB.')).toBeVisible();
  expect(sent).toEqual([]);
  // One that is as large as may be arrives.
  await page.getByLabel('Files to attach').setInputFiles(file('most.txt', 1024 * 1024));
  await expect(page.getByRole('button', { name: 'Remove most.txt' })).toBeVisible();
});
