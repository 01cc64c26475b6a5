import { pushKeysOfBrowser } from '../support/push-keys.ts';
import { memberPassword, withDatabase } from './accounts.ts';
import { expectAccessible, expectAccessibleOnTablet } from './axe.ts';
import { openList, publishEssay, publishPost } from './content.ts';
import { callFrom, expect, test, unfold } from './fixtures.ts';

test('a member asks for a post, an admin lets them in in two presses, and the page opens by itself', async ({
  people,
}) => {
  const admin = await people.admin();
  const lucy = await people.member('lucy');
  const postId = await publishEssay(admin, 'On us', 'family');
  const plain = await people.visitor({ javaScriptEnabled: false });
  await plain.goto(`/login?next=/post/${postId}`);
  await plain.getByLabel('Email').fill('lucy@example.com');
  await plain.getByLabel('Password').fill(memberPassword);
  await plain.getByRole('button', { name: 'Log In', exact: true }).click();
  await expect(plain.locator('noscript .hint')).toHaveText('This form needs JavaScript.');
  await lucy.goto(`/post/${postId}`);
  await lucy.getByLabel('A message to the admins (optional)').fill('Please!');
  await expectAccessible(lucy);
  await lucy.getByRole('button', { name: 'Ask to read it' }).click();
  await expect(lucy.getByText('The admins have been asked.')).toBeVisible();
  await expect(lucy.getByRole('heading', { name: 'Ask for it' })).toBeFocused();
  for (const page of [plain, lucy]) {
    await page.reload();
    await expect(page.getByText(/^You asked on .+ If the admins share it/)).toBeVisible();
  }
  await expect(lucy.getByRole('button', { name: 'Ask to read it' })).toHaveCount(0);
  await lucy.getByRole('button', { name: 'Withdraw' }).click();
  await expect(lucy.getByRole('heading', { name: 'Ask for it' })).toBeFocused();
  await lucy.getByRole('button', { name: 'Ask to read it' }).click();
  await expect(lucy.getByText('The admins have been asked.')).toBeVisible();
  await admin.goto('/admin');
  const requests = admin.getByRole('region', { name: 'Requests to read posts' });
  await expect(requests.getByText('lucy (Full lucy) asks for “On us”')).toBeVisible();
  await expect(requests.getByText('They need “family”.')).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Users 1 asking to read' })).toBeVisible();
  await expectAccessible(admin);
  await requests.getByRole('button', { name: 'Let in lucy' }).click();
  const question = admin.getByRole('alertdialog');
  await expect(question).toContainText('Let lucy read all posts with “family”? 1 more post becomes visible.');
  await question.getByRole('button', { name: 'Let in' }).click();
  await expect(requests).toHaveCount(0);
  await expect(admin.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
  await expect(lucy.getByRole('heading', { name: 'On us' })).toBeVisible();
});

test('the focus stays among the requests while an admin answers them, and goes to the heading after the last', async ({
  people,
  allowedErrors,
}) => {
  allowedErrors.push(/404 .*\/api\/answerAccessRequest$/);
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'On us', 'family');
  for (const name of ['lucy', 'ben', 'jack'])
    await callFrom(await people.member(name), 'askForPost', { postId });
  await admin.goto('/admin');
  const requests = admin.getByRole('region', { name: 'Requests to read posts' });
  const { requests: asked } = await callFrom(admin, 'listAccessRequests', {});
  const [first, second, last] = asked.map(({ username }) => username);
  await requests.getByRole('button', { name: `Let in ${first}` }).press('Enter');
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Let in' }).press('Enter');
  await expect(requests.getByRole('listitem')).toHaveCount(2);
  await expect(requests.getByRole('button', { name: `Let in ${second}` })).toBeFocused();

  // Another admin was faster.
  const answered = asked.find(({ username }) => username === second);
  const answer = { postId, userId: answered?.userId ?? '', isGranted: false, tags: [] };
  await callFrom(admin, 'answerAccessRequest', answer);
  await requests.getByRole('button', { name: `Not now ${second}` }).press('Enter');
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(admin.getByRole('alert')).toContainText('This request has been answered already.');
  await expect(requests.getByRole('listitem')).toHaveCount(1);
  await expect(requests.getByRole('button', { name: `Let in ${last}` })).toBeFocused();
  await requests.getByRole('button', { name: `Not now ${last}` }).press('Enter');
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect(requests).toHaveCount(0);
  await expect(admin.getByRole('heading', { level: 1 })).toBeFocused();
});

