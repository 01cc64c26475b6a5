import type { Locator } from '@playwright/test';
import { essay } from '../factories.ts';
import { multipart } from '../storage.ts';
import { addAccount } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { picture, png, startEssay, text, write } from './editor.ts';
import { callFrom, expect, test } from './fixtures.ts';

/** The editor (specification section 2, "/admin/posts/new" and "/admin/posts/{postId}/edit"). */

/** The first box of an MP4, by which its type is detected. */
const video = {
  name: 'high water.mp4',
  mimeType: 'video/mp4',
  buffer: Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'),
};

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
  await expect(page.getByText('Content is required.')).toBeVisible();
  await expect(text(page)).toBeFocused();

  // Characters are counted as people count them.
  await write(page, '👨‍👩‍👧‍👦'.repeat(290));
  await expect(page.getByText('290 / 300')).toHaveClass(/near/);
  await page.keyboard.insertText('a'.repeat(11));
  await expect(page.getByText('301 / 300')).toHaveClass(/over/);
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
  const list = page.locator('.files li');
  await expect(list).toHaveCount(3);
  // With the keyboard alone, and the focus is never lost.
  const up = page.getByRole('button', { name: 'Move two.png up' });
  await up.focus();
  await page.keyboard.press('Enter');
  await expect(list.locator('strong')).toHaveText(['two.png', 'one.png', 'three.png']);
  await expect(up).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('two.png is 1 of 3 now.')).toBeAttached();
  await page.getByLabel('Description of two.png').fill('The second');
  await page.getByRole('button', { name: 'Remove three.png' }).focus();
  await page.keyboard.press('Enter');
  await expect(list.locator('strong')).toHaveText(['two.png', 'one.png']);
  await expect(page.getByRole('button', { name: 'Remove one.png' })).toBeFocused();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  const { posts } = await callFrom(page, 'getPosts', {});
  expect(posts[0]?.attachments.map(({ name, description }) => [name, description])).toEqual([
    ['two.png', 'The second'],
    ['one.png', null],
  ]);
  await page.goto(`/post/${posts[0]?.id}`);
  await expect(page.locator('.prose video')).toHaveCount(1);
  await expect(page.locator('.prose img')).toHaveCount(4);
});

/** Pastes or drops a picture as browsers do when it is copied or dragged from a page of this site: with its bytes. */
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
  const { headers = {}, body } = multipart(png, {}, 'image/png');
  const sent = { headers: headers as Record<string, string>, data: body as Buffer };
  const { url: theirs } = await (await nora.request.post('/v0/b/-/o?name=posts/theirs.png', sent)).json();
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
  for (let n = 1; n <= 49; n += 1) {
    const { headers = {}, body } = multipart(`File ${n}.`, {}, 'text/plain');
    const sent = { headers: headers as Record<string, string>, data: body as Buffer };
    stored.push((await (await page.request.post(`/v0/b/-/o?name=posts/${n}.txt`, sent)).json()).url);
  }
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
