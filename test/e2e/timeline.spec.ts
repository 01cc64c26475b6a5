import type { Page, Route } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes, setAbout, setDefaultTags } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';

/** The timeline as each kind of viewer goes through it (specification sections 2, 4, 5 and 8). */

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

const numbered = (count: number, tag?: string) =>
  Array.from({ length: count }, (_, n): [string, ...string[]] =>
    tag === undefined ? [`Note ${n + 1}.`] : [`Note ${n + 1}.`, tag],
  );
const articles = (page: Page) => page.locator('article');
const chip = (page: Page, name: string) =>
  page.getByRole('search').getByRole('button', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Resolves once the app has taken the page over: only then do its buttons do anything, and does it hear of the network. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await hydrated(page);
}

test('each kind of viewer sees their posts and their tags', async ({ site, page, people }) => {
  await people.admin(page);
  await publishNotes(page, ['For everybody.'], ['For the open.', 'open'], ['For friends.', 'friends']);
  await publishEssay(page, 'For both', 'friends', 'open');
  await callFrom(page, 'createPost', { type: 'short', content: 'A draft.', tags: ['plans'], isDraft: true });
  setDefaultTags(site, 'open');
  const sees = {
    visitor: { posts: 2, tags: ['open'] },
    pending: { posts: 2, tags: ['open'] },
    denied: { posts: 2, tags: ['open'] },
    member: { posts: 2, tags: ['open'] },
    friend: { posts: 4, tags: ['friends', 'open'] },
    admin: { posts: 4, tags: ['friends', 'open', 'plans'] },
  };
  for (const [kind, { posts, tags }] of Object.entries(sees)) {
    const viewer = await people.open(kind as keyof typeof sees);
    await goTo(viewer, '/');
    await expect(articles(viewer)).toHaveCount(posts);
    await expect(viewer.getByRole('search').locator('[aria-pressed]')).toHaveText(tags);
    // Asked by address for what they may not see, they are told nothing.
    await goTo(viewer, '/?tags=friends');
    if (posts === 2) {
      await expect(viewer.getByText('No posts found with this search criteria')).toBeVisible();
    } else {
      await expect(articles(viewer)).toHaveCount(2);
    }
    await viewer.context().close();
  }
});

test('an essay is a preview that leads to its page; a short post stands in full, and its date leads to its page', async ({
  page,
  people,
}) => {
  await people.admin(page);
  await publishNotes(page, ['Some *words*.', 'rivers']);
  const id = await publishEssay(page, 'On rivers');
  await goTo(page, '/');
  const [essay, note] = [articles(page).nth(0), articles(page).nth(1)];
  await expect(note.locator('em')).toHaveText('words');
  await expect(note.getByRole('link', { name: 'rivers' })).toHaveAttribute('href', '/tags/rivers');
  await expect(note.locator('time')).toHaveText(/^[A-Z][a-z]+ \d{1,2}, \d{4}$/);
  await expect(note.getByRole('button', { name: 'Like, 0 likes' })).toBeVisible();
  await expect(essay.getByText('About On rivers.')).toBeVisible();
  await expect(essay.getByText('at length')).toHaveCount(0);
  await essay.getByRole('link', { name: 'On rivers' }).click();
  await expect(page).toHaveURL(`/post/${id}`);
  // The date of a short post is the link to its page.
  await page.goBack();
  await note.getByRole('link', { name: /^[A-Z][a-z]+ \d{1,2}, \d{4}$/ }).click();
  await expect(page).toHaveURL(/\/post\/[\w-]+$/);
  await expect(page.getByRole('main').locator('em')).toHaveText('words');
});

test('tags are selected, searched and cleared; the address and the history follow', async ({
  page,
  people,
}) => {
  await people.admin(page);
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
  expect(await page.evaluate(() => sessionStorage.getItem('selected-tags'))).toBe('["bread"]');
  // A selection is not a search yet.
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
  await page.goBack();
  await expect(articles(page)).toHaveCount(2);
  await expect(chip(page, 'rivers')).toHaveAttribute('aria-pressed', 'false');
  await page.goForward();
  await expect(articles(page)).toHaveCount(3);
  await button(page, 'Clear').click();
  await expect(articles(page)).toHaveCount(4);
  await expect(page).toHaveURL('/');
  await expect(button(page, 'Clear')).toBeDisabled();
  expect(await page.evaluate(() => sessionStorage.getItem('selected-tags'))).toBeNull();

  // The last tag let go shows everything again: with none selected, no button could.
  await chip(page, 'bread').click();
  await button(page, 'Search').click();
  await expect(articles(page)).toHaveCount(2);
  await chip(page, 'bread').click();
  await expect(articles(page)).toHaveCount(4);
});

