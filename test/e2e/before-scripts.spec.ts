import type { Page } from '@playwright/test';
import { publishEssay } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

/** What is pressed or chosen before the scripts of the page are loaded counts as soon as they are. */

/** Opens a page whose scripts are held back. Returns a function that lets them come. */
async function openWithoutScripts(page: Page, url: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route('**/*.js', async route => {
    await held.promise;
    await route.continue();
  });
  // Only the document: `goto` would wait for the scripts.
  await page.evaluate(to => location.assign(to), url);
  await page.waitForURL(url, { waitUntil: 'commit' });
  return held.resolve;
}

for (const name of ['timeline', 'post'] as const) {
  test(`a press on Logout before the scripts of the ${name} page are loaded logs out, without an error`, async ({
    site,
    admin: page,
  }) => {
    const id = await publishEssay(page, 'On rivers');
    const path = { timeline: '/', post: `/post/${id}` }[name];
    const release = await openWithoutScripts(page, site.url + path);
    await page.getByRole('button', { name: 'Logout' }).click();
    // As on a slow phone: the page hydrates in slices, and an answer arrives between two of them.
    const slow = await page.context().newCDPSession(page);
    await slow.send('Emulation.setCPUThrottlingRate', { rate: 8 });
    release();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'On rivers' })).toBeVisible();
  });
}

test('a choice made before the scripts of the page of invitations are loaded shows its fields', async ({
  site,
  admin: page,
}) => {
  const release = await openWithoutScripts(page, `${site.url}/admin/invitations`);
  await page.getByRole('radio', { name: 'people by their addresses' }).check();
  release();
  await hydrated(page);
  await expect(page.getByRole('radio', { name: 'people by their addresses' })).toBeChecked();
  await expect(page.getByRole('textbox', { name: 'Addresses' })).toBeVisible();
  await page.getByRole('radio', { name: 'several people by one link' }).check();
  await expect(page.getByLabel('Name of the link')).toBeVisible();
});

test('a button whose scripts could not be loaded says so, and offers to load the page again', async ({
  site,
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/ERR_FAILED/);
  const id = await publishEssay(page, 'On rivers');
  let isLost = true;
  await page.route('**/*.js', route => (isLost ? route.abort() : route.continue()));
  await page.evaluate(to => location.assign(to), `${site.url}/post/${id}`);
  const like = page.getByRole('button', { name: /^Like/ }).last();
  // Pressed before it is known that the scripts do not come, or after it.
  for (const answer of ['dismiss', 'accept'] as const) {
    const said = page.waitForEvent('dialog');
    const press = like.click();
    const dialog = await said;
    expect(dialog.message()).toBe('This button needs scripts that could not be loaded. Load the page again?');
    isLost = answer === 'dismiss';
    await dialog[answer]();
    await press;
  }
  await hydrated(page);
  await like.click();
  await expect(like).toHaveAccessibleName('Like, 1 like');
});

test('a form that works without scripts does so where they could not be loaded, and says nothing of them', async ({
  site,
  admin: page,
  allowedErrors,
}) => {
  allowedErrors.push(/ERR_FAILED/);
  await publishEssay(page, 'On rivers');
  await page.route('**/*.js', route => route.abort());
  const said: string[] = [];
  page.on('dialog', async dialog => {
    said.push(dialog.message());
    await dialog.dismiss();
  });
  const failed = page.waitForEvent('requestfailed');
  await page.evaluate(to => location.assign(to), `${site.url}/search`);
  await page.getByRole('searchbox').fill('rivers');
  await failed;
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(page.getByRole('link', { name: 'On rivers' })).toBeVisible();
  await page.evaluate(to => location.assign(to), `${site.url}/admin/history`);
  await page.getByLabel('What').selectOption('Deleted a post');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(/kind=post-deleted/);
  expect(said).toEqual([]);
});

test('scripts are asked for once the text is on the screen', async ({ page }) => {
  // Without what a browser waits for that tells nobody when it paints.
  await page.addInitScript(() => {
    const own = window.setTimeout;
    window.setTimeout = ((act: TimerHandler, ms?: number) =>
      ms === 500 ? 0 : own(act, ms)) as typeof window.setTimeout;
  });
  await page.goto('/login');
  await hydrated(page);
  const [painted, asked] = await page.evaluate(() => {
    const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
    return [
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      Math.min(...scripts.map(({ startTime }) => startTime)),
    ];
  });
  expect(asked).toBeGreaterThanOrEqual(painted);
});

test('a browser that tells nobody when it paints loads the scripts, too', async ({ page }) => {
  await page.addInitScript(() => {
    PerformanceObserver.prototype.observe = () => {};
  });
  await page.goto('/login');
  await hydrated(page);
});
