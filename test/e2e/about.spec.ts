import { expectAccessible } from './axe.ts';
import { publishForFriends } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

/** The About panel and its editing: specification section 2 ("/"); decision 20. */

test.use({ allowedErrors: [/ERR_FAILED .*\/about-dialog/] });

test('an admin writes the About text, and readers see it rendered', async ({ admin: page, people }) => {
  await publishForFriends(page);
  await page.goto('/');
  const about = page.getByRole('complementary', { name: 'About' });
  await expect(about.getByRole('heading', { name: 'About' })).toBeVisible();
  const edit = about.getByRole('button', { name: 'Edit About' });
  const dialog = page.getByRole('dialog', { name: 'Edit About Section' });
  const text = dialog.getByPlaceholder('Write something about yourself...');

  const invitation = about.getByText('Write a few words about yourself.');
  await expect(invitation).toBeVisible();
  await expectAccessible(page);
  await page.route('**/assets/about-dialog*.js', route => route.abort());
  await edit.click();
  await expect(about.getByRole('alert')).toContainText('Failed to load the About text.');
  await page.unroute('**/assets/about-dialog*.js');
  await edit.click();
  await expect(text).toBeFocused();
  await text.fill('I write about *rivers*.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(invitation).toHaveCount(0);
  await expect(about.locator('em')).toHaveText('rivers');
  await expect(edit).toBeFocused();

  // A click on the overlay closes it, and the typed text is there again afterwards.
  await edit.click();
  await text.fill('Half a sent');
  await page.mouse.click(5, 5);
  await expect(dialog).toHaveCount(0);
  await expect(about.locator('em')).toHaveText('rivers');
  await page.reload();
  await edit.click();
  await expect(text).toHaveValue('Half a sent');
  await expect(dialog).toContainText('Unsaved text from before.');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await edit.click();
  await expect(text).toHaveValue('Half a sent');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await edit.click();
  await expect(text).toHaveValue('I write about *rivers*.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  const reader = await people.member('lucy', { status: 'pending' });
  await reader.goto('/');
  await expect(reader.getByRole('complementary', { name: 'About' }).locator('em')).toHaveText('rivers');
  await expect(reader.getByRole('button', { name: 'Edit About' })).toHaveCount(0);
});

test('on a narrow screen the toggle labelled about opens the panel', async ({ admin: page }) => {
  await publishForFriends(page);
  await callFrom(page, 'saveAbout', { content: 'I write.' });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/');
  await hydrated(page);
  await expect(page.getByText('I write.')).toBeHidden();
  await page.getByRole('button', { name: 'about', exact: true }).click();
  await expect(page.getByText('I write.')).toBeVisible();
  await page.getByRole('button', { name: 'Edit About' }).click();
  await expect(page.getByRole('dialog', { name: 'Edit About Section' })).toBeVisible();
  await expectAccessible(page);
});

test('while the text is being saved nothing can be typed or closed, because the dialog closes then', async ({
  admin: page,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Edit About' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit About Section' });
  const text = dialog.getByPlaceholder('Write something about yourself...');
  await text.fill('I write.');
  const held = Promise.withResolvers<void>();
  await page.route('**/api/saveAbout', async route => {
    await held.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(text).not.toBeEditable();
  await page.keyboard.press('Escape');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  held.resolve();
  await expect(page.getByRole('complementary', { name: 'About' })).toContainText('I write.');
  await expect(dialog).toHaveCount(0);
});

test.describe(() => {
  test.use({ allowedErrors: [[/ERR_FAILED|409/], { scope: 'test' }] });

  test('a failed save is reported in the dialog, which keeps the text', async ({ admin: page }) => {
    await publishForFriends(page);
    await page.goto('/');
    await page.getByRole('button', { name: 'Edit About' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit About Section' });
    const text = dialog.getByPlaceholder('Write something about yourself...');
    await text.fill('I write.');
    await page.route('**/api/saveAbout', route => route.abort());
    await dialog.getByRole('button', { name: 'Save' }).click();
    const alert = dialog.getByRole('alert');
    await expect(alert).toContainText('Failed to save the About text. The server cannot be reached.');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    await expect(alert).toHaveCount(0);
    await expect(text).toHaveValue('I write.');
    await page.unroute('**/api/saveAbout');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('complementary', { name: 'About' })).toContainText('I write.');

    // Nobody replaces a text that they have not read: both texts are shown to choose from.
    await page.getByRole('button', { name: 'Edit About' }).click();
    await text.fill('I write of rivers.');
    await callFrom(page, 'saveAbout', { content: 'We write.' });
    await page.route('**/api/getSettings', route => route.abort());
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(alert).toContainText('Somebody else has changed the About text in the meantime.');
    await page.unroute('**/api/getSettings');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByLabel('Saved by somebody else meanwhile')).toHaveValue('We write.');
    await expect(text).toHaveValue('I write of rivers.');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('complementary', { name: 'About' })).toContainText('I write of rivers.');
  });
});
