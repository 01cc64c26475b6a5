import { withDatabase } from './accounts.ts';
import { expectAccessible } from './axe.ts';
import { publishEssay, publishNotes } from './content.ts';
import { callFrom, expect, hydrated, test } from './fixtures.ts';
import { layoutShift, withoutFonts } from './layout.ts';

/** One's own activity (specification section 2, "/profile"; sections 5 and 8 for the subscription). */

test('the profile leads visitors to the login page, and back after signing in', async ({ page, people }) => {
  await people.admin(page);
  for (const kind of ['pending', 'denied', 'member', 'admin'] as const) {
    const viewer = await people.open(kind);
    await viewer.goto('/profile');
    await expect(viewer.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
    await expect(viewer.getByText('No liked posts yet')).toBeVisible();
    await expect(viewer.getByText('No comments yet')).toBeVisible();
    await viewer.context().close();
  }
  const visitor = await people.visitor();
  await visitor.goto('/profile');
  await expect(visitor).toHaveURL('/login?next=%2Fprofile');
  await visitor.getByLabel('Email').fill('mina@example.com');
  await visitor.getByLabel('Password').fill('quincey morris');
  await visitor.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(visitor).toHaveURL('/profile');
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('Your Activity');
  // After going back while the timeline is still loading, the guard redirects again.
  const held = Promise.withResolvers<void>();
  await visitor.route('**/assets/*.js', async route => {
    await held.promise;
    await route.continue();
  });
  await visitor.getByRole('button', { name: 'Logout' }).click();
  await expect(visitor).toHaveURL('/');
  await expect(visitor.getByRole('link', { name: 'Login' })).toBeVisible();
  await visitor.goBack();
  await expect(visitor).toHaveURL('/login?next=%2Fprofile');
  held.resolve();
  await visitor.getByRole('link', { name: 'Coterie' }).click();
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText('Posts');
  await visitor.goBack();
  await expect(visitor).toHaveURL('/login?next=%2Fprofile');
  await visitor.context().close();
});

test('a profile lists the likes and comments of its reader, in the words of the specification', async ({
  site,
  page,
  people,
}) => {
  await people.admin(page);
  const long = `${'word '.repeat(30)}end`;
  const ids = await publishNotes(page, ...Array.from({ length: 22 }, (_, n): [string] => [`Note ${n}.`]), [
    long,
  ]);
  const secret = await publishEssay(page, 'For friends', 'friends');
  const essay = await publishEssay(page, 'On rivers');
  const friend = await people.open('friend');
  for (const postId of [...ids, secret, essay]) await callFrom(friend, 'setLike', { postId, liked: true });
  const said = [ids[22] ?? '', secret, essay];
  for (const [n, postId] of said.entries()) {
    await callFrom(friend, 'addComment', { postId, content: `Said of ${n}` });
    // On a fixed day, so that its date is known.
    const date = Date.UTC(2026, 0, 1) + n;
    withDatabase(site, db => {
      db.prepare('update comments set created_at = ? where post_id = ?').run(date, postId);
    });
  }
  await withoutFonts(friend);
  await friend.goto('/profile');
  const likes = friend.getByRole('region', { name: 'Liked Posts' });
  const comments = friend.getByRole('region', { name: 'Your Comments' });
  await expect(likes.getByRole('listitem')).toHaveCount(20);
  await expect(likes.getByRole('link').first()).toHaveText('On rivers');
  await expect(likes.getByRole('link').first()).toHaveAttribute('href', `/post/${essay}`);
  await expect(likes.getByRole('listitem').first()).toContainText(/Liked on [A-Z][a-z]+ \d{1,2}, \d{4}/);
  await expect(likes.getByRole('link').nth(2)).toHaveText(long.slice(0, 100).trim());
  await expect(comments.getByRole('link')).toHaveText(['Said of 2', 'Said of 1', 'Said of 0']);
  await expect(comments.getByRole('link').last()).toHaveAttribute('href', `/post/${ids[22]}#comments`);
  await expect(comments.getByRole('listitem').first()).toContainText('On rivers · January 1, 2026');
  await expect(comments.getByRole('listitem').last()).toContainText(`${long.slice(0, 50).trim()}`);
  expect(await layoutShift(friend)).toBe(0);
  await friend.getByRole('button', { name: 'Load more liked posts' }).click();
  await expect(likes.getByRole('listitem')).toHaveCount(25);
  await expectAccessible(friend);

  // Posts that they may no longer see are left out.
  withDatabase(site, db => db.exec('delete from approved_tags'));
  await friend.reload();
  await expect(comments.getByRole('link')).toHaveText(['Said of 2', 'Said of 0']);
  await expect(friend.getByText('For friends')).toHaveCount(0);
  await friend.context().close();
});

test.describe(() => {
  test.use({ allowedErrors: [/ERR_INTERNET_DISCONNECTED|Failed to load resource/] });

  test('the subscription is turned on and off, survives a failure, and needs an address', async ({
    site,
    page,
    people,
  }) => {
    await people.admin(page);
    const member = await people.open('member');
    await member.goto('/profile');
    await hydrated(member);
    await expect(member.getByRole('heading', { name: 'Email Notifications' })).toBeVisible();
    const subscribe = member.getByRole('button', { name: 'Subscribe', exact: true });
    const unsubscribe = member.getByRole('button', { name: 'Unsubscribe', exact: true });
    await expect(member.getByText('This site does not send email yet.')).toBeVisible();
    await subscribe.click();
    await expect(unsubscribe).toBeVisible();
    // This site sends no mail, and does not promise any.
    await expect(member.locator('#subscription-state')).toHaveText(
      'New posts that you may read will be sent to member@example.com once this site sends mail.',
    );
    await expect(member.getByText('This site does not send email yet.')).toHaveCount(0);
    await member.reload();
    await expect(unsubscribe).toBeVisible();
    await hydrated(member);

    await member.context().setOffline(true);
    await unsubscribe.click();
    await expect(member.getByText('Failed to update subscription. Please try again.')).toBeVisible();
    await expect(unsubscribe).toBeVisible();
    await member.context().setOffline(false);
    await unsubscribe.click();
    await expect(subscribe).toBeVisible();
    await expect(member.getByText('Failed to update subscription. Please try again.')).toHaveCount(0);

    // The account loses its address while the page is open and is not told; the server refuses.
    await member.route(/\/live\?/, route => route.abort());
    await member.reload();
    await hydrated(member);
    withDatabase(site, db => db.exec("update users set email = '' where username = 'member'"));
    await subscribe.click();
    const alert = member.getByRole('alertdialog');
    await expect(alert).toContainText('No email address associated with this account');
    await alert.getByRole('button', { name: 'OK' }).click();
    await expect(subscribe).toBeDisabled();
    await expect(
      member.getByText('Email notifications require an email address associated with your account.'),
    ).toBeVisible();
    await expectAccessible(member);
    await member.context().close();
  });
});