test('Load More Posts skips and repeats nothing while posts come and go', async ({ page, people }) => {
  await people.admin(page);
  const ids = await publishNotes(page, ...numbered(23));
  const reader = await people.visitor();
  await goTo(reader, '/');
  await expect(articles(reader)).toHaveCount(10);
  // One comes, one that was read goes, one that is next goes.
  await publishNotes(page, ['Meanwhile.']);
  await callFrom(page, 'deletePost', { postId: ids[20] ?? '' });
  await callFrom(page, 'deletePost', { postId: ids[12] ?? '' });
  const held = Promise.withResolvers<void>();
  await reader.route('**/api/getPosts', async route => {
    await held.promise;
    await route.continue();
  });
  await button(reader, 'Load More Posts').click();
  await expect(reader.getByRole('status').filter({ hasText: 'Loading more posts...' })).toBeVisible();
  held.resolve();
  await expect(articles(reader)).toHaveCount(20);
  // By keyboard, too: focus goes on to the first new post, not back to the top.
  await expect(articles(reader).nth(10)).toBeFocused();
  await button(reader, 'Load More Posts').press('Enter');
  await expect(articles(reader)).toHaveCount(22);
  const texts = await articles(reader).locator('.prose').allInnerTexts();
  const numbers = texts.map(text => Number(text.replaceAll(/\D/g, '')));
  expect(numbers).toEqual(
    numbered(23)
      .map((_, n) => 23 - n)
      .filter(n => n !== 13),
  );
  await expect(button(reader, 'Load More Posts')).toHaveCount(0);
  expect(await reader.evaluate(() => sessionStorage.getItem('current-page'))).toBe('3');
  await reader.context().close();
});

test('coming back reloads the pages reached and restores the place', async ({ page, people }) => {
  await people.admin(page);
  await publishNotes(page, ...numbered(35));
  await publishEssay(page, 'Late news');
  await goTo(page, '/');
  await button(page, 'Load More Posts').click();
  await expect(articles(page)).toHaveCount(20);
  await button(page, 'Load More Posts').click();
  await expect(articles(page)).toHaveCount(30);
  await page.evaluate(() => window.scrollTo(0, 1_500));
  const scrollOf = () => page.evaluate(() => sessionStorage.getItem('timeline-scroll'));
  await expect.poll(scrollOf).toBe('1500');
  // From where the reader is: a click would scroll up to the link first.
  await page.getByRole('link', { name: 'mina' }).dispatchEvent('click');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  expect(await page.evaluate(() => sessionStorage.getItem('timeline-left'))).not.toBeNull();

  const [id = ''] = await publishNotes(page, ['Published meanwhile.']);
  await page.goBack();
  await expect(page.getByText('Published meanwhile.')).toBeAttached();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
  expect(await page.evaluate(() => sessionStorage.getItem('timeline-left'))).toBeNull();

  // From another document, and by a link instead of back: the same.
  await page.goto(`/post/${id}`);
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
  await page.reload();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
});