test('requests and proposals of a member go from the page of an admin who denies the account', async ({
  people,
}) => {
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'On us', 'family');
  const lucy = await people.member('lucy');
  await callFrom(lucy, 'askForPost', { postId });
  await callFrom(lucy, 'proposePerson', { email: 'anna@example.org', name: 'Anna Kay' });
  await admin.goto('/admin?list=approved');
  await expect(admin.getByRole('link', { name: 'Users 1 asking to read' })).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Invitations 1 proposed by members' })).toBeVisible();
  await admin.getByRole('button', { name: 'Revoke lucy' }).click();
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(admin.getByRole('link', { name: 'Users', exact: true })).toBeVisible();
  await expect(admin.getByRole('link', { name: 'Invitations', exact: true })).toBeVisible();
  await openList(admin, 'Pending');
  await expect(admin.getByRole('region', { name: /^Pending Users/ })).toBeVisible();
  await expect(admin.getByRole('region', { name: 'Requests to read posts' })).toHaveCount(0);
});

test('an author tells those who can read a post only now, if they tick it', async ({ people }) => {
  const admin = await people.admin();
  const postId = await publishEssay(admin, 'On us', 'family');
  await admin.goto(`/admin/posts/${postId}/edit`);
  const tick = admin.getByLabel('Email subscribers who have not been told of it');
  await expect(admin.getByText('Who can read this')).toBeVisible();
  await expect(tick).toHaveCount(0);
  await admin.getByRole('button', { name: 'Remove family' }).click();
  await expect(tick).not.toBeChecked();
  await tick.check();
  const saved = admin.waitForRequest(request => request.url().endsWith('/api/updatePost'));
  await admin.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saved).postDataJSON().data).toMatchObject({ tellsNewReaders: true, mailsBeginning: false });
});

test('a member leaves out the posts of a tag, also without a subscription', async ({ people }) => {
  const admin = await people.admin();
  await publishPost(admin, 'For friends.', ['friends']);
  const lucy = await people.member('lucy', { tags: ['friends'] });
  await lucy.goto('/profile');
  await lucy.locator('summary', { hasText: 'Of which tags' }).click();
  const friends = lucy.getByRole('checkbox', { name: 'friends' });
  await expect(friends).toBeChecked();
  await expectAccessible(lucy);
  await friends.press('Space');
  await expect(friends).not.toBeChecked();
  const told = lucy.getByRole('status').getByText('Saved.', { exact: true });
  await expect(told).toBeVisible();
  await told.locator('..').getByRole('button', { name: 'Dismiss' }).click();
  const saved = () => callFrom(lucy, 'getSubscription', {});
  await expect.poll(saved).toMatchObject({ isSubscribed: false, tags: [{ isWanted: false }] });
  await lucy.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await lucy.getByLabel('How often').selectOption('Once a day');
  await expect(told).toBeVisible();
  await friends.press('Space');
  await expect(friends).toBeChecked();
  await expect.poll(saved).toMatchObject({ isSubscribed: true, tags: [{ isWanted: true }] });
});

const registeredScopes = async () =>
  (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname);

