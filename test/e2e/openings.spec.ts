import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';

/** How often a post is opened: docs/decisions/0047-openings.md. */

/** That of the headless browser names a bot. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';

test('an admin has openings counted, a reader is counted once a page load, and the author sees about how often', async ({
  site,
  admin,
  people,
}) => {
  const essay = await publishEssay(admin, 'On rivers');
  await publishEssay(admin, 'On locks');
  const times = () =>
    withDatabase(site, db => db.prepare('select times from openings where post_id = ?').get(essay)?.times);
  const reader = await people.visitor({ userAgent });
  const calls: string[] = [];
  reader.on('request', request => calls.push(new URL(request.url()).pathname));
  const countings = () => calls.filter(path => path === '/api/countOpening').length;
  const setHidden = (isHidden: boolean) =>
    reader.evaluate(value => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    }, isHidden);
  await reader.clock.install();
  await reader.goto(`/post/${essay}`);
  await reader.clock.runFor(60_000);
  expect(countings()).toBe(0);

  await admin.goto('/admin/settings');
  const region = admin.getByRole('region', { name: 'People' });
  await region.getByLabel('How often a post is opened').selectOption('Counted');
  await expectAccessible(admin);
  await region.getByRole('button', { name: 'Save' }).click();
  await expect(region.getByText('Saved.')).toBeVisible();

  await reader.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  });
  await reader.goto(`/post/${essay}`);
  // Time stands still from here on, but for what is run.
  await reader.clock.pauseAt(Date.now() + 3_600_000);
  const counted = reader.waitForResponse('**/api/countOpening');
  await reader.clock.runFor(60_000);
  await setHidden(false);
  await reader.clock.runFor(4_000);
  expect(countings()).toBe(0);
  await reader.clock.runFor(2_000);
  await counted;
  await reader.clock.resume();
  await expect.poll(times).toBe(1);
  // Away and back in the same page: the other post is counted, this one is not again.
  const another = reader.waitForResponse('**/api/countOpening');
  await reader.getByRole('link', { name: 'On locks' }).click();
  await expect(reader.getByRole('heading', { name: 'On locks' })).toBeVisible();
  await reader.clock.runFor(6_000);
  await another;
  await reader.goBack();
  await expect(reader.getByRole('heading', { name: 'On rivers' })).toBeVisible();
  await reader.clock.runFor(60_000);
  expect([countings(), times()]).toEqual([2, 1]);

  await admin.goto(`/post/${essay}`);
  await expect(admin.getByText('Opened fewer than 10 times')).toBeVisible();
  withDatabase(site, db => db.prepare('update openings set times = 1234 where post_id = ?').run(essay));
  await admin.reload();
  await hydrated(admin);
  await expect(admin.getByText('Opened 1,000+ times')).toBeVisible();
  await expectAccessible(admin);
  await admin.goto('/admin/posts');
  await expect(admin.getByRole('article').filter({ hasText: 'On rivers' })).toContainText(
    'Opened 1,000+ times',
  );
  await expectAccessible(admin);
  await expect(reader.getByText('Opened')).toHaveCount(0);
});