test('the selection survives elsewhere, but not another user', async ({ site, page, people }) => {
  await people.admin(page);
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
  // Left again before it was there: the timeline stays as it is.
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
  await page.getByRole('link', { name: 'mina' }).click();
  await button(page, 'Logout').click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('link', { name: 'Login' })).toBeVisible();
  await expect(articles(page)).toHaveCount(10);
  await expect(chip(page, 'rivers')).toHaveAttribute('aria-pressed', 'false');
  expect(await page.evaluate(() => ({ ...sessionStorage }))).toEqual({ 'current-page': '1' });

  // A browser that keeps nothing for the site remembers for as long as the page.
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

test('About and the tag search have two forms', async ({ page, people }) => {
  await people.admin(page);
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

test.describe('failures', () => {
  test.use({
    allowedErrors: [
      /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to (load resource|fetch dynamically imported module)/,
    ],
  });

  test('offline: each failure is said, loses nothing, and can be tried again', async ({
    page,
    context,
    people,
  }) => {
    await people.admin(page);
    await publishNotes(page, ...numbered(12, 'rivers'), ['Of bread.', 'bread']);
    await goTo(page, '/');
    await context.setOffline(true);
    await button(page, 'Load More Posts').click();
    await expect(page.getByText('Failed to load posts')).toBeVisible();
    await expect(articles(page)).toHaveCount(10);
    // The connection is back: the list mends itself, and goes on where it stopped.
    await context.setOffline(false);
    await button(page, 'Load More Posts').click();
    await expect(articles(page)).toHaveCount(13);

    await chip(page, 'bread').click();
    await context.setOffline(true);
    await button(page, 'Search').click();
    await expect(page.getByText('Failed to load posts')).toBeVisible();
    await expect(chip(page, 'bread')).toHaveAttribute('aria-pressed', 'true');
    await expect(articles(page)).toHaveCount(13);
    await context.setOffline(false);
    await button(page, 'Try again').click();
    await expect(articles(page)).toHaveCount(1);
    await expect(page.getByText('Failed to load posts')).toHaveCount(0);
  });

  test('a timeline that cannot be loaded says so and recovers', async ({ page, people }) => {
    await people.admin(page);
    await publishNotes(page, ['Here.']);
    await goTo(page, '/profile');
    let isDown = true;
    await page.route(/api\/get(Posts|Tags)/, route => (isDown ? route.abort() : route.continue()));
    await page.getByRole('link', { name: 'Coterie' }).click();
    await expect(page.getByText('Loading posts...')).toBeVisible();
    await expect(page.getByText('Failed to load posts')).toBeVisible();
    await expect(page.getByText('Failed to load the tags.')).toBeVisible();
    isDown = false;
    await page.getByRole('main').getByRole('button', { name: 'Try again' }).last().click();
    await expect(page.getByText('Here.')).toBeVisible();
  });

  for (const way of ['by a link', 'by coming back'] as const) {
    test(`a failure ${way} stands while the page tries again, until the posts are there`, async ({
      page,
      people,
    }) => {
      await people.admin(page);
      await publishNotes(page, ['Here.']);
      await goTo(page, way === 'by a link' ? '/profile' : '/');
      if (way === 'by coming back') await page.getByRole('link', { name: 'mina' }).click();
      await expect(page.getByRole('heading', { name: 'Your Activity' })).toBeVisible();
      // The first ask and its one repetition fail; the next one is held as long as the test likes.
      const held = Promise.withResolvers<Route>();
      let asks = 0;
      await page.route('**/api/getPosts', async route => {
        asks += 1;
        if (asks <= 2) await route.abort();
        else held.resolve(route);
      });
      await page.getByRole('link', { name: 'Coterie' }).click();
      const failure = page.getByRole('alert').filter({ hasText: 'Failed to load posts' });
      const button = failure.getByRole('button', { name: 'Try again' });
      await expect(button).toBeVisible();
      // Nobody has pressed anything.
      const third = await held.promise;
      await expect(button).toBeVisible();
      await expect(page.getByText('Loading posts...')).toHaveCount(0);
      // Who does not want to wait is told that it loads, and keeps their place.
      await button.press('Enter');
      await expect(page.getByRole('status').filter({ hasText: 'Loading posts...' })).toBeFocused();
      await third.continue();
      await expect(page.getByText('Here.')).toBeVisible();
      await expect(failure).toHaveCount(0);
    });
  }

  test('a screen whose script cannot be loaded can be tried again', async ({ page, context, people }) => {
    await people.admin(page);
    await goTo(page, '/');
    await context.setOffline(true);
    await page.getByRole('link', { name: 'mina' }).click();
    await expect(page.getByText('Failed to load this page.')).toBeVisible();
    await context.setOffline(false);
    await button(page, 'Try again').click();
    await expect(page.getByRole('heading', { name: 'Your Activity' })).toBeVisible();
  });
});

test('an empty site says so', async ({ page }) => {
  await goTo(page, '/');
  await expect(page.getByText('No posts found with this search criteria')).toBeVisible();
});

test('without scripts, chips and paging are links and nothing is folded away', async ({
  site,
  page,
  people,
}) => {
  await people.admin(page);
  await setAbout(page, 'I write about rivers.');
  await publishNotes(page, ...numbered(12, 'rivers'), ['Of bread.', 'bread']);
  setDefaultTags(site, 'rivers', 'bread');
  const reader = await people.visitor({ javaScriptEnabled: false, viewport: phone.viewport });
  await reader.goto('/');
  await expect(reader.getByText('I write about rivers.')).toBeVisible();
  await reader.getByRole('search').getByRole('link', { name: 'bread' }).click();
  await expect(articles(reader)).toHaveCount(1);
  await reader.getByRole('search').getByRole('link', { name: 'bread' }).click();
  await reader.getByRole('link', { name: 'Load More Posts' }).click();
  await expect(articles(reader)).toHaveCount(3);
  await reader.goto('/login?next=/profile');
  await reader.getByLabel('Email').fill('mina@example.com');
  await reader.getByLabel('Password').fill('wrong!');
  await reader.getByRole('button', { name: 'Log In' }).click();
  await expect(reader.getByText('Failed to sign in. Please check your credentials.')).toBeVisible();
  await reader.getByLabel('Email').fill('mina@example.com');
  await reader.getByLabel('Password').fill('quincey morris');
  await reader.getByRole('button', { name: 'Log In' }).click();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  await reader.context().close();
});

test('slow or fast, nothing moves under the reader, and axe finds nothing', async ({ page, people }) => {
  await people.admin(page);
  await setAbout(page, 'I write about *rivers*.');
  await publishNotes(page, ...numbered(25, 'rivers'));
  await withoutFonts(page);
  await goTo(page, '/');
  await page.route('**/api/getPosts', async route => {
    const answer = await route.fetch();
    // Longer than the half second in which a shift counts as the reader's own doing.
    await new Promise(resolve => setTimeout(resolve, 1_000));
    await route.fulfill({ response: answer });
  });
  await button(page, 'Load More Posts').scrollIntoViewIfNeeded();
  await button(page, 'Load More Posts').click();
  await expect(articles(page)).toHaveCount(20);
  expect(await layoutShift(page)).toBe(0);
  await page.unroute('**/api/getPosts');
  await chip(page, 'rivers').click();
  await button(page, 'Search').click();
  await expect(page).toHaveURL('/?tags=rivers');
  await expectAccessible(page, async () => {
    for (const name of ['about', 'search']) {
      const toggle = button(page, name);
      if ((await toggle.isVisible()) && (await toggle.getAttribute('aria-expanded')) === 'false')
        await toggle.click();
    }
  });
});
