import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, devices, type Page, type Request } from '@playwright/test';
import sharp from 'sharp';
import { chromiumArgs, findChromium } from '../../scripts/chromium.ts';
import { callFrom, expect, signIn, test } from './fixtures.ts';

/** An essay from an empty editor to its readers, while tab, browser and server die. */

const places = {
  'a desk': { viewport: { width: 1280, height: 800 } },
  'a phone': { ...devices['Pixel 7'], viewport: { width: 360, height: 740 } },
};

const parts = Array.from(
  { length: 20 },
  (_, part) => `## Part ${part}\n\n${`word${part} `.repeat(100).trim()}\n\n`,
);
const table = '| River | Length |\n| --- | ---: |\n| Inn | 518 km |\n\n';

/** A picture that cannot be compressed well, so that it is uploaded in several parts. */
async function picture(index: number) {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const image = sharp({ create: { width: 600, height: 400, channels: 3, background: 'gold', noise } });
  return { name: `picture ${index}.png`, mimeType: 'image/png', buffer: await image.png().toBuffer() };
}

/** The unsaved texts on the browser's disk. */
async function kept(page: Page): Promise<string> {
  return await page.evaluate(async () => {
    const result = <T>(request: IDBRequest<T>) =>
      new Promise<T>(resolve => request.addEventListener('success', () => resolve(request.result)));
    const database = await result(indexedDB.open('coterie-drafts', 1));
    const texts = await result(database.transaction('copies').objectStore('copies').getAll());
    database.close();
    return texts.join();
  });
}

async function crash(context: BrowserContext): Promise<void> {
  const closed = new Promise(resolve => context.once('close', resolve));
  const session = await context.browser()?.newBrowserCDPSession();
  // There is nobody left to answer.
  session?.send('Browser.crash').catch(() => {});
  await closed;
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Content' });
/** Only the lines in view are in the document. */
async function toEnd(page: Page): Promise<void> {
  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
}
const chooser = (page: Page) => page.getByLabel('Images and videos to insert');
const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true });

