import type { Locator, Page } from '@playwright/test';
import { publishPost } from './content.ts';
import { text } from './editor.ts';
import { test as testWithoutMail } from './fixtures.ts';
import { expect, openMail, test } from './mailed.ts';

/** How often a finger touches a phone on the ways that matter most (issue 32). */

const phone = { width: 390, height: 780 };

/** Counts presses. A field is pressed before something is typed, unless it has the focus already. */
class Finger {
  presses = 0;

  async press(target: Locator): Promise<void> {
    this.presses += 1;
    await target.click();
  }

  async type(page: Page, field: Locator, words: string): Promise<void> {
    const hasFocus = await field.evaluate(element => element === document.activeElement);
    if (!hasFocus) await this.press(field);
    await expect(field).toBeFocused();
    await page.keyboard.insertText(words);
  }
}

testWithoutMail(
  'an owner comes from the setup link to a site with a name, a first post and an invitation in fifteen presses',
  async ({ page, site }) => {
    await page.setViewportSize(phone);
    const finger = new Finger();
    await page.goto(await site.setupLink());
    const fields = {
      'What is your site called?': 'The Lockhouse',
      Username: 'mina',
      'Full Name': 'Mina Harker',
      Email: 'mina@example.com',
      Password: 'quincey morris',
    };
    for (const [label, words] of Object.entries(fields))
      await finger.type(page, page.getByLabel(label), words);
    await finger.press(page.getByRole('button', { name: 'Create account' }));
    await finger.press(page.getByRole('link', { name: 'Write', exact: true }));
    await finger.type(page, text(page), 'First fire of the autumn.');
    await finger.press(page.getByRole('button', { name: 'Publish', exact: true }));
    await expect(page.getByRole('link', { name: 'View it' })).toBeVisible();
    await finger.press(page.getByRole('link', { name: /^Admin/ }));
    await finger.press(page.getByRole('link', { name: 'Invitations' }));
    await finger.press(page.getByRole('button', { name: 'Create link' }));
    await expect(page.getByRole('img', { name: /^QR code of the link/ })).toBeVisible();
    expect(finger.presses).toBeLessThanOrEqual(15);
  },
);

test('a grandmother comes from the mail to her first comment in five presses', async ({
  smtp,
  admin: page,
  people,
}) => {
  await publishPost(page, 'Who comes for the new year?');
  await page.goto('/admin/invitations');
  await page.getByLabel('people by their addresses').check();
  await page.getByRole('textbox', { name: 'Addresses' }).fill('Oma Grete <grete@example.org>');
  await page.getByRole('button', { name: 'Send invitations' }).click();
  const grete = await people.visitor({ viewport: phone });
  await openMail(grete, smtp, 'grete@example.org', 'You are invited to Coterie');
  const finger = new Finger();
  await finger.press(grete.getByRole('link', { name: 'See the invitation' }));
  await finger.press(grete.getByRole('button', { name: 'Join' }));
  await finger.press(grete.getByRole('button', { name: '0 comments' }));
  await finger.type(grete, grete.getByRole('textbox', { name: 'Write a comment' }), 'I do.');
  await finger.press(grete.getByRole('button', { name: 'Post comment' }));
  await expect(grete.locator('.comment .words')).toHaveText('I do.');
  expect(finger.presses).toBeLessThanOrEqual(5);
});
