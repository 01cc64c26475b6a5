import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes, setAbout, setDefaultTags } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import { articles, button, chip, goTo, numbered } from './timeline.ts';

/** The timeline for each kind of viewer (specification sections 2, 4, 5 and 8). */

const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

test('each kind of viewer sees their posts and their tags', async ({ site, admin: page, people }) => {
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
    await expect(viewer.getByRole('search').locator('[aria-pressed]')).toHaveText(
      tags.map(tag => new RegExp(`^${tag}`)),
    );
    // An address with a tag that they may not see reveals nothing.
    await goTo(viewer, '/?tags=friends');
    if (posts === 2) {
      await expect(viewer.getByText('No posts found with this search criteria')).toBeVisible();
    } else {
      await expect(articles(viewer)).toHaveCount(2);
    }
    await viewer.context().close();
  }
});

test('an essay is a preview that links to its page; a short post is shown in full, and its date links to its page', async ({
  admin: page,
}) => {
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

test('Load More Posts skips and repeats nothing while posts are added and deleted', async ({
  admin: page,
  people,
}) => {
  const ids = await publishNotes(page, ...numbered(23));
  const reader = await people.visitor();
  await goTo(reader, '/');
  await expect(articles(reader)).toHaveCount(10);
  // One post is added, one that was shown is deleted, and the next one is deleted.
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
  // With the keyboard the focus moves to the first new post, not back to the top.
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
  await expect.poll(() => reader.evaluate(() => sessionStorage.getItem('current-page'))).toBe('3');
  await reader.context().close();
});

test('a post that is unpinned while more are loaded is shown once', async ({ admin: page, people }) => {
  const [postId = ''] = await publishNotes(page, ...numbered(12));
  await callFrom(page, 'setPinned', { postId, isPinned: true });
  const reader = await people.visitor();
  await goTo(reader, '/');
  await expect(articles(reader)).toHaveCount(10);
  await callFrom(page, 'setPinned', { postId, isPinned: false });
  await button(reader, 'Load More Posts').click();
  await expect(articles(reader)).toHaveCount(12);
  await expect(button(reader, 'Load More Posts')).toHaveCount(0);
  const texts = await articles(reader).locator('.prose').allInnerTexts();
  expect(new Set(texts).size).toBe(12);
});

test('the focus stays away from new posts when the reader has clicked elsewhere meanwhile', async ({
  admin: page,
}) => {
  await publishNotes(page, ...numbered(12));
  await goTo(page, '/');
  const held = Promise.withResolvers<void>();
  await page.route('**/api/getPosts', async route => {
    await held.promise;
    await route.continue();
  });
  await button(page, 'Load More Posts').click();
  await expect(page.getByRole('status').filter({ hasText: 'Loading more posts...' })).toBeFocused();
  await page.mouse.click(2, 2);
  await expect(page.locator('body')).toBeFocused();
  held.resolve();
  await expect(articles(page)).toHaveCount(12);
  // The focus would move once they are painted.
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(page.locator('body')).toBeFocused();
});

test('coming back reloads all pages that were reached and restores the scroll position', async ({
  admin: page,
}) => {
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
  // Without scrolling: a click would first scroll up to the link.
  await page.getByRole('link', { name: 'mina' }).dispatchEvent('click');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
  const left = () => page.evaluate(() => sessionStorage.getItem('timeline-left'));
  await expect.poll(left).not.toBeNull();

  const [id = ''] = await publishNotes(page, ['Published meanwhile.']);
  await page.goBack();
  await expect(page.getByText('Published meanwhile.')).toBeAttached();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
  await expect.poll(left).toBeNull();

  // The same from another document, and with a link instead of Back.
  await page.goto(`/post/${id}`);
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
  await page.reload();
  await expect(articles(page)).toHaveCount(30);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(1_500);
});

test('an empty site says so, and leads its owner to the setup, then visitors to an account', async ({
  page,
  people,
}) => {
  await goTo(page, '/');
  await expect(page.getByText('Nothing here yet.')).toBeVisible();
  await expect(page.getByText('This site has no admin yet.')).toBeVisible();
  await people.admin();
  await page.reload();
  await expect(page.getByText('Posts may be for members only.')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL('/signup');

  const lucy = await people.member('lucy');
  await lucy.goto('/');
  await expect(lucy.getByText('Posts that are shared with you appear here.')).toBeVisible();
});

test('without scripts, chips and paging are links and nothing is collapsed', async ({
  site,
  admin: page,
  people,
}) => {
  await setAbout(page, 'I write about rivers.');
  const essayId = await publishEssay(page, 'On rivers');
  await publishNotes(page, ...numbered(12, 'rivers'), ['Of bread.', 'bread']);
  setDefaultTags(site, 'rivers', 'bread');
  const reader = await people.visitor({ javaScriptEnabled: false, viewport: phone.viewport });
  await reader.goto('/');
  for (const name of ['Search', 'Clear'])
    await expect(reader.getByRole('button', { name, exact: true })).toHaveCount(0);
  await expect(reader.getByText('I write about rivers.')).toBeVisible();
  await reader.getByRole('search').getByRole('link', { name: 'bread' }).click();
  await expect(articles(reader)).toHaveCount(1);
  await reader.getByRole('search').getByRole('link', { name: 'bread' }).click();
  await reader.getByRole('link', { name: 'Load More Posts' }).click();
  await expect(articles(reader)).toHaveCount(4);
  await reader.goto('/login?next=/profile');
  await reader.getByLabel('Email').fill('mina@example.com');
  await reader.getByLabel('Password').fill('wrong!');
  await reader.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(reader.getByText('Failed to sign in. Please check your credentials.')).toBeVisible();
  await reader.getByLabel('Email').fill('mina@example.com');
  await reader.getByLabel('Password').fill('quincey morris');
  await reader.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(reader.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  // No button is left that would do nothing; the numbers of likes and comments are still read.
  await expect(reader.locator('noscript .hint')).toHaveText('This form needs JavaScript.');
  for (const path of ['/', '/profile', '/account', `/post/${essayId}`]) {
    await reader.goto(path);
    await expect(reader.getByRole('heading', { level: 1 })).toBeAttached();
    expect(await reader.locator('button[type=button]:not(.count):visible').allTextContents()).toEqual([]);
  }
  await expect(reader.getByRole('link', { name: 'Write a comment' })).toHaveCount(0);
  await reader.getByRole('link', { name: 'Show comments' }).click();
  await expect(reader.getByRole('heading', { name: '0 comments' })).toBeVisible();
  await reader.context().close();
});

test('nothing moves while posts are loading, fast or slow, and axe finds nothing', async ({
  admin: page,
}) => {
  await setAbout(page, 'I write about *rivers*.');
  await publishNotes(page, ...numbered(25, 'rivers'));
  await withoutFonts(page);
  await goTo(page, '/');
  await page.route('**/api/getPosts', async route => {
    const answer = await route.fetch();
    // Longer than the half second in which a shift counts as caused by the reader.
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
