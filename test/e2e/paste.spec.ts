import type { Page } from '@playwright/test';
import { png } from '../support/png.ts';
import { startEssay, text } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** Texts that are pasted from other programs. */

async function paste(page: Page, html: string, words: string): Promise<void> {
  await text(page).evaluate(
    (element, [html, words]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', html ?? '');
      clipboardData.setData('text/plain', words ?? '');
      const event = { clipboardData, bubbles: true, cancelable: true, composed: true };
      element.dispatchEvent(new ClipboardEvent('paste', event));
    },
    [html, words],
  );
}

const lines = (page: Page) => text(page).locator('.cm-line');
const html =
  '<h2>The trip</h2><p>We went <b>north</b>, <a href="https://example.org/a">see</a>.</p><ul><li>boat</li><li>tent</li></ul>';

test.beforeEach(async ({ admin: page }) => {
  await startEssay(page, 'Pasted');
  await text(page).click();
});

test('a text from elsewhere keeps its links, emphasis and lists, and is undone in one step', async ({
  page,
}) => {
  await page.keyboard.insertText('Before');
  await paste(page, html, 'The trip We went north, see. boat tent');
  await expect(lines(page)).toHaveText([
    ...['Before', '', '## The trip', '', 'We went **north**, [see](https://example.org/a).', ''],
    ...['- boat', '- tent'],
  ]);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(text(page)).toHaveText('Before');
});

test('text pasted with Shift or into code keeps its plain words', async ({ page }) => {
  await text(page).dispatchEvent('keydown', { key: 'V', shiftKey: true, ctrlKey: true });
  await paste(page, html, 'plain words');
  await expect(text(page)).toHaveText('plain words');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('```\ncode ');
  await paste(page, html, 'plain words');
  await expect(lines(page)).toHaveText(['```', 'code plain words']);
});

test('the pictures of a pasted text are uploaded, each at its place', async ({ page }) => {
  const address = `data:image/png;base64,${png.toString('base64')}`;
  await paste(page, `<p><b>One</b></p><p><img src="${address}"></p><p>Two</p>`, 'One Two');
  await expect(lines(page)).toHaveText([
    '**One**',
    '',
    /^!\[.*\]\(\/files\/[\w-]+\/picture\.png\)$/,
    '',
    'Two',
  ]);
});

const picture = `<img src="data:image/png;base64,${png.toString('base64')}">`;
const pictureLine = /^!\[.*\]\(\/files\/[\w-]+\/picture\.png\)$/;
const withPictures = `<p><b>One</b></p><p>${picture}</p><p>Two</p><p>${picture}</p><p>Three</p>`;
const undo = 'ControlOrMeta+z';
const redo = 'ControlOrMeta+y';

test('a text with pictures leaves by one undo, and comes back by one redo', async ({ page }) => {
  const all = ['Before', '', '**One**', '', pictureLine, '', 'Two', '', pictureLine, '', 'Three'];
  let uploads = 0;
  page.on('request', request => {
    if (/\/v0\/b\//.test(request.url()) && request.method() === 'POST') uploads += 1;
  });
  await page.keyboard.insertText('Before');
  await paste(page, withPictures, 'One Two Three');
  await expect(lines(page)).toHaveText(all);
  const written = await lines(page).allTextContents();
  const sent = uploads;
  for (const _ of ['once', 'and once more']) {
    await page.keyboard.press(undo);
    await expect(lines(page)).toHaveText(['Before']);
    await page.keyboard.press(redo);
    await expect(lines(page)).toHaveText(written);
  }
  await page.keyboard.press(undo);
  await page.keyboard.press(undo);
  await expect(text(page)).toHaveText(/^Write here/);
  await page.keyboard.press(redo);
  await page.keyboard.press(redo);
  await expect(lines(page)).toHaveText(written);
  expect(uploads).toBe(sent);
});

test('a picture that arrives while its text is undone comes back with it, and words that were typed since stay a step of their own', async ({
  page,
}) => {
  const held = Promise.withResolvers<void>();
  await page.route('**/v0/b/**', async route => {
    await held.promise;
    await route.continue();
  });
  await paste(page, withPictures, 'One Two');
  await expect(lines(page)).toHaveText(['**One**', '', 'Two', '', 'Three']);
  await page.keyboard.press(undo);
  await expect(text(page)).toHaveText(/^Write here/);
  held.resolve();
  await expect(page.getByRole('list', { name: 'Uploads' })).toHaveCount(0);
  await expect(text(page)).toHaveText(/^Write here/);
  await page.keyboard.press(redo);
  const all = ['**One**', '', pictureLine, '', 'Two', '', pictureLine, '', 'Three'];
  await expect(lines(page)).toHaveText(all);
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(' and four');
  await page.keyboard.press(undo);
  await expect(lines(page)).toHaveText(all);
  await page.keyboard.press(undo);
  await expect(text(page)).toHaveText(/^Write here/);
});

test('a card is made of an address that is pasted alone on a line, if the author wants one, and undone', async ({
  page,
}) => {
  const address = 'https://example.org/rain';
  const told = { title: 'On rain', sentence: 'What falls.', picture: null };
  const isAsked = page.waitForRequest('**/api/describeLink');
  await page.route('**/api/describeLink', route => route.fulfill({ json: { result: { page: told } } }));
  await page.keyboard.type('See');
  await paste(page, '', address);
  await expect(lines(page)).toHaveText([`See${address}`]);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Make a card of the link' })).toBeHidden();
  await paste(page, '', address);
  await page.getByRole('button', { name: 'Make a card of the link' }).click();
  expect((await isAsked).postDataJSON()).toEqual({ data: { url: address } });
  const card = `[On rain](${address} "What falls.")`;
  await expect(lines(page)).toHaveText([`See${address}`, '', card]);
  await page.keyboard.press('ControlOrMeta+z');
  await expect(lines(page)).toHaveText([`See${address}`, '', address]);
  await page.keyboard.press('ControlOrMeta+y');
  await expect(lines(page)).toHaveText([`See${address}`, '', card]);
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = page.getByRole('tabpanel', { name: 'Preview' });
  await expect(preview.locator('.link-card')).toContainText('What falls.');
});
