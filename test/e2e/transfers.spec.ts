import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { wordpressExport, wordpressSite } from '../support/wordpress-export.ts';
import { adminPassword, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, expect as expectPlain, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

// A call that needs the password is answered 400, which the browser logs in its console.
test.use({ allowedErrors: [[/status of 400/], { scope: 'test' }] });

// The process that imports and exports stands back behind all others: on a busy machine it takes its time.
const expect = expectPlain.configure({ timeout: 120_000 });

const show = (name: string) => `<img src="${wordpressSite}/wp-content/uploads/2020/05/${name}.png">`;
const walks = wordpressExport([
  {
    id: 1,
    title: 'Up the hill',
    content: `Up. ${show('hill')} ${show('top')}`,
    categories: ['Walks'],
    comments: [{ id: 9 }],
  },
  { id: 2, title: 'By the river', content: 'Along.', status: 'private' },
  { id: 3, title: '', content: '' },
  { id: 4, title: 'In the asylum', content: 'Flies.', author: 'renfield' },
]);
const file = { name: 'walks.xml', mimeType: 'text/xml', buffer: Buffer.from(walks) };

async function leaveTagsOut(page: Page): Promise<void> {
  const choice = page.getByLabel('Leave these tags out: everybody reads');
  // Not `check()`: the choice is shown a moment after the click.
  await choice.click();
  await expect(choice).toBeChecked();
}

test('an admin uploads a WordPress export, reads the report of the dry run, starts the import, and sees in another tab that it is done', async ({
  site,
  admin: page,
  people,
  context,
}) => {
  await publishForFriends(page);
  const check = async () => {
    await expectAccessible(page);
    await expectToFit(page);
  };
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Import & Export' }).click();
  await expect(page.getByRole('heading', { name: 'Import & Export', level: 1 })).toBeFocused();
  await page.getByLabel('From').selectOption('WordPress');
  await page.getByLabel('Exported files').setInputFiles(file);
  await check();
  await page.getByRole('button', { name: 'Upload and check' }).click();

  await expect(page.getByText('Nothing has been imported yet. The import would bring:')).toBeVisible();
  await expect(page.getByRole('row', { name: 'Posts' })).toContainText('3 new, 1 skipped');
  const option = (label: string) => page.getByLabel(label).getByRole('option', { selected: true });
  await expect(option('Mina Harker, 2 posts')).toHaveText('mina (you)');
  await expect(option('renfield, 1 post')).toHaveText('nobody');
  await page.getByLabel('renfield, 1 post').selectOption('mina (you)');
  await expect(page.getByRole('row', { name: 'private' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Import from WordPress' })).toBeFocused();
  await expect(
    page.getByText('1 of 2 published posts that the source does not restrict is visible here only to'),
  ).toBeVisible();
  await expect(page.getByLabel('Keep the tags: only readers to whom you give them')).toBeChecked();
  await leaveTagsOut(page);
  await check();

  // The password is asked for again, because an import can change much.
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
  const other = await context.newPage();
  await other.goto('/admin/import-export');
  await expect(other.getByRole('button', { name: 'Start the import' })).toBeVisible();
  // With the keyboard alone.
  await page.getByRole('button', { name: 'Start the import' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await dialog.getByLabel('Your password').fill(adminPassword);
  await page.keyboard.press('Enter');
  await expect(other.getByRole('heading', { name: 'Import result' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Import result' })).toBeFocused();
  await expect(page.getByRole('row', { name: 'renfield' })).toContainText('1, by mina');
  await expect(page.getByText('3 posts imported.')).toBeVisible();
  const missing = page.locator('details', { hasText: '2 times: a file stays where it is, because no copy' });
  await missing.locator('summary').click();
  await expect(missing.getByRole('link', { name: 'Up the hill' }).first()).toHaveAttribute('href', /^.post./);
  await expect(page.getByRole('link', { name: 'View them' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'Posts' })).toContainText('3 new, 1 skipped');
  await check();
  const visitor = await people.open('visitor');
  await visitor.goto('/');
  await expect(visitor.getByText('Up the hill')).toBeVisible();
  await expect(visitor.getByText('By the river')).toBeHidden();
});

test('an admin makes somebody an author before starting an import, and finds them and the earlier choices in it', async ({
  admin: page,
  people,
}) => {
  const lucy = await people.member('lucy');
  await lucy.goto('/');
  const { user } = await callFrom(lucy, 'getViewer', {});
  await page.goto('/admin/import-export');
  await page.getByLabel('From').selectOption('WordPress');
  await page.getByLabel('Exported files').setInputFiles(file);
  await page.getByRole('button', { name: 'Upload and check' }).click();
  const renfield = page.getByLabel('renfield, 1 post');
  await renfield.selectOption('mina (you)');
  await leaveTagsOut(page);
  await page.getByRole('link', { name: 'Users', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await callFrom(page, 'setAuthor', { userId: user?.id ?? '', isAuthor: true });
  await page.getByRole('link', { name: 'Import & Export' }).first().click();
  await expect(renfield.getByRole('option')).toHaveText(['nobody', 'lucy', 'mina (you)']);
  await expect(renfield.getByRole('option', { selected: true })).toHaveText('mina (you)');
  await expect(page.getByLabel('Leave these tags out: everybody reads')).toBeChecked();
  const list = page.getByRole('heading', { name: 'with the tags that close them here' });
  await expect(list.locator('+ ul')).toHaveText('Up the hill – Walks');

  // Somebody who is no author any more is offered to nobody, nor are posts given to them.
  await renfield.selectOption('lucy');
  await page.getByRole('link', { name: 'Users', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await callFrom(page, 'setAuthor', { userId: user?.id ?? '', isAuthor: false });
  await page.getByRole('link', { name: 'Import & Export' }).first().click();
  await expect(renfield.getByRole('option')).toHaveText(['nobody', 'mina (you)']);
  await page.getByRole('button', { name: 'Start the import' }).click();
  await expect(page.getByRole('row', { name: 'renfield' })).toContainText('1, without an author');
});

test('an admin exports the whole site, downloads it, and deletes it', async ({ admin: page }) => {
  await publishForFriends(page);
  await page.goto('/admin/import-export');
  const start = page.getByRole('button', { name: 'Export the whole site' });
  const exported = page.getByRole('row', { name: 'Export of the whole site' });
  await start.press('Enter');
  const download = page.getByRole('button', { name: 'Download Export of the whole site' });
  await expect(download).toBeVisible();
  await expect(exported).toContainText('3 posts, 0 files');
  await expect(page.getByText('The export is ready.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download', exact: true })).toBeVisible();
  // The button was away.
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await start.click();
  await expect(exported).toHaveCount(2);
  await expect(exported.first()).toContainText('3 posts, 0 files');
  await expect(exported.last()).toContainText('done, and deleted since');
  await expectAccessible(page);
  const [downloaded] = await Promise.all([page.waitForEvent('download'), download.click()]);
  expect(downloaded.suggestedFilename()).toMatch(/^coterie-.*\.tar$/);
  const bytes = await readFile(await downloaded.path());
  expect(bytes.includes('manifest.json')).toBe(true);
  await page.getByRole('button', { name: 'Delete Export of the whole site' }).press('Enter');
  await expect(download).toBeHidden();
  await expect(exported.first().getByRole('rowheader')).toBeFocused();
});

test('a file that cannot be read is reported by its name', async ({ admin: page }) => {
  await publishForFriends(page);
  await page.goto('/admin/import-export');
  await page.getByLabel('Archive').setInputFiles({ ...file, name: 'walks.zip' });
  await page.getByRole('button', { name: 'Upload and check' }).click();
  await expect(page.getByRole('row', { name: 'Import from Markdown' })).toContainText(
    'The archive cannot be read: it is no zip file, or its end is missing.',
  );
  await expect(page.getByRole('button', { name: 'Upload and check' })).toBeEnabled();
});
