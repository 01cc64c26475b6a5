import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { adminPassword, memberPassword } from '../e2e/accounts.ts';
import { RunningSite } from '../e2e/site.ts';
import { freePort } from '../support/free-port.ts';
import { iphoneVideo } from '../support/made-videos.ts';
import '../support/no-settings.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Tab, Visit } from './visit.ts';

/** A browser of this machine. */
export type Engine = {
  /** What to install where it is not there. */
  missing: string | false;
  start(): Promise<{ begin(): Promise<Tab>; close(): Promise<void> }>;
};

const files = 'input[type=file][aria-label="Images and videos to attach"]';
const waits = 'Your account is waiting for approval by an admin.';

/** The ways that everybody goes. */
export function journeys({ missing: skip, start }: Engine): void {
  let site: RunningSite;
  let browser: Awaited<ReturnType<Engine['start']>>;

  before(async () => {
    if (skip !== false) return;
    site = new RunningSite(await mkdtemp(join(scratchFolder(), 'coterie-browser-')), await freePort());
    await site.start();
    await site.createAdmin();
    browser = await start();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
    if (site === undefined) return;
    await rm(site.dataDir, { recursive: true, force: true });
    // What the content policy forbids is reported to the site; 50 and 60 are errors and worse.
    assert.doesNotMatch(site.output, /"level":[56]0|policy/);
  });

  const begin = async () => new Visit(await browser.begin(), site.url);
  const picture = async (name: string, background: string) => {
    const path = join(site.dataDir, name);
    await writeFile(
      path,
      await sharp({ create: { width: 60, height: 40, channels: 3, background } })
        .png()
        .toBuffer(),
    );
    return path;
  };

  test('an author uploads a picture, loses the page, and publishes; a newcomer is approved, reads and comments live', {
    skip,
  }, async () => {
    const author = await begin();
    await author.logIn('mina', adminPassword);
    await author.go('/admin/posts/new');
    await author.focusOnText();
    await author.tab.type('From the hills. ');
    await author.tab.upload(files, [await picture('spring.png', 'gold')]);
    await author.tab.sees('button', 'Remove spring.png');
    await author.reads('Saved in this browser');
    // What was not saved is offered again.
    await author.tab.reload();
    await author.tab.press('button', 'Restore');
    await author.writes('From the hills.');
    await author.tab.press('button', 'Publish');
    await author.isAt('/admin/posts');

    const reader = await begin();
    await reader.go('/signup');
    await reader.fill({
      Username: 'lucy',
      'Full Name': 'Lucy Westenra',
      Email: 'lucy@example.com',
      Password: memberPassword,
    });
    await reader.tab.press('button', 'Sign Up');
    await reader.reads(waits);
    await author.go('/admin');
    await author.tab.press('button', 'Approve lucy');
    await author.reads('lucy is approved');
    // The approval reaches the open page over its stream.
    await reader.readsNoMore(waits);

    await reader.tab.click('article a[href^="/post/"]');
    await reader.until(() => location.pathname.startsWith('/post/'));
    await reader.until(
      () => document.querySelector<HTMLImageElement>('.attachments img')?.naturalWidth === 60,
    );
    await reader.tab.press('button', 'Like, 0 likes');
    await reader.tab.sees('button', 'Like, 1 like');

    const path = await reader.path();
    await author.go(`${path}#comments`);
    await reader.go(`${path}#comments`);
    await reader.fill({ 'Write a comment': 'Cold and clear.' });
    await reader.tab.press('button', 'Post comment');
    await author.reads('Cold and clear.');
    await reader.tab.press('button', 'Logout');
    await reader.tab.sees('link', 'Login');
    await reader.readsNoMore('Cold and clear.');
    assert.deepEqual([author.tab.faults, reader.tab.faults], [[], []]);
  });

  test('photos form a grid, whose overlay walks through all of them, and Back closes it', {
    skip,
  }, async () => {
    const author = await begin();
    await author.logIn('mina', adminPassword);
    await author.go('/admin/posts/new');
    await author.focusOnText();
    await author.tab.type('Three of the walk.');
    const colours = ['teal', 'orange', 'plum'];
    await author.tab.upload(files, await Promise.all(colours.map(name => picture(`${name}.png`, name))));
    for (const name of colours) await author.tab.sees('button', `Remove ${name}.png`);
    await author.tab.press('button', 'Publish');
    await author.tab.press('link', 'View it');
    await author.counts('.attachments img', 3);
    const path = await author.path();
    await author.tab.click('.attachments img');
    await author.tab.sees('dialog', 'Image 1 of 3');
    await author.tab.key('ArrowRight');
    await author.tab.sees('dialog', 'Image 2 of 3');
    await author.tab.back();
    await author.counts('dialog[open]', 0);
    assert.equal(await author.path(), path);
    assert.deepEqual(author.tab.faults, []);
  });

  test('a video of an iPhone plays once it is prepared, below a post and far down in a text', {
    skip,
  }, async () => {
    const author = await begin();
    await author.logIn('mina', adminPassword);
    await author.go('/admin/posts/new');
    await author.focusOnText();
    await author.tab.type('The thaw.');
    await author.tab.upload(files, [iphoneVideo(join(site.dataDir, 'IMG_2041.MOV'))]);
    await author.tab.sees('button', 'Remove IMG_2041.MOV');
    await author.tab.press('button', 'Publish');
    await author.tab.press('link', 'View it');
    await author.counts('.attachments video', 1);
    await author.until(playsVideo);
    const path = await author.run(async () => {
      const source = document.querySelector('video')?.currentSrc ?? '';
      const content = `${'From the ridge.\n\n'.repeat(200)}[Video: thaw](${new URL(source).pathname})`;
      const words = { type: 'essay', title: 'The ridge', description: 'In March.', content };
      const body = JSON.stringify({ data: { ...words, tags: [], isDraft: false } });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch('/api/createPost', { method: 'POST', headers, body });
      return `/post/${(await answer.json()).result.post.id}`;
    });
    await author.go(String(path));
    await author.counts('.prose video', 1);
    await author.run(() => document.querySelector('video')?.scrollIntoView());
    await author.until(playsVideo);
    assert.deepEqual(author.tab.faults, []);
  });

  test('a reader finds posts by their tags, with the keyboard alone', { skip }, async () => {
    const author = await begin();
    await author.logIn('mina', adminPassword);
    for (const tag of ['rivers', 'bread']) {
      await author.run(async name => {
        const data = { type: 'short', content: `Of ${name}.`, tags: [name], isDraft: false };
        const headers = { 'content-type': 'application/json' };
        await fetch('/api/createPost', { method: 'POST', headers, body: JSON.stringify({ data }) });
      }, tag);
    }
    await author.go('/');
    const pressKeyOn = async (name: string, key: 'Enter' | ' ') => {
      // A tag is followed by the number of its posts.
      const focused = () =>
        document.activeElement?.tagName === 'BUTTON' && document.activeElement.firstChild?.textContent;
      for (let presses = 0; (await author.run(focused)) !== name; presses += 1) {
        assert.ok(presses < 60, `${name} cannot be reached by Tab.`);
        await author.tab.key('Tab');
      }
      await author.tab.key(key);
    };
    await pressKeyOn('rivers', ' ');
    await pressKeyOn('Search', 'Enter');
    await author.isAt('/?tags=rivers');
    await author.counts('article', 1);
    await author.reads('Of rivers.');
    await author.tab.back();
    await author.isAt('/');
    await author.reads('Of bread.');
    assert.deepEqual(author.tab.faults, []);
  });
}

/** Whether the video of the page plays with its pictures; asks it to. */
function playsVideo(): boolean {
  const video = document.querySelector('video');
  if (video === null) return false;
  video.muted = true;
  // It is not loaded yet, or still being prepared.
  void video.play().catch(() => undefined);
  return video.currentTime > 0 && video.videoWidth === 1280;
}
