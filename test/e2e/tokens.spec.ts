import { adminPassword, withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { expect, hydrated, test, unfold } from './fixtures.ts';

// A wrong password is answered 400, which the browser logs in its console.
test.use({ allowedErrors: [[/status of 400/], { scope: 'test' }] });

test('a member makes a token for a program, sees that it is used, and revokes it', async ({
  site,
  page,
  context,
  people,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await people.admin(page);
  await page.goto('/account');
  await hydrated(page);
  await unfold(page, 'Feeds and programs');
  const section = page.getByRole('region', { name: 'Access tokens' });
  await section.getByLabel('Token name').fill('backup script');
  const before = new Date(Date.now() - 3_600_000).toISOString();
  withDatabase(site, db => db.prepare('update sessions set created_at = ?').run(before));
  await expect(section.getByRole('checkbox', { name: 'Read what you may read' })).toBeChecked();
  await section.getByRole('checkbox', { name: 'Store and delete files' }).check();
  await section.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog', { name: 'Please confirm that it is you' });
  await dialog.getByLabel('Your password').fill('not this one');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('Wrong password.');
  await dialog.getByLabel('Your password').fill(adminPassword);
  await page.keyboard.press('Enter');
  const made = section.getByLabel('The token “backup script”');
  await expect(made).toHaveValue(/^coterie_/);
  await section.getByRole('button', { name: 'Copy' }).click();
  await expect(section.getByRole('status')).toHaveText('Copied.');
  const token = await page.evaluate(() => navigator.clipboard.readText());
  await expect(made).toHaveValue(token);
  await expect(section.getByRole('listitem')).toContainText('never used');
  await expect(section.getByRole('listitem')).toContainText(
    'Read what you may read; Store and delete files.',
  );
  await expectAccessible(page);
  await page.setViewportSize({ width: 768, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });

  const asked = async () =>
    await fetch(`${site.url}/api/getAccount`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"data":{}}',
    });
  expect((await (await asked()).json()).result.username).toBe('mina');
  // The token is not shown again.
  await page.reload();
  await hydrated(page);
  await expect(section.getByRole('listitem')).toContainText(/last used .+ from 127\.0\.0\.1/);
  await expect(section.getByText(token)).toHaveCount(0);
  const revoke = section.getByRole('button', { name: 'Revoke backup script' });
  const question = page.getByRole('alertdialog');
  await revoke.click();
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(revoke).toBeFocused();
  await revoke.click();
  await question.getByRole('button', { name: 'Revoke' }).click();
  await expect(section.getByRole('listitem')).toHaveCount(0);
  expect((await asked()).status).toBe(401);
});

test.describe(() => {
  test.use({ allowedErrors: [[/ERR_FAILED/], { scope: 'test' }] });

  test('a token that could not be made keeps what was typed for it, and the one that was made before', async ({
    admin: page,
  }) => {
    await page.goto('/account');
    await hydrated(page);
    await unfold(page, 'Feeds and programs');
    const section = page.getByRole('region', { name: 'Access tokens' });
    const name = section.getByLabel('Token name');
    await name.fill('backup script');
    await section.getByRole('button', { name: 'Create token' }).click();
    await expect(section.getByLabel('The token “backup script”')).toBeVisible();
    await expect(name).toHaveValue('');
    await page.route('**/api/createAccessToken', route => route.abort());
    await name.fill('importer');
    await section.getByRole('button', { name: 'Create token' }).click();
    await expect(section.getByRole('alert')).toContainText('The server cannot be reached.');
    await expect(name).toHaveValue('importer');
    await expect(section.getByLabel('The token “backup script”')).toBeVisible();
  });
});
