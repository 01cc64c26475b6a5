import type { Page } from '@playwright/test';
import { text } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** The installed app as a place to share to (share_target of the manifest). */

const offerOn = (page: Page) => page.getByRole('region', { name: 'Shared from another program' });

/** Shares two pictures, words and a link with the app: a browser sends them like a form. */
async function share(page: Page): Promise<void> {
  await page.goto('/');
  const worker = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/share'))?.active?.state);
  await expect.poll(worker).toBe('activated');
  await page.evaluate(async () => {
    const picture = await (await fetch('/icon-192.png')).blob();
    const files = new DataTransfer();
    for (const name of ['gate.png', 'river.png']) files.items.add(new File([picture], name, picture));
    const form = document.createElement('form');
    Object.assign(form, { action: '/share', method: 'POST', enctype: 'multipart/form-data' });
    const add = (fields: object) => form.append(Object.assign(document.createElement('input'), fields));
    add({ name: 'title', value: 'The river' });
    add({ name: 'text', value: 'The river https://example.com/river' });
    add({ name: 'url', value: 'https://example.com/river' });
    add({ name: 'files', type: 'file', multiple: true, files: files.files });
    document.body.append(form);
    form.submit();
  });
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(offerOn(page)).toContainText('2 files and “The river https://example.com/river”');
}

test('photos, words and links that another program shares are offered by the editor, once', async ({
  admin: page,
}) => {
  await share(page);
  await expect(page.getByRole('list', { name: 'Uploads' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Use it here' }).press('Enter');
  await expect(text(page)).toHaveText('The river https://example.com/river');
  await expect(text(page)).toBeFocused();
  await expect(page.getByLabel(/^Description of/)).toHaveCount(2);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.goto('/admin/posts/new');
  await expect(text(page)).toHaveText(/^Write here/);
  await expect.poll(() => page.evaluate(() => caches.has('shared'))).toBe(false);
});

test('what was shared is offered to nobody else, and is gone after a logout', async ({
  admin: page,
  people,
}) => {
  await share(page);
  await people.admin(page, 'jonathan');
  await page.goto('/admin/posts/new');
  await expect.poll(() => page.evaluate(() => caches.has('shared'))).toBe(false);
  await expect(offerOn(page)).toHaveCount(0);
  await share(page);
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect.poll(() => page.evaluate(() => caches.has('shared'))).toBe(false);
  const worker = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/share')) === undefined);
  await expect.poll(worker).toBe(true);
});

test('what is shared by somebody who may not write leads to the timeline', async ({ people, site }) => {
  const member = await people.member('lucy');
  const answer = await member.request.post(`${site.url}/share`, { multipart: { text: 'Hello' } });
  expect([answer.status(), answer.url()]).toEqual([200, `${site.url}/`]);
});
