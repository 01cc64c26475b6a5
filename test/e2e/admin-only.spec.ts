import { decide } from './accounts.ts';
import { publishForFriends } from './content.ts';
import { callFrom, expect, test } from './fixtures.ts';

const spellings = [
  '/admin/',
  '/ADMIN',
  '//admin',
  '/%61dmin',
  '/admin%2f',
  '/admin;x',
  '/login/../admin',
  '/admin/tags',
  '/admin/tags/',
  '/admin/posts',
  '/admin/posts/new',
  '/admin/mail',
  '/admin/webhooks',
  '/admin/history',
  '/admin/backups',
  '/admin/system',
];

test('admin pages lead everybody but admins to the timeline, in any spelling of the address', async ({
  site,
  admin: page,
  people,
}) => {
  await publishForFriends(page);
  const pending = await people.member('pending', { status: 'pending' });
  const member = await people.member('member', { status: 'pending' });
  const denied = await people.member('denied', { status: 'pending' });
  decide(site, 'member', 'approved');
  decide(site, 'denied', 'denied');
  await callFrom(denied, 'signIn', { email: 'denied@example.com', password: 'arthur' });
  const visitor = await people.visitor();
  const { posts } = await callFrom(page, 'getPosts', {});
  const postId = posts[0]?.id;
  const secrets =
    /Pending Users|Default Permissions|New tag|New Post|Send a test|pending@example\.com|friends/;
  for (const [name, someone] of Object.entries({ visitor, pending, denied, member })) {
    for (const path of ['/admin', ...spellings]) {
      for (const headers of [{}, { 'x-original-url': '/admin', 'x-http-method-override': 'GET' }]) {
        const response = await someone.request.get(site.url + path, { headers });
        const body = (await response.text()).replace(`${name}@example.com`, '');
        expect([name, path, secrets.test(body)]).toEqual([name, path, false]);
      }
    }
    for (const path of [
      '/admin',
      '/admin/posts',
      '/admin/posts/new',
      `/admin/posts/${postId}/edit`,
      '/ADMIN/',
    ]) {
      await someone.goto(path);
      await expect(someone).toHaveURL('/');
    }
    // The same within the app, where the server is not asked for the page.
    for (const path of ['/admin', '/admin/system']) {
      await someone.evaluate(path => {
        window.history.pushState({}, '', path);
        window.dispatchEvent(new PopStateEvent('popstate'));
      }, path);
      await expect(someone).toHaveURL('/');
    }
  }
  await page.goto('/ADMIN/');
  await expect(page.getByRole('heading', { name: 'Users', exact: true })).toBeVisible();
});

test('a reader downloads no script or data of admin pages', async ({ admin: page, people }) => {
  await publishForFriends(page);
  const reader = await people.member('lucy', { status: 'pending' });
  const scripts = new Map<string, string>();
  const asked = new Set<string>();
  reader.on('request', request => {
    if (/\.(js|css)$/.test(request.url())) asked.add(request.url());
  });
  for (const path of ['/', '/login', '/signup']) {
    const document = await reader.goto(path);
    scripts.set(path, (await document?.text()) ?? '');
  }
  // Afterwards: a browser forgets what it has loaded for a page that is left.
  for (const url of asked) scripts.set(url, await (await reader.request.get(url)).text());
  expect(scripts.size).toBeGreaterThan(4);
  for (const [url, text] of scripts) {
    const found =
      /Pending Users|Edit About Section|Administration|\.rows\b|cm-content|Write here, in Markdown/.exec(
        text,
      )?.[0];
    expect([url, found]).toEqual([url, undefined]);
  }
});
