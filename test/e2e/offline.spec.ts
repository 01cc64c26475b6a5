import type { Page, Request } from '@playwright/test';
import sharp from 'sharp';
import { decide, startSession } from './accounts.ts';
import { publishEssay } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { upload } from './upload.ts';

/** Posts that were opened, read where there is no network. */

const choice = (page: Page) =>
  page.getByLabel('Keep posts that I open in this browser, to read them offline');
const kept = (page: Page) =>
  page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    return paths.filter(path => !path.startsWith('/api/'));
  });
const isRegistered = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/')) !== undefined);

async function turnOn(page: Page): Promise<void> {
  await page.goto('/account');
  await choice(page).press('Space');
  await expect(choice(page)).toBeChecked();
}

async function open(page: Page, postId: string): Promise<void> {
  await page.goto(`/post/${postId}`);
  await expect.poll(() => kept(page)).toContain(`/post/${postId}`);
}

async function uploadPicture(admin: Page): Promise<string> {
  const bytes = await sharp({ create: { width: 900, height: 600, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  return await upload(admin.request, 'gate.jpg', bytes, 'image/jpeg');
}

test('what a reader has opened can be read without a network, with its pictures', async ({ people }) => {
  const admin = await people.admin();
  const content = `At length. ![A gate](${await uploadPicture(admin)})`;
  const { post } = await callFrom(admin, 'createPost', {
    ...{ type: 'essay', title: 'Of gates', description: 'About gates.', content, tags: [], isDraft: false },
  });
  await callFrom(admin, 'addComment', { postId: post.id, content: 'Not kept.' });
  const other = await publishEssay(admin, 'Of rivers');
  const page = await people.member('lucy');
  await page.goto(`/post/${post.id}`);
  expect(await kept(page)).toEqual([]);
  await turnOn(page);
  await open(page, other);
  await open(page, post.id);

  await page.context().setOffline(true);
  await page.goto(`/post/${post.id}`);
  await expect(page.locator('main')).toContainText('You are offline. This is the post as you last read it.');
  await expect(page.locator('main')).not.toContainText('Not kept.');
  const picture = page.getByRole('img', { name: 'A gate' });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate(image => (image as HTMLImageElement).naturalWidth)).not.toBe(0);
  await page.goto('/search');
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  await expect(page.getByRole('listitem')).toHaveText(['Of gates', 'Of rivers']);
  await page.getByRole('link', { name: /^Of rivers/ }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Of rivers' })).toBeVisible();

  await page.context().setOffline(false);
  await page.goto('/account');
  await choice(page).press('Space');
  await expect(choice(page)).not.toBeChecked();
  expect([await kept(page), await isRegistered(page)]).toEqual([[], false]);
});

test('a post that is closed to its reader is gone at the next contact', async ({ people }) => {
  const admin = await people.admin();
  const picture = await uploadPicture(admin);
  const essay = { type: 'essay' as const, description: 'About.', tags: [] as string[], isDraft: false };
  const publish = async (title: string) =>
    (await callFrom(admin, 'createPost', { ...essay, title, content: `![A gate](${picture})` })).post.id;
  const [open_, closed] = [await publish('Of gates'), await publish('Of rivers')];
  const page = await people.member('lucy');
  await turnOn(page);
  await open(page, open_);
  await open(page, closed);
  // No page is open that would hear of it.
  await page.goto('about:blank');
  const { post } = await callFrom(admin, 'getPost', { postId: closed });
  const saved = { ...essay, postId: closed, version: post.version, title: 'Of rivers' };
  await callFrom(admin, 'updatePost', { ...saved, content: 'Closed now.', tags: ['friends'] });
  await page.goto('/');
  // The other one shows the same picture.
  const rest = [`/post/${open_}`, picture].sort();
  await expect.poll(async () => (await kept(page)).sort()).toEqual(rest);
  await page.context().setOffline(true);
  await page.goto(`/post/${closed}`);
  await expect(page.getByRole('listitem')).toHaveText(['Of gates']);
});

test('nothing is kept after a logout, a denial, or for somebody else', async ({ people, site }) => {
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'Of gates');
  const page = await people.member('lucy');
  await people.member('arthur');
  const gone = async () => {
    await expect.poll(() => isRegistered(page)).toBe(false);
    await expect.poll(() => kept(page)).toEqual([]);
  };
  const ends = [
    async () => await page.getByRole('button', { name: 'Logout' }).press('Enter'),
    // Without a page that is open.
    async () => {
      await page.goto('about:blank');
      await startSession(site, page.context(), 'arthur');
      await page.goto('/');
    },
    async () => {
      decide(site, 'lucy', 'denied');
    },
  ];
  for (const end of ends) {
    await startSession(site, page.context(), 'lucy');
    await turnOn(page);
    await open(page, postId);
    await end();
    await gone();
  }
});

test('a post that was edited is kept as it is now, and opening one takes one contact', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'Of gates');
  const page = await people.member('lucy');
  const isContact = (request: Request) => request.url().endsWith('/api/getKeptPosts');
  // Turning it on is a contact of its own.
  const first = page.context().waitForEvent('requestfinished', isContact);
  await turnOn(page);
  await first;
  let contacts = 0;
  page.context().on('request', request => {
    if (isContact(request)) contacts += 1;
  });
  await open(page, postId);
  await hydrated(page);
  const { post } = await callFrom(admin, 'getPost', { postId });
  await callFrom(admin, 'updatePost', {
    ...{ postId, version: post.version, type: 'essay', title: 'Of gates', description: 'About.' },
    ...{ content: 'Other words.', tags: [], isDraft: false },
  });
  await page.goto('/');
  const text = () => page.evaluate(async path => await (await caches.match(path))?.text(), `/post/${postId}`);
  await expect.poll(text).toContain('Other words.');
  expect(contacts).toBe(2);
});