for (const [place, device] of Object.entries(places)) {
  test(`an essay gets from an empty editor to its readers at ${place}, also when tab, browser or server die meanwhile`, async ({
    site,
  }) => {
    const profile = await mkdtemp(join(tmpdir(), 'coterie-profile-'));
    const open = async (): Promise<[BrowserContext, Page]> => {
      const executablePath = findChromium();
      const options = { ...device, baseURL: site.url, executablePath, args: chromiumArgs };
      const context = await chromium.launchPersistentContext(profile, options);
      const page = context.pages()[0] ?? (await context.newPage());
      // A browser keeps a new cookie only in memory for half a minute, and loses it if it is killed.
      await signIn(page, 'mina');
      return [context, page];
    };
    await site.createAdmin();
    const video = {
      name: 'high water.mp4',
      mimeType: 'video/mp4',
      buffer: await readFile(join(import.meta.dirname, 'high-water.mp4')),
    };
    const pictures = await Promise.all([0, 1, 2, 3, 4].map(picture));

    let [context, page] = await open();
    await page.goto('/admin/posts/new');
    await page.getByText('Essay', { exact: true }).click();
    await page.getByLabel('Title').fill('On rivers');
    await page.getByLabel('Description', { exact: true }).fill('What they carry.');
    await text(page).click();
    await page.keyboard.insertText(parts.slice(0, 10).join(''));
    await chooser(page).setInputFiles(pictures.slice(0, 3));
    await expect(text(page)).toContainText('picture_2.png');

    // The browser is killed during the upload of two pictures, which go on with the restored text.
    await page.route('**/v0/b/**', () => {});
    await chooser(page).setInputFiles(pictures.slice(3));
    await expect(page.getByText('Uploading')).toBeVisible();
    await expect
      .poll(() => kept(page))
      .toMatch(/picture_2\.png.*"files":.*"picture 3\.png".*"picture 4\.png"/);
    await crash(context);

    [context, page] = await open();
    await page.goto('/admin/posts/new');
    await expect(page.getByText('This browser has unsaved text of')).toContainText('On rivers');
    // The one request of each picture gets no answer. The server is killed between two parts of the first,
    // whose upload then resumes where it stopped.
    const steps: string[] = [];
    const stepOf = (request: Request) => request.headers()['x-goog-upload-command'] ?? '';
    const begun = Promise.withResolvers<void>();
    let begins = 0;
    page.on('requestfinished', request => {
      if (stepOf(request) === 'start') begins += 1;
      if (begins === 2) begun.resolve();
    });
    const killed = Promise.withResolvers<void>();
    await page.route('**/v0/b/**', async (route, request) => {
      if (request.headers()['x-goog-upload-protocol'] === 'multipart') return await route.abort();
      const step = stepOf(request);
      steps.push(step);
      const isSecondPart = steps.filter(other => other.startsWith('upload')).length === 2;
      if (isSecondPart && step.startsWith('upload')) {
        // An upload that has not begun would begin again.
        await begun.promise;
        await site.stop('SIGKILL');
        killed.resolve();
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect(page.getByLabel('Title')).toHaveValue('On rivers');
    await expect(page.getByLabel('Description', { exact: true })).toHaveValue('What they carry.');
    // The restored text is in a new editor, which may take the focus while a key is pressed.
    await expect(async () => {
      await toEnd(page);
      await expect(text(page)).toContainText('picture_2.png', { timeout: 1_000 });
    }).toPass();
    await killed.promise;
    await expect(page.getByText('Connection lost. The upload will resume automatically.')).not.toHaveCount(0);
    await site.start();
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(text(page)).toContainText('picture_3.png');
    await expect(text(page)).toContainText('picture_4.png');
    expect(steps.filter(step => step === 'start')).toHaveLength(2);
    expect(steps).toContain('query');
    await page.unrouteAll();

    await toEnd(page);
    await page.keyboard.insertText(parts.slice(10).join('') + table);
    await chooser(page).setInputFiles(video);
    await expect(text(page)).toContainText('high_water.mp4');
    await page.getByLabel('Files to attach').setInputFiles(video);
    await page.getByLabel('Description of high water.mp4').fill('The flood');
    await expect.poll(() => kept(page)).toContain('The flood');

    // The server is killed while the author publishes.
    await site.stop('SIGKILL');
    await publish(page).click();
    await expect(page.getByText('Failed to save post. Please try again.')).toBeVisible();
    await page.getByRole('button', { name: 'OK' }).click();
    await site.start();
    await publish(page).click();
    await expect(page).toHaveURL('/admin/posts');
    await expect(page.getByRole('article')).toHaveCount(1);
    await expect.poll(() => kept(page)).toBe('');

    const { posts } = await callFrom(page, 'getPosts', {});
    await page.goto(`/post/${posts[0]?.id}`);
    const prose = page.locator('.prose');
    await expect(prose.locator('h2')).toHaveCount(20);
    await expect(prose.locator('img')).toHaveCount(5);
    await expect(prose.locator('video')).toHaveCount(1);
    await expect(prose.locator('table')).toHaveCount(1);
    expect((await prose.textContent())?.match(/word\d+/g)).toHaveLength(2_000);
    // In the order in which they were chosen, each complete, including the poster.
    const sources = await prose
      .locator('img')
      .evaluateAll(images => images.map(image => image.getAttribute('src')));
    expect(sources.map(source => /picture_\d/.exec(source ?? '')?.[0])).toEqual(
      pictures.map((_, index) => `picture_${index}`),
    );
    const poster = await page.locator('.attachments video').getAttribute('poster');
    expect(poster).toMatch(/\.jpg$/);
    await expect(page.locator('.attachments figcaption')).toHaveText('The flood');
    for (const source of [...sources, poster]) {
      const image = await page.request.get(source ?? '');
      expect((await sharp(await image.body()).stats()).channels).toHaveLength(3);
    }
    await context.close();
    await rm(profile, { recursive: true, force: true });
  });
}
