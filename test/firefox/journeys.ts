import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'puppeteer-core';
import sharp from 'sharp';
import { adminPassword, memberPassword } from '../e2e/accounts.ts';
import { RunningSite } from '../e2e/site.ts';
import { freePort } from '../support/free-port.ts';
import '../support/no-settings.ts';
import { scratchFolder } from '../support/scratch.ts';
import { firefoxPath, startFirefox, Visit } from './browser.ts';

/** `npm run test:firefox`: the ways that everybody goes, in a Firefox that is installed, such as Debian's. */
const skip =
  firefoxPath === undefined &&
  'Firefox is not installed: install firefox-esr, or name a Firefox in FIREFOX_PATH.';

let site: RunningSite;
let browser: Browser;

before(async () => {
  if (firefoxPath === undefined) return;
  site = new RunningSite(await mkdtemp(join(scratchFolder(), 'coterie-firefox-')), await freePort());
  await site.start();
  await site.createAdmin();
  browser = await startFirefox();
});
after(async () => {
  await browser?.close();
  await site?.stop();
  if (site !== undefined) await rm(site.dataDir, { recursive: true, force: true });
});

const begin = () => Visit.begin(browser, site.url);
/** Resolves once these words are in the text of the editor, which is in a shadow tree. */
async function writes({ page }: Visit, words: string): Promise<void> {
  await page.waitForFunction(
    wanted =>
      document
        .querySelector('.text-surface')
        ?.shadowRoot?.querySelector('.cm-content')
        ?.textContent?.includes(wanted),
    {},
    words,
  );
}

const waits = 'Your account is waiting for approval by an admin.';

test('an author uploads a picture, loses the page, and publishes; a newcomer is approved, reads and comments live', {
  skip,
}, async () => {
  const author = await begin();
  await author.logIn('mina', adminPassword);
  await author.go('/admin/posts/new');
  await (await author.page.waitForSelector('.text-surface >>> .cm-content'))?.focus();
  await author.page.keyboard.type('From the hills. ');
  const picture = join(site.dataDir, 'spring.png');
  const image = sharp({ create: { width: 60, height: 40, channels: 3, background: 'gold' } });
  await writeFile(picture, await image.png().toBuffer());
  const chooser = await author.page.waitForSelector(
    'input[type=file][aria-label="Images and videos to attach"]',
  );
  assert.ok(chooser);
  await chooser.uploadFile(picture);
  await author.sees('button', 'Remove spring.png');
  await author.reads('Saved in this browser');
  // A reload asks, and what was not saved is offered again.
  author.page.on('dialog', dialog => void dialog.accept());
  await author.page.reload();
  await author.press('button', 'Restore');
  await writes(author, 'From the hills.');
  await author.press('button', 'Publish');
  await author.isAt('/admin/posts');

  const reader = await begin();
  await reader.go('/signup');
  await reader.fill({
    Username: 'lucy',
    'Full Name': 'Lucy Westenra',
    Email: 'lucy@example.com',
    Password: memberPassword,
  });
  await reader.press('button', 'Sign Up');
  await reader.reads(waits);
  await author.go('/admin');
  await author.press('button', 'Approve lucy');
  await author.reads('lucy is approved');
  // The approval reaches the open page over its stream.
  await reader.readsNoMore(waits);

  await reader.page.locator('article a[href^="/post/"]').click();
  await reader.page.waitForFunction(() => location.pathname.startsWith('/post/'));
  const width = await reader.page.waitForFunction(() => {
    const shown = document.querySelector<HTMLImageElement>('.attachments img');
    return shown?.complete && shown.naturalWidth;
  });
  assert.equal(await width.jsonValue(), 60);
  await reader.press('button', 'Like, 0 likes');
  await reader.sees('button', 'Like, 1 like');

  const { pathname } = new URL(reader.page.url());
  await author.go(`${pathname}#comments`);
  await reader.go(`${pathname}#comments`);
  await reader.fill({ 'Write a comment': 'Cold and clear.' });
  await reader.press('button', 'Post comment');
  await author.reads('Cold and clear.');
  await reader.press('button', 'Logout');
  await reader.sees('link', 'Login');
  await reader.readsNoMore('Cold and clear.');
  assert.deepEqual([author.faults, reader.faults], [[], []]);
});

test('a reader finds posts by their tags, with the keyboard alone', { skip }, async () => {
  const author = await begin();
  await author.logIn('mina', adminPassword);
  for (const tag of ['rivers', 'bread']) {
    await author.page.evaluate(async name => {
      const data = { type: 'short', content: `Of ${name}.`, tags: [name], isDraft: false };
      const headers = { 'content-type': 'application/json' };
      await fetch('/api/createPost', { method: 'POST', headers, body: JSON.stringify({ data }) });
    }, tag);
  }
  await author.go('/');
  const pressKeyOn = async (name: string, key: 'Enter' | ' ') => {
    const focused = () => document.activeElement?.textContent?.trim();
    for (let presses = 0; (await author.page.evaluate(focused)) !== name; presses += 1) {
      assert.ok(presses < 60, `${name} cannot be reached by Tab.`);
      await author.page.keyboard.press('Tab');
    }
    await author.page.keyboard.press(key);
  };
  await pressKeyOn('rivers', ' ');
  await pressKeyOn('Search', 'Enter');
  await author.isAt('/?tags=rivers');
  await author.counts('article', 1);
  await author.reads('Of rivers.');
  await author.page.goBack();
  await author.isAt('/');
  await author.reads('Of bread.');
  assert.deepEqual(author.faults, []);
});
