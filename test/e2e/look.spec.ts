import type { Locator } from '@playwright/test';
import { type Typeface, typefaces } from '../../contract/look.ts';
import { publishNotes } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';

test('a reader chooses how the site looks, and the browser remembers it', async ({ page, context }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto('/');
  await hydrated(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const bright = await paper();
  const other = await context.newPage();
  await other.goto('/login');
  await hydrated(other);

  const choices = page.getByRole('group', { name: 'Theme' });
  await expect(choices.getByText('Theme')).toBeVisible();
  await expect(choices.getByLabel('System')).toBeChecked();
  await choices.getByLabel('System').focus();
  await page.keyboard.press('ArrowLeft');
  await expect(choices.getByLabel('Dark')).toBeChecked();
  await expect.poll(paper).not.toBe(bright);
  // Another tab changes, too.
  await expect(other.getByLabel('Dark')).toBeChecked();
  await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark');

  // Before the body exists, so that nothing light is painted first.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.body === null) return;
      observer.disconnect();
      document.documentElement.setAttribute('data-first', document.documentElement.dataset.theme ?? 'none');
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-first', 'dark');
  await expect(page.locator('meta[name=theme-color][media=all]')).toHaveAttribute('data-theme', 'dark');
  await hydrated(page);
  await choices.getByText('System').click();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme');
  await expect.poll(paper).toBe(bright);
});

test('in the colours of a reader who chooses those of all pages, what is chosen differs from what is not', async ({
  admin: page,
}) => {
  await publishNotes(page, ['Of bread.', 'bread'], ['Of rivers.', 'rivers']);
  await page.emulateMedia({ forcedColors: 'active' });
  const background = (shown: Locator) => shown.evaluate(element => getComputedStyle(element).backgroundColor);
  await page.goto('/?tags=bread');
  await hydrated(page);
  const chip = (name: string) => page.getByRole('search').getByRole('button', { name, exact: true });
  expect(await background(chip('bread'))).not.toBe(await background(chip('rivers')));
  await page.goto('/admin/posts/new');
  await hydrated(page);
  const type = (name: string) => page.locator('label', { hasText: name });
  expect(await background(type('Short Post'))).not.toBe(await background(type('Essay')));
});

test('on paper a wide table has all its columns, and a video is a line with its name', async ({
  admin: page,
}) => {
  const cells = Array.from({ length: 12 }, (_, n) => `Column${n}`);
  const table = [cells, cells.map(() => '-'), cells].map(row => `| ${row.join(' | ')} |`).join('\n');
  const content = `${table}\n\n[Video: high water.mp4](/a.mp4)`;
  const input = {
    type: 'essay' as const,
    title: 'Wide',
    description: 'A table.',
    content,
    tags: [],
    isDraft: false,
  };
  const { post } = await callFrom(page, 'createPost', input);
  await page.route('**/a.mp4', route => route.fulfill({ contentType: 'video/mp4', body: '' }));
  await page.setViewportSize({ width: 680, height: 900 });
  await page.goto(`/post/${post.id}`);
  await expect(page.getByText('Video: high water.mp4')).toBeHidden();
  const search = page.getByRole('banner').getByRole('link', { name: 'Find posts' });
  await expect(search).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(search).toBeHidden();
  await expect(page.getByText('Video: high water.mp4')).toBeVisible();
  await expect(page.locator('video')).toBeHidden();
  const [cell, root] = await page.evaluate(() => [
    document.querySelector('td:last-child')?.getBoundingClientRect().right ?? 0,
    document.documentElement.clientWidth,
  ]);
  expect(cell).toBeLessThanOrEqual(root);
});

test('what is said at the address of a file that is not there looks like every page', async ({
  page,
  allowedErrors,
}) => {
  allowedErrors.push(/404/);
  const looks = () =>
    page.evaluate(() => [
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.body).fontFamily,
    ]);
  await page.goto('/login');
  const expected = await looks();
  expect((await page.goto('/files/nothing'))?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(await looks()).toEqual(expected);
  await page.getByRole('link', { name: 'Back to the start page' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Posts' })).toBeVisible();
});

test('phones and tabs find the icons that the documents name', async ({ page, site, request }) => {
  await page.goto('/');
  const links = page.locator('head :is(link[rel=icon], link[rel=apple-touch-icon], link[rel=manifest])');
  const addresses = await links.evaluateAll(all => all.map(link => (link as HTMLLinkElement).href));
  const manifest = await (await request.get('/manifest.webmanifest')).json();
  expect(manifest.name).toBe('Coterie');
  for (const { src } of manifest.icons) addresses.push(site.url + src);
  expect(addresses).toHaveLength(6);
  for (const address of addresses) {
    const answer = await request.get(address);
    expect([address, answer.status()]).toEqual([address, 200]);
    expect(answer.headers()['content-type']).toMatch(/^image\/|manifest/);
  }
  expect(await (await request.get('/robots.txt')).text()).toMatch(/^User-agent: \*\n/);
});

test('what is small to see is not small to press with a finger', async ({ people }) => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  await people.member('lucy');
  await people.member('noor', { status: 'pending' });
  const page = await people.admin(await people.visitor(phone));
  await callFrom(page, 'addTag', { name: 'trips' });
  /** Whether an element is what a finger hits 21 pixels from its middle, to each side. */
  const isLarge = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const ways = [-21, 21].flatMap(way => [
      document.elementFromPoint(x + way, y),
      document.elementFromPoint(x, y + way),
    ]);
    return ways.every(hit => element.contains(hit));
  };
  const expectLarge = async (locator: Locator) => {
    // Clear of the bars at the edges.
    await locator.evaluate(element => element.scrollIntoView({ block: 'center' }));
    await expect.poll(() => locator.evaluate(isLarge), String(locator)).toBe(true);
  };
  await page.goto('/');
  await expectLarge(page.getByRole('link', { name: 'Invite somebody' }));
  await page.goto('/admin');
  await expectLarge(page.getByRole('link', { name: 'Mail' }));
  await expectLarge(page.locator('label', { has: page.getByLabel('Select noor') }));
  await expectLarge(page.getByRole('link', { name: 'Approved 1' }));
  await page.goto('/admin?list=approved');
  await expectLarge(page.getByRole('button', { name: 'Edit lucy' }));
  await page.goto('/admin/posts/new');
  const field = page.getByRole('combobox', { name: 'Tags' });
  await field.fill('bread,');
  await expectLarge(page.getByRole('button', { name: 'Remove bread' }));
  await field.fill('tri');
  await expectLarge(page.getByRole('option', { name: 'trips' }));
});

test('a site without an icon shows the first letter of its name, also in the colours of its reader', async ({
  page,
}) => {
  for (const forcedColors of ['none', 'active'] as const) {
    await page.emulateMedia({ forcedColors });
    await page.goto('/');
    const initial = page.getByRole('banner').getByText('C', { exact: true });
    await expect(initial).toBeVisible();
    const [letter, ground] = await initial.evaluate(element => {
      const { color, backgroundColor } = getComputedStyle(element);
      return [color, backgroundColor];
    });
    expect(letter).not.toBe(ground);
  }
  // The letter belongs to no name that is read aloud.
  await expect(page.getByRole('link', { name: 'Coterie', exact: true })).toBeVisible();
});

test.describe(() => {
  test.use({ settings: { SITE_TITLE: 'Die Familie Obermüller-Schmittbauer' } });

  test('a name of the site looks as if nobody could change it, where the environment decides it', async ({
    admin: page,
  }) => {
    await page.goto('/admin/settings');
    await hydrated(page);
    const paper = (field: Locator) => field.evaluate(element => getComputedStyle(element).backgroundColor);
    const name = page.getByLabel('Name', { exact: true });
    await expect(name).toBeDisabled();
    expect(await paper(name)).not.toBe(await paper(page.getByLabel('One line about it')));
    expect(await paper(name)).toBe(await paper(page.locator('body')));
  });

  test('a long name of the site is not cut on a phone, also in larger letters', async ({ admin: page }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto('/');
    await page.evaluate(() => document.fonts.ready);
    const name = page.locator('.brand .name');
    for (const letters of ['100%', '135%']) {
      const cut = await name.evaluate((element, size) => {
        document.documentElement.style.fontSize = size;
        return element.scrollHeight - element.clientHeight;
      }, letters);
      expect(cut, letters).toBeLessThanOrEqual(0);
    }
  });
});

test('no letter of the site’s name is cut, in any typeface', async ({ admin: page }) => {
  for (const typeface of Object.keys(typefaces) as Typeface[]) {
    const { version } = await callFrom(page, 'getSiteSettings', {});
    await callFrom(page, 'saveSiteSettings', { values: { title: 'Ångström, jogging', typeface }, version });
    await page.goto('/');
    await page.evaluate(() => document.fonts.ready);
    const name = page.getByRole('banner').getByText('Ångström, jogging');
    const [cut, letters] = await name.evaluate(element => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [element.getBoundingClientRect().bottom, range.getBoundingClientRect().bottom];
    });
    expect(letters, typeface).toBeLessThanOrEqual(cut);
  }
});

