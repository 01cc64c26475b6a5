import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { openAdminPage } from './content.ts';
import { expect, test } from './fixtures.ts';
import { expectToFit } from './layout.ts';

test('an admin is warned while there is no backup, and then sees the last verified one', async ({
  site,
  page,
  people,
}) => {
  await openAdminPage(page, people, 'Backups');
  await expect(page.getByText('No backup of this site has been verified yet.')).toBeVisible();
  await expectAccessible(page);
  expect(await site.cli('export')).toContain('and read back');
  await page.reload();
  await expect(page.getByRole('row', { name: 'Holds' })).toContainText('3 posts, 0 files');
  await expect(page.getByText('No backup of this site')).toBeHidden();
  await expect(page.getByRole('row', { name: 'Encrypted' })).toBeHidden();
  const recipient = await identityToRecipient(await generateX25519Identity());
  await site.cli('export', '--recipient', recipient);
  await page.reload();
  await expect(page.getByRole('row', { name: 'Encrypted' })).toContainText('For a public key');
  await expect(page.getByText('coterie verify FILE --identity KEYFILE')).toBeVisible();
  await expectAccessible(page);
  await expectToFit(page);
});

test('an admin reads when and why a backup failed', async ({ site, page, people }) => {
  const last = {
    name: 'coterie.tar',
    where: '/backups',
    createdAt: '2026-11-19T03:30:00.000Z',
    verifiedAt: '2026-11-19T03:31:00.000Z',
    bytes: 1,
    posts: 1,
    files: 1_200,
    missing: 0,
    openedBy: null,
  };
  const failure = { at: Date.parse('2026-11-20T03:30:00.000Z'), error: 'ENOSPC: no space left', kills: 0 };
  const kept = ['19', '18'].map(day => ({
    name: `backup-0a1b2c3d-2026-11-${day}T03-30-00-000Z.tar`,
    storedAt: `2026-11-${day}T03:30:05.000Z`,
    bytes: 3 * 1024 * 1024,
  }));
  const restored = {
    at: '2026-11-18T09:00:00.000Z',
    name: 'backup-0a1b2c3d-2026-11-17T03-30-00-000Z.tar',
    createdAt: '2026-11-17T03:30:00.000Z',
  };
  const state = JSON.stringify({ last, failure, unread: [], kept, restored });
  withDatabase(site, db => db.prepare("insert into settings (name, value) values ('backup', ?)").run(state));
  await openAdminPage(page, people, 'Backups');
  await expect(page.locator('main')).toContainText(
    'The backup of November 20, 2026 at 03:30 failed: ENOSPC: no space left',
  );
  await expect(page.getByRole('row', { name: 'Created' })).toContainText('November 19, 2026 at 03:30');
  await expect(page.getByRole('row', { name: 'Holds' })).toContainText('1 post, 1,200 files');
  await expect(page.getByText('This site was restored on')).toContainText(
    'on November 18, 2026 at 09:00 from backup-0a1b2c3d-2026-11-17T03-30-00-000Z.tar, as it was on November 17',
  );
  const table = page.getByRole('region', { name: 'Kept backups' });
  await expect(table.getByRole('row')).toHaveCount(3);
  await expect(table.getByRole('row', { name: /2026-11-19/ })).toContainText('3.1 MB');
  await expect(page.getByText('a broken disk takes both')).toBeVisible();
  await expectAccessible(page);
  await expectToFit(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectToFit(page);
});