test('nothing is shown after thirty days without a contact, but all before the first one', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'Of gates');
  const page = await people.member('lucy');
  const noteContact = async (days: number | null) => {
    await turnOn(page);
    await open(page, postId);
    await page.evaluate(async days => {
      const [name = ''] = await caches.keys();
      const cache = await caches.open(name);
      await cache.delete('/api/getKeptPosts');
      if (days === null) return;
      const date = new Date(Date.now() - days * 86_400_000).toUTCString();
      await cache.put('/api/getKeptPosts', new Response('', { headers: { date } }));
    }, days);
    await page.context().setOffline(true);
  };
  // The second is that of a clock that was set back.
  for (const days of [31, -31]) {
    await noteContact(days);
    await expect(page.goto(`/post/${postId}`)).rejects.toThrow('ERR_FAILED');
    await page.context().setOffline(false);
    await page.goto('/');
    expect([await kept(page), await isRegistered(page)]).toEqual([[], false]);
  }
  await noteContact(null);
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  // The same before anything was kept: a whole page, whose style is not its text.
  await page.evaluate(async path => {
    const [name = ''] = await caches.keys();
    await (await caches.open(name)).delete(path);
  }, `/post/${postId}`);
  await page.reload();
  await expect(page.locator('body')).toHaveText('You are offlinePosts that you open are kept here.');
  await expect(page).toHaveTitle('You are offline');
  expect(await page.evaluate(() => document.characterSet)).toBe('UTF-8');
});

test('pictures of other sites are left to the browser', async ({ people }) => {
  const admin = await people.admin();
  const elsewhere = 'https://elsewhere.example/files/gate.png';
  const { post } = await callFrom(admin, 'createPost', {
    ...{ type: 'essay', title: 'Of gates', description: 'About gates.', content: `![A gate](${elsewhere})` },
    ...{ tags: [], isDraft: false },
  });
  const page = await people.member('lucy');
  const body = await sharp({ create: { width: 9, height: 6, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  await page.context().route(elsewhere, route => route.fulfill({ contentType: 'image/png', body }));
  await turnOn(page);
  await open(page, post.id);
  const picture = page.getByAltText('A gate');
  await expect.poll(() => picture.evaluate(image => (image as HTMLImageElement).naturalWidth)).toBe(9);
});

test('what an author writes for a picture stays text where a post is kept', async ({ people }) => {
  const admin = await people.admin();
  const text = '></p><form action=https://elsewhere.example/take><button>Log in again</button></form>';
  const { post } = await callFrom(admin, 'createPost', {
    ...{
      type: 'essay',
      title: 'Of gates',
      description: 'About gates.',
      content: `Here: ![${text}](/face/x)`,
    },
    ...{ tags: [], isDraft: false },
  });
  const page = await people.member('lucy');
  await turnOn(page);
  await open(page, post.id);
  await page.context().setOffline(true);
  await page.goto(`/post/${post.id}`);
  await expect(page.locator('main')).toContainText('You are offline.');
  await expect(page.locator('article')).toContainText('Here:');
  await expect(page.locator('form')).toHaveCount(0);
  await expect(page.getByText('Log in again')).toHaveCount(0);
});
