import { text } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** The installed app as a place to share to (share_target of the manifest). */

test('photos, words and links that another program shares open the editor with them, once', async ({
  page,
  people,
}) => {
  await people.admin(page);
  await page.goto('/');
  const worker = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/share'))?.active?.state);
  await expect.poll(worker).toBe('activated');
  // A browser sends what is shared like a form.
  await page.evaluate(async () => {
    const picture = await (await fetch('/icon-192.png')).blob();
    const files = new DataTransfer();
    for (const name of ['gate.png', 'river.png']) files.items.add(new File([picture], name, picture));
    const form = document.createElement('form');
    Object.assign(form, { action: '/share', method: 'POST', enctype: 'multipart/form-data' });
    const add = (fields: object) => form.append(Object.assign(document.createElement('input'), fields));
    add({ name: 'title', value: 'The river' });
    add({ name: 'text', value: 'https://example.com/river' });
    add({ name: 'url', value: '' });
    add({ name: 'files', type: 'file', multiple: true, files: files.files });
    document.body.append(form);
    form.submit();
  });
  await expect(page).toHaveURL('/admin/posts/new');
  await expect(text(page)).toHaveText('The riverhttps://example.com/river');
  await expect(page.getByLabel(/^Description of/)).toHaveCount(2);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(page).toHaveURL('/admin/posts');
  await page.goto('/admin/posts/new');
  await expect(text(page)).toHaveText(/^Write here/);
});

test('what is shared by somebody who may not write leads to the timeline', async ({ people, site }) => {
  const member = await people.member('lucy');
  const answer = await member.request.post(`${site.url}/share`, { multipart: { text: 'Hello' } });
  expect([answer.status(), answer.url()]).toEqual([200, `${site.url}/`]);
});