test('a member turns notifications on and off, and one says no more than that there is something', async ({
  people,
  site,
}) => {
  const lucy = await people.member('lucy');
  await lucy.context().grantPermissions(['notifications'], { origin: site.url });
  // There is no push service here.
  await lucy.addInitScript(keys => {
    // A Chromium without windows says "denied", whatever was granted.
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    const subscription = { toJSON: () => ({ endpoint: 'https://push.invalid/1', keys }), unsubscribe() {} };
    Object.assign(PushManager.prototype, {
      subscribe: async () => {
        sessionStorage.setItem('subscribed', 'true');
        return subscription;
      },
      getSubscription: async () => (sessionStorage.getItem('subscribed') ? subscription : null),
    });
  }, pushKeysOfBrowser);
  await lucy.goto('/account');
  await expectAccessible(lucy);
  await lucy.getByRole('button', { name: 'Turn on notifications' }).click();
  const off = lucy.getByRole('button', { name: 'Turn off notifications' });
  await expect(off).toBeVisible();
  const { pathname } = new URL('/push-worker.js', site.url);
  const findWorker = () =>
    lucy
      .context()
      .serviceWorkers()
      .find(each => new URL(each.url()).pathname === pathname);
  await expect.poll(findWorker).toBeDefined();
  const shown = await findWorker()?.evaluate(() => {
    const told: unknown[] = [];
    const registration = Reflect.get(self, 'registration');
    registration.showNotification = (...notification: unknown[]) => told.push(notification);
    const data = JSON.stringify({ title: 'My blog', body: 'There is a new post', url: '/post/1', tag: '1' });
    const push = Object.assign(new Event('push'), { data: { json: () => JSON.parse(data) }, waitUntil() {} });
    self.dispatchEvent(push);
    return told;
  });
  expect(shown).toEqual([
    ['My blog', { body: 'There is a new post', tag: '1', data: '/post/1', icon: '/icon-192.png' }],
  ]);
  await off.click();
  const on = lucy.getByRole('button', { name: 'Turn on notifications' });
  await expect(on).toBeVisible();
  expect(await callFrom(lucy, 'getPush', {})).toMatchObject({ isOn: false });

  // A browser that takes them no longer is not said to.
  await on.click();
  await expect(off).toBeVisible();
  await lucy.reload();
  await expect(off).toBeVisible();
  await lucy.evaluate(() => sessionStorage.clear());
  await lucy.reload();
  await on.click();
  await expect(off).toBeVisible();

  // One that is on its way is not shown after a log-out.
  await lucy.getByRole('button', { name: 'Logout' }).click();
  await expect.poll(() => lucy.evaluate(registeredScopes)).not.toContain('/push');
});

test('notifications need a session that stays, and a permission that was given', async ({ people, site }) => {
  const lucy = await people.member('lucy');
  await lucy.addInitScript(() => {
    Notification.requestPermission = async () => 'default';
  });
  await lucy.goto('/account');
  const section = lucy.getByRole('region', { name: 'Notifications in this browser' });
  await section.getByRole('button', { name: 'Turn on notifications' }).click();
  await expect(section.getByRole('alert')).toContainText(
    'Notifications stay off until you allow them in the browser.',
  );
  withDatabase(site, db => db.prepare('update sessions set is_long = 0').run());
  await lucy.reload();
  await expect(section).toContainText('log in with “Keep me logged in”');
  await expect(section.getByRole('button')).toHaveCount(0);
});

test('conversation, wishes, requests and reports are accessible on a tablet, light and dark', async ({
  people,
}) => {
  const admin = await people.admin();
  const lucy = await people.member('lucy');
  const [open, closed] = [
    await publishEssay(admin, 'The mill'),
    await publishEssay(admin, 'On us', 'family'),
  ];
  const write = async (who: typeof admin, content: string, parentId?: string) =>
    (await callFrom(who, 'addComment', { postId: open, content, ...(parentId && { parentId }) })).comment.id;
  const first = await write(lucy, 'We saw the heron there.');
  await write(admin, 'So did we.', first);
  const rude = await write(admin, 'A rude word.');
  await callFrom(lucy, 'reportComment', { commentId: rude, word: 'Please look.' });
  const hidden = await write(lucy, 'Something else.');
  await callFrom(admin, 'hideComment', { commentId: hidden, reason: 'Please be kind.' });
  await callFrom(lucy, 'askForPost', { postId: closed, word: 'Please!' });
  const look = async (who: typeof admin, path: string, text: string) => {
    await who.goto(path);
    await expect(who.getByText(text).first()).toBeVisible();
    await expectAccessibleOnTablet(who);
  };
  await look(lucy, `/post/${open}#comments`, 'We saw the heron there.');
  await look(lucy, '/account', 'Email me about');
  await look(admin, '/account', 'More');
  await look(admin, '/admin', 'They need “family”.');
  await look(admin, '/admin/comments', 'A rude word.');
});

