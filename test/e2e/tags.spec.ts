import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes, setDefaultTags } from './content.ts';
import { expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';

/**
 * The page of a tag (specification section 2, "/tags/{tagName}"), and the top bar of every page ("Other").
 */

test('the page of a tag lists what each kind of viewer may read, or does not reveal that it exists', async ({
  site,
  admin: page,
  people,
}) => {
  await publishNotes(page, ['Open rivers.', 'rivers'], ['Rivers of friends.', 'rivers', 'friends']);
  setDefaultTags(site, 'rivers');
  const sees = { visitor: 1, pending: 1, denied: 1, member: 1, friend: 2, admin: 2 } as const;
  for (const [kind, count] of Object.entries(sees)) {
    const viewer = await people.open(kind as keyof typeof sees);
    await viewer.goto('/tags/rivers');
    await expect(viewer).toHaveTitle('Posts tagged "rivers" · Coterie');
    await expect(viewer.getByRole('heading', { level: 1 })).toHaveText('Posts tagged "rivers"');
    await expect(viewer.locator('article')).toHaveCount(count);
    const [closed, unknown] = [await viewer.goto('/tags/friends'), await viewer.request.get('/tags/nothing')];
    expect(closed?.status()).toBe(count === 2 ? 200 : 404);
    expect(unknown.status()).toBe(404);
    if (count === 1) {
      await expect(viewer.getByText('There are no posts with this tag that you can read.')).toBeVisible();
    }
    await viewer.context().close();
  }
});

test('chips lead to the page of a tag, Back leads back, and more posts are loaded', async ({
  admin: page,
}) => {
  const notes = Array.from({ length: 12 }, (_, n): [string, string] => [`Note ${n + 1}.`, 'a b & c']);
  await publishNotes(page, ...notes);
  await publishEssay(page, 'On rivers');
  await withoutFonts(page);
  await page.goto('/');
  await hydrated(page);
  await page.locator('article').nth(1).getByRole('link', { name: 'a b & c' }).click();
  const heading = page.getByRole('heading', { level: 1, name: 'Posts tagged "a b & c"' });
  await expect(heading).toBeFocused();
  await expect(page).toHaveTitle('Posts tagged "a b & c" · Coterie');
  await expect(page.locator('article')).toHaveCount(10);
  await page.getByRole('button', { name: 'Load More Posts' }).click();
  await expect(page.locator('article')).toHaveCount(12);
  expect(await layoutShift(page)).toBe(0);
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page).toHaveURL('/');
  await expect(page).toHaveTitle('Coterie');
  await expect(page.getByRole('heading', { level: 1, name: 'Posts' })).toBeFocused();

  // Without an earlier page of this site, Back leads to the timeline.
  const other = await page.context().newPage();
  await other.goto('/tags/a%20b%20%26%20c');
  await hydrated(other);
  await other.getByRole('button', { name: 'Back' }).click();
  await expect(other).toHaveURL('/');
  await expectAccessible(page, async () => {
    await page.goto('/tags/a%20b%20%26%20c');
  });
});

test('the top bar differs by viewer, and the brand leads to the timeline', async ({
  admin: page,
  people,
}) => {
  await publishNotes(
    page,
    ...Array.from({ length: 10 }, (_, n): [string] => [`Note ${n}.\n\nMore.\n\nAnd more.`]),
  );
  const bars = {
    visitor: ['Login', 'Sign Up'],
    pending: ['pending', 'Logout'],
    member: ['member', 'Logout'],
    // The number of those who wait stands beside it.
    admin: ['mina', 'Write', /^Admin/, 'Logout'],
  } as const;
  for (const [kind, names] of Object.entries(bars)) {
    const viewer = await people.open(kind as keyof typeof bars);
    await viewer.goto('/');
    await expect(viewer.getByRole('navigation', { name: 'Account' }).locator('a, button')).toHaveText([
      ...names,
    ]);
    await viewer.context().close();
  }
  await page.goto('/');
  await hydrated(page);
  await page.evaluate(() => window.scrollTo(0, 700));
  await page.getByRole('link', { name: 'Coterie' }).dispatchEvent('click');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  await page.getByRole('link', { name: 'mina' }).click();
  await expect(page.getByRole('link', { name: 'mina' })).toHaveAttribute('aria-current', 'page');
});

test('a long username fits a narrow phone', async ({ site, page }) => {
  await site.createAdmin('a_username_of_twenty');
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/login');
  await page.getByLabel('Email').fill('a_username_of_twenty@example.com');
  await page.getByLabel('Password').fill('quincey morris');
  await page.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Logout' })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
});

test('an unknown path leads to the timeline', async ({ admin: page }) => {
  for (const path of ['/nothing', '/tags', '/profile/more', '/%E0%A4%A']) {
    await page.goto(path);
    await expect(page).toHaveURL('/');
  }
});
