import type { Route } from '@playwright/test';
import { publishNotes } from './content.ts';
import { expect, test } from './fixtures.ts';
import { articles, button, chip, goTo, numbered } from './timeline.ts';

/** A timeline that cannot be reached. */

test.use({
  allowedErrors: [
    /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to (load resource|fetch dynamically imported module)/,
  ],
});

test('offline, each failure is reported, loses nothing, and can be tried again', async ({
  admin: page,
  context,
}) => {
  await publishNotes(page, ...numbered(12, 'rivers'), ['Of bread.', 'bread']);
  await goTo(page, '/');
  await context.setOffline(true);
  await button(page, 'Load More Posts').click();
  await expect(page.getByText('Failed to load posts')).toBeVisible();
  await expect(articles(page)).toHaveCount(10);
  // With the connection back, the list recovers and continues where it stopped.
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

test('when the timeline cannot be loaded, the page says so and recovers', async ({ admin: page }) => {
  await publishNotes(page, ['Here.']);
  await goTo(page, '/profile');
  const seen = Promise.withResolvers<void>();
  // The page tries again by itself, too, and fails until somebody has pressed the button.
  await page.evaluate(() =>
    document.addEventListener('click', ({ target }) => {
      if (target instanceof HTMLButtonElement) document.documentElement.dataset.pressed = '';
    }),
  );
  await page.route(/api\/get(Posts|Tags)/, async route => {
    await seen.promise;
    const isPressed = await page.evaluate(() => 'pressed' in document.documentElement.dataset);
    await (isPressed ? route.continue() : route.abort());
  });
  await page.getByRole('link', { name: 'Coterie' }).click();
  await expect(page.getByText('Loading posts...')).toBeVisible();
  seen.resolve();
  await expect(page.getByText('Failed to load posts')).toBeVisible();
  await expect(page.getByText('Failed to load the tags.')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).last().click();
  await expect(page.getByText('Here.', { exact: true })).toBeVisible();
});

for (const way of ['by a link', 'by coming back'] as const) {
  test(`a failure ${way} is shown while the page tries again, until the posts are loaded`, async ({
    admin: page,
  }) => {
    await publishNotes(page, ['Here.']);
    await goTo(page, way === 'by a link' ? '/profile' : '/');
    if (way === 'by coming back') await page.getByRole('link', { name: 'mina' }).click();
    await expect(page.getByRole('heading', { name: 'Your Activity' })).toBeVisible();
    // The first request and its retry fail; the test holds the next one back.
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
    // A reader who tries again is told that it is loading, and keeps their place.
    await button.press('Enter');
    await expect(page.getByRole('status').filter({ hasText: 'Loading posts...' })).toBeFocused();
    await third.continue();
    await expect(page.getByText('Here.', { exact: true })).toBeVisible();
    await expect(failure).toHaveCount(0);
  });
}

test('a screen whose script cannot be loaded can be tried again', async ({ admin: page, context }) => {
  await goTo(page, '/');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'mina' }).click();
  await expect(page.getByText('Failed to load this page.')).toBeVisible();
  await context.setOffline(false);
  await button(page, 'Try again').click();
  await expect(page.getByRole('heading', { name: 'Your Activity' })).toBeVisible();
});
