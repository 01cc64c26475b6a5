import { publishNotes, setAbout, setDefaultTags } from './content.ts';
import { expect, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import { articles, button, chip, goTo, numbered } from './timeline.ts';

/** The tag search of the timeline, and the About text beside it. */

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

test('tags are selected, searched and cleared, and the address and history change with them', async ({
  admin: page,
}) => {
  await publishNotes(
    page,
    ['Of rivers.', 'rivers'],
    ['Of bread.', 'bread'],
    ['Of both.', 'bread', 'rivers'],
    ['Of none.'],
  );
  await goTo(page, '/');
  await expect(button(page, 'Search')).toBeDisabled();
  await expect(button(page, 'Clear')).toBeDisabled();
  await chip(page, 'bread').click();
  await expect(chip(page, 'bread')).toHaveAttribute('aria-pressed', 'true');
  const stored = () => page.evaluate(() => sessionStorage.getItem('selected-tags'));
  await expect.poll(stored).toBe('["bread"]');
  // Selecting a tag does not search yet.
  await expect(articles(page)).toHaveCount(4);

  const held = Promise.withResolvers<void>();
  await page.route('**/api/getPosts', async route => {
    await held.promise;
    await route.continue();
  });
  await button(page, 'Search').click();
  await expect(button(page, 'Searching...')).toBeDisabled();
  await expect(button(page, 'Clear')).toBeDisabled();
  await expect(chip(page, 'bread')).toBeDisabled();
  held.resolve();
  await expect(articles(page)).toHaveCount(2);
  await expect(page).toHaveURL('/?tags=bread');
  await expect(button(page, 'Search')).toBeEnabled();

  await chip(page, 'rivers').click();
  await button(page, 'Search').click();
  await expect(articles(page)).toHaveCount(3);
  await expect(page).toHaveURL('/?tags=bread,rivers');
  const found = page.getByRole('search').getByRole('status');
  await expect(found).toHaveText('3 posts found');
  await page.goBack();
  await expect(articles(page)).toHaveCount(2);
  // The text was about the posts that were shown before.
  await expect(found).toBeEmpty();
  await expect(chip(page, 'rivers')).toHaveAttribute('aria-pressed', 'false');
  await page.goForward();
  await expect(articles(page)).toHaveCount(3);
  await button(page, 'Clear').click();
  await expect(articles(page)).toHaveCount(4);
  await expect(page).toHaveURL('/');
  await expect(button(page, 'Clear')).toBeDisabled();
  await expect.poll(stored).toBeNull();

  // Deselecting the last tag shows all posts again, because with none selected the buttons are disabled.
  await chip(page, 'bread').click();
  await button(page, 'Search').click();
  await expect(articles(page)).toHaveCount(2);
  await chip(page, 'bread').click();
  await expect(articles(page)).toHaveCount(4);
});

test('the selection is restored after another page, but not for another user', async ({
  site,
  admin: page,
}) => {
  await publishNotes(page, ...numbered(12, 'rivers'), ['Of bread.', 'bread']);
  await goTo(page, '/');
  await chip(page, 'rivers').click();
  await button(page, 'Search').click();
  await expect(page).toHaveURL('/?tags=rivers');
  await button(page, 'Load More Posts').click();
  await expect(articles(page)).toHaveCount(12);
  const held = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async route => {
    await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/assets/*.js');
  await page.getByRole('link', { name: 'mina' }).click();
  await asked;
  // The reader has left before the answer arrives, so the timeline does not change.
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/?tags=rivers');
  await expect(articles(page)).toHaveCount(12);
  const loaded = page.waitForResponse('**/assets/*.js');
  held.resolve();
  await (await loaded).finished();
  await expect(page).toHaveURL('/?tags=rivers');
  await page.getByRole('link', { name: 'mina' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/?tags=rivers');
  await expect(articles(page)).toHaveCount(12);
  await expect(chip(page, 'rivers')).toHaveAttribute('aria-pressed', 'true');

  setDefaultTags(site, 'rivers');
  // What is asked for while the session ends is refused, which the browser logs in its console.
  const lists = ['getOwnComments', 'getLikedPosts'].map(name => page.waitForResponse(`**/api/${name}`));
  await page.getByRole('link', { name: 'mina' }).click();
  await Promise.all(lists);
  await button(page, 'Logout').click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(articles(page)).toHaveCount(10);
  await expect(chip(page, 'rivers')).toHaveAttribute('aria-pressed', 'false');
  await expect.poll(() => page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'current-page': '1' });

  // If the browser stores nothing, the selection lasts as long as the page.
  await page.addInitScript(() => {
    const get = () => {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    };
    for (const name of ['sessionStorage', 'localStorage']) Object.defineProperty(window, name, { get });
  });
  await goTo(page, '/');
  await expect(articles(page)).toHaveCount(10);
  await chip(page, 'rivers').click();
  await button(page, 'Search').click();
  await expect(page).toHaveURL('/?tags=rivers');
  await page.getByRole('link', { name: 'Login' }).click();
  await expect(page).toHaveURL('/login');
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/?tags=rivers');
});

test('the selection is restored for a reader who comes back before the other page has loaded', async ({
  admin: page,
}) => {
  await publishNotes(page, ['Of rivers.', 'rivers'], ['Of bread.', 'bread']);
  await goTo(page, '/');
  await chip(page, 'rivers').click();
  await button(page, 'Search').click();
  await expect(page).toHaveURL('/?tags=rivers');
  await page.route('**/assets/*.js', () => {});
  await page.getByRole('link', { name: 'mina' }).click();
  await expect(page.getByText('Loading...')).toBeVisible();
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page).toHaveURL('/?tags=rivers');
  await expect(articles(page)).toHaveCount(1);
});

test('About and the tag search are fixed on wide screens and panels on narrow ones', async ({
  admin: page,
  people,
}) => {
  await setAbout(page, 'I write about *rivers*.');
  await publishNotes(page, ...numbered(10, 'rivers'));
  await withoutFonts(page);
  await goTo(page, '/');
  await expect(page.getByRole('heading', { name: 'About' })).toBeVisible();
  await expect(page.getByText('I write about rivers.')).toBeVisible();
  await expect(button(page, 'about')).toBeHidden();
  await expect(button(page, 'search')).toBeHidden();
  const bar = page.getByRole('search');
  await page.evaluate(() => window.scrollTo(0, 64));
  await expect(bar).not.toHaveClass(/scrolled/);
  await page.evaluate(() => window.scrollTo(0, 65));
  await expect(bar).toHaveClass(/scrolled/);
  await page.evaluate(() => window.scrollTo(0, 600));
  await expect(bar).toBeInViewport();
  expect(await layoutShift(page)).toBe(0);

  const small = await people.open('admin', phone);
  await goTo(small, '/');
  await expect(small.getByText('I write about rivers.')).toBeHidden();
  await expect(chip(small, 'rivers')).toBeHidden();
  for (const [name, content] of [
    ['about', small.getByText('I write about rivers.')],
    ['search', chip(small, 'rivers')],
  ] as const) {
    const toggle = button(small, name);
    await toggle.click();
    await expect(content).toBeVisible();
    await expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await toggle.click();
    await expect(content).toBeHidden();
  }
  await small.context().close();
});

test('all tags are shown and hidden again, and a chosen one stays', async ({ admin: page }) => {
  const names = Array.from({ length: 15 }, (_, at) => `tag ${String(at + 10)}`);
  await publishNotes(page, ...names.map((name): [string, string] => [`Of ${name}.`, name]));
  await goTo(page, '/');
  const chips = page.getByRole('search').getByRole('list', { name: 'Tags' }).locator('.chip');
  await expect(chips).toHaveCount(12);
  const all = button(page, 'All 15 tags');
  // Beside the chips, which are scrolled sideways.
  expect(await all.evaluate(element => element.getBoundingClientRect().right)).toBeLessThan(1_000);
  await all.press('Enter');
  await expect(chips).toHaveCount(15);
  const fewer = button(page, 'Fewer');
  await expect(fewer).toBeFocused();
  await expect(fewer).toHaveAttribute('aria-expanded', 'true');
  const last = await chips.last().evaluate(chosen => chosen.firstChild?.textContent ?? '');
  await chips.last().click();
  await fewer.press('Enter');
  await expect(chips).toHaveCount(13);
  await expect(all).toBeFocused();
  await expect(chip(page, last)).toHaveAttribute('aria-pressed', 'true');

  // On a phone the list scrolls above the buttons, which cover no tag that has the focus.
  await page.setViewportSize({ width: 360, height: 300 });
  await button(page, 'search').click();
  await all.click();
  await expect(chips).toHaveCount(15);
  await chips.last().focus();
  const end = await chips.last().boundingBox();
  const below = await button(page, 'Clear').boundingBox();
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
});

test('on a phone the buttons that apply the tags are on the screen, however many tags there are', async ({
  people,
}) => {
  const page = await people.admin(await people.visitor(phone));
  const tags = Array.from({ length: 40 }, (_, n) => `A tag with the number ${n}`);
  for (let at = 0; at < tags.length; at += 10)
    await publishNotes(page, ['A note.', ...tags.slice(at, at + 10)]);
  await goTo(page, '/');
  await button(page, 'search').tap();
  await button(page, 'All 40 tags').tap();
  await expect(chip(page, 'A tag with the number 39')).toBeVisible();
  await expect(button(page, 'Search')).toBeInViewport({ ratio: 1 });
});

test('one tag with a long name leaves room for others in the bar', async ({ admin: page }) => {
  const long = 'families of the people who live by the lower gate';
  await publishNotes(page, ['One.', long], ['Two.', long], ['Of bread.', 'bread']);
  await goTo(page, '/');
  await expect(chip(page, long)).toBeVisible();
  await expect(chip(page, 'bread')).toBeInViewport({ ratio: 1 });
});
