import { generateX25519Identity, identityToRecipient } from 'age-encryption';
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
