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

test.beforeEach(async ({ page, people }) => {
  await people.admin(page);
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

test('with Shift, and within code, its words come as they are', async ({ page }) => {
  await text(page).dispatchEvent('keydown', { key: 'V', shiftKey: true, ctrlKey: true });
  await paste(page, html, 'plain words');
  await expect(text(page)).toHaveText('plain words');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('```\ncode ');
  await paste(page, html, 'plain words');
  await expect(lines(page)).toHaveText(['```', 'code plain words']);
});

test('its pictures are uploaded, each at its place', async ({ page }) => {
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