test('the number of people who wait does not cover the word Admin, however many they are', async ({
  admin: page,
}) => {
  await page.route('**/api/getUsers', async route => {
    const response = await route.fetch();
    const { result } = await response.json();
    await route.fulfill({ response, json: { result: { ...result, total: 1_234 } } });
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  const link = page.getByRole('link', { name: 'Admin 1,234 waiting for approval' });
  await link.waitFor();
  await page.evaluate(() => document.fonts.ready);
  for (const letters of ['100%', '135%']) {
    const gap = await link.evaluate((element, size) => {
      document.documentElement.style.fontSize = size;
      const [word, amount] = element.childNodes;
      const number = [...(amount?.childNodes ?? [])].find(({ textContent }) => textContent === '1,234');
      const context = document.createElement('canvas').getContext('2d');
      if (word == null || number == null || context === null) throw new Error('Nobody waits.');
      /** Where the letters of a text begin, and the line that they stand on. */
      const inked = (text: Node) => {
        const range = document.createRange();
        range.selectNodeContents(text);
        context.font = getComputedStyle(text.parentElement ?? element).font;
        const { fontBoundingBoxDescent, actualBoundingBoxAscent } = context.measureText(
          text.textContent ?? '',
        );
        const baseline = range.getBoundingClientRect().bottom - fontBoundingBoxDescent;
        return { top: baseline - actualBoundingBoxAscent, baseline };
      };
      return inked(word).top - inked(number).baseline;
    }, letters);
    expect(gap, letters).toBeGreaterThan(0);
  }
});
