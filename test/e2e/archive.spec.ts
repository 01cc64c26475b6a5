import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishPost } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import type { RunningSite } from './site.ts';
import { goTo } from './timeline.ts';

/** Finding again: the archive, and what stands before and after a post. */

function date(site: RunningSite, postId: string, moment: string): void {
  withDatabase(site, db => {
    db.prepare('update posts set published_at = ? where id = ?').run(Date.parse(moment), postId);
  });
}

test('a reader finds a post of an earlier year in the archive, and goes on to its neighbours', async ({
  site,
  page,
  people,
}) => {
  const admin = await people.visitor();
  await people.admin(admin);
  const boat = await publishEssay(admin, 'The one with the boat');
  const secret = await publishEssay(admin, 'For friends alone', 'friends');
  const long = await publishPost(admin, 'In the morning we went down to the river, '.repeat(4));
  await publishEssay(admin, 'Today');
  date(site, boat, '2021-03-05T12:00:00Z');
  date(site, secret, '2021-03-06T12:00:00Z');
  date(site, long, '2023-07-01T12:00:00Z');

  await goTo(page, '/');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Archive' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Archive' })).toBeFocused();
  const years = page.getByRole('navigation', { name: 'Years' });
  await expect(years.getByRole('listitem')).toHaveText([/^\d{4} 1 post$/, '2023 1 post', '2021 1 post']);
  await expect(page.getByRole('main').getByRole('link', { name: 'Today' })).toBeVisible();
  await expectAccessible(page);

  // By the keyboard alone from here on.
  await years.getByRole('link', { name: '2021' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/archive?year=2021');
  await expect(page.getByRole('heading', { level: 1, name: 'Archive of 2021' })).toBeFocused();
  await expect(page).toHaveTitle(/^Archive of 2021/);
  await expect(page.getByRole('heading', { level: 2, name: 'March' })).toBeVisible();
  await expect(page.getByText('For friends alone')).toHaveCount(0);
  await page.getByRole('link', { name: 'The one with the boat' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/post/${boat}`);
  const more = page.getByRole('navigation', { name: 'More posts' });
  await expect(more.getByRole('link')).toHaveText([/^NewerIn the morning we went down to the river, .*…$/]);
  await expectAccessible(page);
  await more.getByRole('link').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/post/${long}`);
  await expect(more.getByRole('link')).toHaveText(['OlderThe one with the boat', 'NewerToday']);
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Archive of 2021' })).toBeVisible();
});

test('without scripts the archive and the neighbours are there, and nothing moves when scripts start', async ({
  site,
  page,
  people,
}) => {
  const admin = await people.visitor();
  await people.admin(admin);
  const ids = [await publishEssay(admin, 'Older one'), await publishEssay(admin, 'The middle')];
  await publishEssay(admin, 'Newer one');
  date(site, ids[0] ?? '', '2020-02-29T12:00:00Z');
  const plain = await people.visitor({ javaScriptEnabled: false });
  await plain.goto('/archive');
  await plain.getByRole('link', { name: '2020' }).click();
  await expect(plain.getByRole('link', { name: 'Older one' })).toBeVisible();
  await plain.goto('/archive?year=1999');
  await expect(plain.getByText('There are no posts here that you can read.')).toBeVisible();
  await plain.goto(`/post/${ids[1]}`);
  await expect(plain.getByRole('navigation', { name: 'More posts' }).getByRole('link')).toHaveText([
    'OlderOlder one',
    'NewerNewer one',
  ]);
  await withoutFonts(page);
  for (const path of [`/post/${ids[1]}`, '/archive']) {
    await page.goto(path);
    await hydrated(page);
    expect([path, await layoutShift(page)]).toEqual([path, 0]);
  }
});

test('months and dates are in the language of dates, and read from right to left in Arabic', async ({
  site,
  admin,
  people,
}) => {
  const page = await people.visitor();
  const boat = await publishEssay(admin, 'The one with the boat');
  date(site, boat, '2021-07-28T12:00:00Z');
  await callFrom(admin, 'saveSiteSettings', { values: { dateLanguage: 'de' }, version: 0 });
  await goTo(page, '/archive?year=2021');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('Juli 1 post');
  // Chromium does not know Icelandic.
  await callFrom(admin, 'saveSiteSettings', { values: { dateLanguage: 'is' }, version: 1 });
  await goTo(page, '/archive?year=2021&month=7');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Archive of júlí 2021');
  await expect(page.getByRole('heading', { level: 2 })).toHaveText('júlí 1 post');
  await callFrom(admin, 'saveSiteSettings', { values: { dateLanguage: 'ar' }, version: 2 });
  await goTo(page, '/archive?year=2021&month=7');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Archive of يوليو 2021');
  await goTo(page, `/post/${boat}`);
  const shown = page.locator('time').first();
  await expect(shown).toHaveText('28 يوليو 2021');
  const [day, year] = await shown.evaluate(time =>
    [0, 9].map(at => {
      const range = new Range();
      range.setStart(time.firstChild as Text, at);
      range.setEnd(time.firstChild as Text, at + 1);
      return range.getBoundingClientRect().left;
    }),
  );
  expect(day).toBeGreaterThan(year ?? 0);
});