test.describe('on a site that takes mail', () => {
  test.use({ settings: { MAIL_REPLY_ADDRESS: 'reply+{}@blog.example' } });

  test('an author makes, replaces and stops an address for posts by mail', async ({ people }) => {
    const admin = await people.admin();
    const lucy = await people.member('lucy');
    await lucy.goto('/account');
    await unfold(lucy, 'Feeds and programs');
    await expect(lucy.getByRole('heading', { name: 'Posts by email' })).toHaveCount(0);
    await admin.goto('/account');
    await unfold(admin, 'Feeds, programs and posts by email');
    const section = admin.getByRole('region', { name: 'Posts by email' });
    await section.getByLabel('A post without tags').check();
    await section.getByRole('button', { name: 'Make email address' }).click();
    const made = section.getByLabel('Your address for posts');
    await expect(made).toHaveValue(/^reply\+[0-9a-f]{32}@blog\.example$/);
    await expect(section.getByText('emails are published at once, for everybody.')).toBeVisible();
    // A choice beside an address would change nothing.
    await expect(section.getByRole('radio')).toHaveCount(0);
    await expectAccessible(admin);
    const first = await made.inputValue();
    const answer = async (button: string, action: string) => {
      await section.getByRole('button', { name: button }).click();
      await admin.getByRole('alertdialog').getByRole('button', { name: action }).click();
    };
    await answer('Make new email address', 'Make new email address');
    await expect(made).not.toHaveValue(first);
    // The new one is selected, too.
    const selected = () => made.evaluate((field: HTMLInputElement) => field.selectionEnd);
    await expect.poll(selected).toBe(first.length);
    await answer('Stop posts by email', 'Stop posts by email');
    await section.getByLabel('A draft').check();
    await section.getByRole('button', { name: 'Make email address' }).click();
    await expect(section.getByText('emails become drafts.')).toBeVisible();
  });
});

test.describe('on a site with a mail server', () => {
  test.use({ settings: { SMTP_URL: 'smtp://127.0.0.1:1' } });

  test('an admin who gives a member a tag mails them what it opens, if they tick it', async ({ people }) => {
    const admin = await people.admin();
    await publishEssay(admin, 'On us', 'family');
    await publishPost(admin, 'For friends.', ['friends']);
    await people.member('lucy', { tags: ['friends'] });
    await admin.goto('/admin?list=approved');
    await admin.getByRole('button', { name: 'Edit lucy' }).click();
    const tags = admin.getByRole('list', { name: 'Tags for lucy' });
    const tick = admin.getByLabel('Email them about these posts, if they subscribe');
    await tags.getByRole('button', { name: 'friends' }).click();
    await expect(tick).toHaveCount(0);
    await tags.getByRole('button', { name: 'family' }).click();
    await expect(tick).not.toBeChecked();
    await expectAccessible(admin);
    await tick.press('Space');
    const saved = admin.waitForRequest(request => request.url().endsWith('/api/setApprovedTags'));
    await admin.getByRole('button', { name: 'Save lucy' }).press('Enter');
    expect((await saved).postDataJSON().data).toMatchObject({ tags: ['family'], tellsMember: true });
    await expect(admin.getByText('Full lucy may now read “family”, and no longer “friends”.')).toBeVisible();
  });
});
