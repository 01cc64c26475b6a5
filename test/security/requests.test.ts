import { expect, it } from 'vitest';
import { nextPath } from '../../contract/next-path.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish, shortPost } from '../factories.ts';
import { refusal, type Site } from '../site.ts';

function post(site: Site, name: string, body: string, headers: Record<string, string> = {}) {
  return site.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

describeEngines('requests', ({ site }) => {
  it('3. says the same of a post that is hidden as a draft and of one that does not exist', async () => {
    const s = await site();
    const [hidden = ''] = await publish(s, await s.admin(), { ...essay(), isDraft: true });
    const [draft, unknown] = await Promise.all(
      [hidden, 'AAAAAAAAAAAAAAAA'].map(async postId => {
        const response = await post(s, 'getPost', JSON.stringify({ data: { postId } }));
        return [response.status, await response.text()];
      }),
    );
    expect(draft).toEqual(unknown);
  });

  it('10. lets no shared cache keep what is private, whatever the path looks like', async () => {
    const s = await site();
    const [postId] = await publish(s, await s.admin(), essay({ tags: ['friends'] }));
    const friend = await s.member(['friends']);
    for (const path of [
      `/post/${postId}`,
      `/post/${postId}.css`,
      `/post/${postId};a.js`,
      '/',
      '/?x=y.css',
      '/account',
    ]) {
      const response = await s.request(path, friend, { redirect: 'manual' });
      expect([path, response.headers.get('cache-control')]).not.toEqual([
        path,
        expect.stringContaining('public'),
      ]);
      expect(response.headers.get('vary') ?? 'Cookie').toContain('Cookie');
    }
  });

  it('11. tells nothing of its insides in an error', async () => {
    const s = await site();
    for (const body of [
      '{"data":{"postId":"\'\\" or 1=1"}}',
      '{"data":{"postId":{"a":1}}}',
      '{',
      '{"data":null}',
    ]) {
      const text = await (await post(s, 'getPost', body)).text();
      expect(text).not.toMatch(/select|sqlite|postgres|node_modules|\/work|at \w+ \(/i);
    }
  });

  it('14. decides alike for every spelling of a guarded path', async () => {
    const s = await site();
    const member = await s.member();
    const paths = [
      '/admin/mail',
      '/admin/mail/',
      '//admin/mail',
      '/ADMIN/mail',
      '/admin%2fmail',
      '/%61dmin/mail',
      '/x/../admin/mail',
      '/admin/mail;x',
    ];
    for (const path of paths) {
      const response = await s.request(path, member, {
        redirect: 'manual',
        headers: { 'x-original-url': '/admin/mail', 'x-http-method-override': 'POST' },
      });
      expect([path, response.status, (await response.text()).includes('Queue')]).toEqual([path, 302, false]);
    }
  });

  it('16. takes counts, dates, authors and ids of a post from nobody', async () => {
    const s = await site();
    const admin = await s.admin();
    const forged = {
      likeCount: 99,
      commentCount: 99,
      authorId: 'x',
      createdAt: '2000-01-01T00:00:00.000Z',
      id: 'mine',
    };
    const { post: made } = await s.call(admin, 'createPost', { ...essay(), ...forged });
    expect(made).toMatchObject({ likeCount: 0, commentCount: 0, authorId: admin.id });
    expect(made.id).not.toBe('mine');
    expect(await refusal(s.call(admin, 'updatePost', { ...essay(), isDraft: true, postId: made.id }))).toBe(
      'failed-precondition',
    );
  });

  it('22. answers every tag filter with data or 400', async () => {
    const s = await site();
    await publish(s, await s.admin(), shortPost('x', ["o'hara"]));
    const filters: unknown[] = [
      ["'"],
      ['%'],
      ['_'],
      ['$.a'],
      ['\u0000'],
      ['x'.repeat(5_000)],
      Array(10_000).fill('x'),
      [['x']],
      'x',
      {},
    ];
    for (const filtTags of filters) {
      const { status } = await post(s, 'getPosts', JSON.stringify({ data: { filtTags } }));
      expect([200, 400]).toContain(status);
    }
  });

  it('23. survives names of the language itself', async () => {
    const s = await site();
    const admin = await s.admin();
    await publish(s, admin, shortPost('x', ['__proto__', 'toString', 'constructor']));
    expect((await s.call(admin, 'getPosts', { filtTags: ['__proto__'] })).posts).toHaveLength(1);
    const body = '{"data":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}';
    expect((await post(s, 'getPosts', body)).status).toBe(200);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('24. refuses JSON that is deep, huge, broken or packed', async () => {
    const s = await site();
    const deep = `{"data":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const huge = `{"data":{"filtTags":["${'x'.repeat(5 * 1024 * 1024)}"]}}`;
    for (const body of [deep, huge, '{"data":{"page":1e400}}', '{"data":{},"data":{}', '\u0000']) {
      expect((await post(s, 'getPosts', body)).status).toBe(400);
    }
    expect((await post(s, 'getPosts', '{"data":{}}', { 'content-encoding': 'gzip' })).status).toBe(400);
  });

  it('25. knows pages from 1, and no page size', async () => {
    const s = await site();
    await publish(s, await s.admin(), ...Array.from({ length: 12 }, (_, index) => shortPost(`p${index}`)));
    for (const page of [0, -1, 1.5, 1e300, '1 ']) {
      expect((await post(s, 'getPosts', JSON.stringify({ data: { page } }))).status).toBe(400);
    }
    const answer = await post(s, 'getPosts', '{"data":{"pageSize":100,"limit":100}}');
    expect((await answer.json()).result.posts).toHaveLength(10);
    expect((await s.call(null, 'getPosts', { page: 9_999 })).posts).toEqual([]);
  });

  it('29. escapes what people named, in pages and in their state', async () => {
    const s = await site();
    const nasty = '</script><img src=x onerror=alert(1)>';
    const admin = await s.admin();
    await publish(s, admin, essay({ title: nasty, description: nasty, tags: ['<b>tag'] }));
    const page = await (await s.request('/', admin)).text();
    expect(page).not.toContain('<img src=x');
    expect(page).not.toContain('<b>tag');
    expect(page).toContain('&lt;/script&gt;');
  });

  it('33. lets nobody frame it, guess its types, or hold its window', async () => {
    const s = await site();
    const { headers } = await s.request('/healthz');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  it('35. keeps to its own cookie, whatever a sibling host tosses in', async () => {
    const s = await site();
    const admin = await s.admin();
    const cookie = `__FIREBASE_DEFAULTS__=eyJ4IjoxfQ; ${admin.cookie}; coterie-session_data=x`;
    const { user } = await s.call({ ...admin, cookie }, 'getViewer', {});
    expect(user?.id).toBe(admin.id);
  });
});

it('36. goes to this site alone after signing in', () => {
  const elsewhere = [
    '//evil',
    '/\\evil',
    '/\t/evil',
    'https:evil',
    'javascript:alert(1)',
    '/..//evil',
    'evil',
    '',
  ];
  for (const next of elsewhere) expect([next, nextPath(next)]).toEqual([next, '/']);
  expect(nextPath('/post/1?x#comments')).toBe('/post/1?x#comments');
});
