import type { Page } from '@playwright/test';
import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';
import { articles, goTo } from './timeline.ts';

/** What is new since a reader was here, and what was on this day. */

/** Resolves once the browser has noted posts that somebody has opened. */
const noted = (page: Page) => page.waitForResponse('**/api/noteOpened');

test('a member sees what is new since they were here, and which posts have new comments', async ({
  site,
  admin,
  people,
}) => {
  await publishNotes(admin, ['The first note.'], ['The second note.']);
  const essay = await publishEssay(admin, 'On rivers');
  const member = await people.open('member');
  await withoutFonts(member);
  const line = member.getByText('New since you were here');

  // Nobody who is here for the first time is told that all is new.
  const both = noted(member);
  await goTo(member, '/');
  await expect(articles(member)).toHaveCount(3);
  await expect(line).toHaveCount(0);
  await both;
  const opened = noted(member);
  await articles(member).first().getByRole('link', { name: 'On rivers' }).click();
  await opened;

  await publishNotes(admin, ['The third note.']);
  await callFrom(admin, 'addComment', { postId: essay, content: 'A word about it.', key: 'k'.repeat(32) });
  // The moment is older than the comment by less than what a test waits for.
  withDatabase(site, db =>
    db.prepare('update opened_posts set opened_at = opened_at - 60001, first_opened_at = 1').run(),
  );
  const third = noted(member);
  await goTo(member, '/');
  await expect(line).toBeVisible();
  expect(await layoutShift(member)).toBe(0);
  const order = await member.locator('.timeline > *').allInnerTexts();
  expect(order.findIndex(text => text.includes('New since'))).toBe(1);
  const dot = articles(member).nth(1).getByRole('link', { name: '1 comment, new since you were here' });
  await expect(dot).toBeVisible();
  await expectAccessible(member);

  // The line stays while they go on reading; the dot goes when they have opened the comments.
  await third;
  const again = noted(member);
  await dot.click();
  await expect(member.getByText('A word about it.')).toBeVisible();
  await again;
  await member.goBack();
  await expect(line).toBeVisible();
  await expect(articles(member).nth(1).getByRole('link', { name: '1 comment', exact: true })).toBeVisible();

  // It is where it was after a reload, too, and gone with the next visit.
  await goTo(member, '/');
  await expect(articles(member)).toHaveCount(4);
  await expect(line).toBeVisible();
  withDatabase(site, db => db.prepare('update opened_posts set first_opened_at = 1').run());
  await goTo(member, '/');
  await expect(articles(member)).toHaveCount(4);
  await expect(line).toHaveCount(0);
});

test('a member turns the marks off, forgets what they have opened, and is shown this day of earlier years', async ({
  site,
  page: admin,
  people,
  allowedErrors,
}) => {
  allowedErrors.push(/status of 503/);
  await people.admin(admin);
  const old = await publishEssay(admin, 'A year ago');
  await publishEssay(admin, 'Of today');
  const member = await people.open('member');
  await withoutFonts(member);
  const first = noted(member);
  await goTo(member, `/post/${old}`);
  await first;
  const kept = () => withDatabase(site, db => db.prepare('select count(*) as n from opened_posts').get()?.n);
  expect(kept()).toBe(1);

  await goTo(member, '/account');
  const reading = member.getByRole('region', { name: 'Reading' });
  await expectAccessible(member);
  await reading.getByRole('button', { name: 'Forget what I have opened' }).focus();
  await member.keyboard.press('Enter');
  await expect(reading.getByText('Forgotten.')).toBeVisible();
  expect(kept()).toBe(0);
  await reading.getByLabel('Mark what is new since I was here').focus();
  await member.keyboard.press('Space');
  await expect(member.getByText('Saved.')).toBeVisible();
  await expect(reading.getByRole('button', { name: 'Forget what I have opened' })).toHaveCount(0);
  // Of two quick choices the first fails, and only that one is as before.
  const marks = reading.getByLabel('Mark what is new since I was here');
  const showsPast = reading.getByLabel('Show posts of this day in earlier years on the timeline');
  const areChosen = Promise.withResolvers<void>();
  await member.route('**/api/setReadingSettings', async route => {
    await areChosen.promise;
    const isFirst = route.request().postData()?.includes('showsPast');
    await (isFirst ? route.fulfill({ status: 503 }) : route.continue());
  });
  await showsPast.click();
  await marks.click();
  areChosen.resolve();
  await expect(reading.getByRole('alert')).toBeVisible();
  await expect(reading.getByRole('button', { name: 'Forget what I have opened' })).toBeVisible();
  await expect(marks).toBeChecked();
  await expect(showsPast).not.toBeChecked();
  await member.unroute('**/api/setReadingSettings');
  await marks.click();
  await expect(reading.getByRole('button', { name: 'Forget what I have opened' })).toHaveCount(0);
  // Not `check`, which looks at the state before the choice is shown.
  await showsPast.click();
  await expect(showsPast).toBeChecked();

  // Only now: midnight may have passed meanwhile.
  withDatabase(site, db => {
    const earlier = new Date();
    // The 29th of February has no last year.
    earlier.setUTCFullYear(earlier.getUTCFullYear() - 4);
    db.prepare('update posts set published_at = ? where id = ?').run(earlier.getTime(), old);
  });
  await member.goto('/');
  await hydrated(member);
  const past = member.getByRole('region', { name: 'On this day' });
  await expect(past.getByRole('link', { name: 'A year ago' })).toBeVisible();
  expect(await layoutShift(member)).toBe(0);
  await expectAccessible(member);
  await past.getByRole('link', { name: 'A year ago' }).click();
  await expect(member).toHaveURL(`/post/${old}`);
  await expect(member.getByRole('heading', { level: 1, name: 'A year ago' })).toBeFocused();
  expect(kept()).toBe(0);
});
