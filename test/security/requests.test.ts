import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextPath } from '../../contract/next-path.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { piecesOf } from '../../web/comments/linked-text.tsx';
import { describeEngines } from '../engines.ts';
import { essay, publish, shortPost } from '../factories.ts';
import { type Person, refusal, type Site } from '../site.ts';
import { bucketPath, multipart, objectPath, upload } from '../storage.ts';

function post(site: Site, name: string, body: string, headers: Record<string, string> = {}) {
  return site.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
}

describeEngines('requests', ({ site }) => {
  it('20. stores under the name of the address, whatever the body calls it', async () => {
    const s = await site();
    const admin = await s.admin();
    const forged = {
      name: 'posts/other.bin',
      bucket: 'other',
      size: '1',
      generation: '1',
      downloadTokens: 'x',
    };
    const { name } = await (
      await s.request(bucketPath('posts/asked.bin'), admin, multipart('bytes', forged))
    ).json();
    expect(name).toBe('posts/asked.bin');
    const [mine = '', other = ''] = await publish(s, admin, shortPost('mine'), shortPost('other'));
    const input = { postId: mine, id: other, ...shortPost('changed') };
    expect(await refusal(s.call(admin, 'updatePost', input))).toBe('invalid-argument');
    expect((await s.call(null, 'getPost', { postId: mine })).post.content).toBe('mine');
    expect((await s.call(null, 'getPost', { postId: other })).post.content).toBe('other');
  });

  it('refuses or ignores characters that a database cannot keep, wherever they come', async () => {
    const s = await site();
    const admin = await s.admin();
    const claim = (email: string) => Buffer.from(JSON.stringify({ email })).toString('base64url');
    const account = { username: 'renfield', name: 'R M', email: 'r@example.com', password: 'password' };
    for (const bad of ['\0', 'a\0b', '\ud800']) {
      const asked: [Person, string, object][] = [
        [null, 'confirmEmail', { token: `x.${claim(bad)}.x` }],
        [null, 'confirmEmail', { token: bad }],
        [null, 'resetPassword', { token: bad, password: 'password' }],
        [null, 'signIn', { email: `${bad}@example.com`, password: `password${bad}` }],
        [null, 'setUpSite', { token: bad, account }],
        [null, 'signUp', { ...account, ticket: bad, website: bad }],
        [null, 'signUp', { ...account, password: `password${bad}` }],
        [null, 'getPosts', { filtTags: [bad] }],
        [null, 'getPosts', { after: bad }],
        [admin, 'getUsers', { list: 'approved', search: bad }],
        [admin, 'getUsers', { list: 'approved', after: bad }],
        [admin, 'listPosts', { search: bad }],
        [admin, 'createPost', { ...shortPost(), attachments: [{ url: `/files/${bad}`, description: null }] }],
        [admin, 'createPost', { ...shortPost(), attachments: [{ url: '/files/x', thumbnail: bad }] }],
      ];
      for (const [as, name, data] of asked) {
        const { cookie = '' } = as ?? {};
        const { status } = await post(s, name, JSON.stringify({ data }), { cookie });
        expect([name, data, status >= 500]).toEqual([name, data, false]);
      }
    }
    for (const path of ['/post/%00', '/tags/%00', '/files/%00', '/files/x/%00', '/live?post=%00']) {
      for (const as of [null, admin]) expect((await s.request(path, as)).status).toBeLessThan(500);
    }
    for (const path of [
      '/feed.xml?tags=%00',
      '/unsubscribe?token=%00',
      '/?tags=%00&page=%00',
      '/login?next=%00',
    ]) {
      expect((await s.request(path)).status).toBeLessThan(500);
    }
  });

  it('58. names its configured address, whatever host was asked', async () => {
    const s = await site();
    const admin = await s.admin();
    const [postId] = await publish(s, admin, essay());
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
      'x-original-url': '/admin',
      'x-rewrite-url': '/admin',
    };
    const paths = ['/', `/post/${postId}`, '/feed.xml', '//post', '/admin', '/api/docs', '/api/openapi.json'];
    for (const origin of ['http://evil.example', s.config.publicUrl]) {
      for (const path of paths) {
        const answer = await s.app.request(`${origin}${path}`, { headers: forged, redirect: 'manual' });
        const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
        expect([path, answer.status < 400, text.includes('evil.example')]).toEqual([path, true, false]);
      }
    }
    const begun = await s.app.request(`http://evil.example${bucketPath('posts/a.bin')}`, {
      method: 'POST',
      headers: {
        ...forged,
        cookie: admin.cookie,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
      },
      body: '{}',
    });
    expect(begun.headers.get('x-goog-upload-url')).toMatch(new RegExp(`^${s.config.publicUrl}/`));
  });

  it('36. redirects to paths of its own alone', async () => {
    const s = await site();
    const paths = [
      '//evil.example',
      '///evil.example/x',
      '/.//evil.example',
      '/%5c%5cevil.example',
      '/%2f%2fevil.example',
      '/x/..//evil.example',
    ];
    for (const path of [
      ...paths,
      '/admin?next=//evil.example',
      '/profile?next=//evil.example',
      '/%ff//evil.example',
    ]) {
      const location = (await s.request(path, null, { redirect: 'manual' })).headers.get('location') ?? '/';
      expect([path, new URL(location, 'http://site.invalid').origin]).toEqual([path, 'http://site.invalid']);
      expect([path, nextPath(location) === '/' ? location : nextPath(location)]).toEqual([path, location]);
    }
  });

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
    const admin = await s.admin();
    const [postId = ''] = await publish(s, admin, essay({ title: 'Markertitle', tags: ['markertag'] }));
    const insides =
      /select |insert |sqlite|postgres|node_modules|\/work|\/home|at \w+ \(|\.ts:|marker|@example/i;
    const tell = async (path: string, init: RequestInit = {}, as: Person = null) => {
      const answer = await s.request(path, as, { redirect: 'manual', ...init });
      const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
      expect([path, insides.exec(text)?.[0]]).toEqual([path, undefined]);
      return answer.status;
    };
    const json = { 'content-type': 'application/json' };
    for (const body of [
      '{"data":{"postId":"\'\\" or 1=1"}}',
      '{"data":{"postId":{"a":1}}}',
      `{"data":{"postId":"${postId}"}}`,
      '{',
      '{"data":null}',
    ]) {
      expect(await tell('/api/getPost', { method: 'POST', headers: json, body })).toBeGreaterThan(399);
    }
    for (const path of [
      '/metrics',
      '/healthz',
      '/readyz',
      '/assets/app.js.map',
      '/.env',
      '/coterie.db',
      '/debug',
    ])
      await tell(path);
    for (const path of [`/post/${postId}`, `/files/${postId}`, `/v0/b/coterie/o/${postId}`]) await tell(path);
    // Even of a fault of ours, asked by calls and a page. The table is put back for whoever gets this database next.
    const member = await s.member();
    await s.deps.db.schema.alterTable('comments').renameTo('lost_comments').execute();
    const body = JSON.stringify({ data: { postId } });
    await s.call(admin, 'updatePost', { postId, ...essay({ tags: [] }) });
    expect(await tell('/api/listComments', { method: 'POST', headers: json, body }, member)).toBe(500);
    expect(
      await tell('/api/getOwnComments', { method: 'POST', headers: json, body: '{"data":{}}' }, member),
    ).toBe(500);
    expect(await tell('/profile', {}, member)).toBe(500);
    await s.deps.db.schema.alterTable('lost_comments').renameTo('comments').execute();
  });

  it('says to a program what is missing', async () => {
    const s = await site();
    const json = { 'content-type': 'application/json' };
    const wrong: [init: RequestInit, status: number, sentence: string][] = [
      [{ method: 'POST', body: '{"data":{}}' }, 400, 'must be application/json'],
      [{ method: 'POST', headers: json, body: '{' }, 400, 'is not valid JSON'],
      [{ method: 'POST', headers: json, body: '{"postId":"x"}' }, 400, 'must be {\\"data\\": ...}'],
      [{ method: 'POST', headers: json, body: '{"data":{"id":"x"}}' }, 400, 'postId'],
      [
        { method: 'POST', headers: json, body: '{"data":{"postId":"x","id":"x"}}' },
        400,
        'Unknown field id here',
      ],
      [{ method: 'GET' }, 405, 'Call this by POST'],
    ];
    for (const [init, status, sentence] of wrong) {
      const answer = await s.request('/api/getPost', null, init);
      expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(sentence)]);
    }
    const form = { method: 'POST', body: new URLSearchParams({ email: 'x', password: 'y' }) };
    expect((await (await s.request('/login', null, form)).json()).error.message).toContain('no Origin');
    expect((await s.request('/api/docs/')).headers.get('location')).toBe('/api/docs');
  });

  it('14. decides alike for every spelling of a guarded path', async () => {
    const s = await site();
    const member = await s.member();
    const paths = [
      '/admin/mail',
      '/admin/history',
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
    for (const [name, value] of Object.entries(forged)) {
      expect(await refusal(s.call(admin, 'createPost', { ...essay(), [name]: value }))).toBe(
        'invalid-argument',
      );
    }
    const { post: made } = await s.call(admin, 'createPost', essay());
    expect(made).toMatchObject({ likeCount: 0, commentCount: 0, authorId: admin.id });
    expect(await refusal(s.call(admin, 'updatePost', { ...essay(), isDraft: true, postId: made.id }))).toBe(
      'failed-precondition',
    );
  });

  it('22. answers every tag filter with data or 400', async () => {
    const s = await site();
    await publish(s, await s.admin(), shortPost('x', ["o'hara"]));
    const filters: [filtTags: unknown, status: number][] = [
      [["'"], 200],
      [["o'hara"], 200],
      [['%'], 200],
      [['_'], 200],
      [['$.a'], 200],
      [['\\'], 200],
      [['\u0000'], 200],
      [['\ud800'], 200],
      [['x'.repeat(1_000)], 200],
      [['x'.repeat(5_000)], 400],
      [Array(100).fill('x'), 200],
      [Array(10_000).fill('x'), 400],
      [[['x']], 400],
      ['x', 400],
      [{}, 400],
    ];
    for (const [filtTags, status] of filters) {
      const answer = await post(s, 'getPosts', JSON.stringify({ data: { filtTags } }));
      expect([filtTags, answer.status]).toEqual([filtTags, status]);
      const tag =
        Array.isArray(filtTags) && typeof filtTags[0] === 'string' ? filtTags[0].toWellFormed() : 'x';
      for (const path of [`/tags/${encodeURIComponent(tag)}`, `/?tags=${encodeURIComponent(tag)}`])
        expect((await s.request(path, null, { redirect: 'manual' })).status).toBeLessThan(500);
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
    const deep = (levels: number) => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const huge = `{"data":{"filtTags":["${'x'.repeat(200 * 1024)}"]}}`;
    for (const body of [
      deep(101),
      deep(90_000),
      huge,
      '{"data":{"page":1e400}}',
      '{"data":{},"more":1}',
      '\u0000',
    ]) {
      const answer = await post(s, 'getPosts', body);
      expect([body.slice(0, 40), answer.status]).toEqual([body.slice(0, 40), 400]);
      // What is wrong is named, and not sent back.
      expect((await answer.text()).length).toBeLessThan(4_096);
    }
    // The last of two keys counts, for the check and for the use.
    expect((await post(s, 'getPosts', '{"data":{"page":0,"page":1}}')).status).toBe(200);
    expect((await post(s, 'getPosts', '{"data":{"page":1,"page":0}}')).status).toBe(400);
    expect((await post(s, 'getPosts', '{"data":{}}', { 'content-encoding': 'gzip' })).status).toBe(400);
    const invalid = new Uint8Array([
      ...Buffer.from('{"data":{"filtTags":["'),
      0xff,
      0xfe,
      ...Buffer.from('"]}}'),
    ]);
    const broken = await s.request('/api/getPosts', null, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: invalid,
    });
    expect(broken.status).toBe(200);
    const email = `${'a.'.repeat(40_000)}@example.com`;
    expect((await post(s, 'requestPasswordReset', JSON.stringify({ data: { email } }))).status).toBe(400);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 0]));
    const answer = await post(s, 'signUp', JSON.stringify({ data: { ...many, username: many } }));
    expect([answer.status, (await answer.text()).length < 4_096]).toEqual([400, true]);
  });

  it('24. reads nothing long from who may not send it', async () => {
    const s = await site();
    // As long as a book: 2 MB for who writes posts, and not a byte of it for anybody else.
    const content = 'word '.repeat(200_000);
    const body = JSON.stringify({
      data: { type: 'essay', title: 't', description: 'd', content, isDraft: true },
    });
    let taken = 0;
    const send = async (as: Person) => {
      const bytes = Buffer.from(body);
      taken = 0;
      const stream = new ReadableStream<Uint8Array>(
        {
          pull: controller => {
            if (taken >= bytes.length) return controller.close();
            controller.enqueue(bytes.subarray(taken, taken + 65_536));
            taken += 65_536;
          },
        },
        { highWaterMark: 0 },
      );
      return await s.request('/api/createPost', as, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: stream,
        duplex: 'half',
      } as RequestInit);
    };
    const people = [null, await s.signUp(), await s.member()];
    for (const person of people) {
      expect([401, 403]).toContain((await send(person)).status);
      expect(taken).toBe(0);
    }
    expect((await send(await s.admin())).status).toBe(200);
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

  it('29. escapes what people named, in pages, their state, feed, mail and errors', async () => {
    const s = await site();
    const nasty = '</script><img src=x onerror=alert(1)>\u2028]]>&"\'';
    const admin = await s.admin();
    const [postId] = await publish(
      s,
      admin,
      essay({ title: nasty, description: nasty }),
      shortPost('x', ['<b>tag"']),
    );
    await s.setDefaultTags(['<b>tag"']);
    await s.deps.db.updateTable('users').set({ name: '<i>"x"</i>' }).where('id', '=', admin.id).execute();
    const member = await s.member();
    await s.call(member, 'addComment', { postId: postId ?? '', content: nasty });
    const paths = [
      '/',
      `/post/${postId}`,
      '/profile',
      '/admin',
      '/admin/posts',
      '/admin/tags',
      '/account',
      '/tags/%3Cb%3Etag%22',
    ];
    for (const path of [
      ...paths,
      '/tags/%3C%2Fscript%3E%3Cimg%20src%3Dx%3E',
      '/login?next=/%22%3E%3Cimg%20src%3Dx%3E',
    ]) {
      const page = await (await s.request(path, admin)).text();
      expect([path, /<img src=x|<b>tag|<i>"x"/.exec(page)]).toEqual([path, null]);
      // One script element with JSON in it, and nothing that ends it early.
      const state = /<script type="application\/json" id="state">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}';
      expect([path, /[<\u2028\u2029]/.test(state), typeof JSON.parse(state)]).toEqual([
        path,
        false,
        'object',
      ]);
    }
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed).not.toMatch(/<img|<b>tag/);
    expect(feed.match(/<entry>/g)).toHaveLength(2);
    // What was published before is not what this is about.
    await s.deps.db.deleteFrom('announcements').execute();
    await s.deps.db.deleteFrom('mails').execute();
    await s.call(member, 'setSubscription', { subscribed: true });
    await publish(
      s,
      admin,
      essay({ title: nasty, description: nasty, content: `Words <i onclick=x>${nasty}` }),
    );
    await deliverDue(s.deps);
    const folder = join(s.config.dataDir, 'mail');
    const [file = ''] = await readdir(folder);
    const mail = (await readFile(join(folder, file), 'utf8')).replaceAll('=\r\n', '');
    const html = mail.slice(mail.search(/content-type: text\/html/i));
    expect(html).toMatch(/&lt;\/script&gt;/);
    expect(html).not.toMatch(/<img|onclick|<\/script/);
  });

  it('34. takes nothing from another site’s page, in any form that a browser sends', async () => {
    const s = await site();
    const admin = await s.admin();
    const [postId = ''] = await publish(s, admin, essay());
    const file = await upload(s, admin, 'posts/a.bin', 'bytes');
    const object = objectPath(file.name);
    const data = JSON.stringify({ data: { postId } });
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json',
      '',
    ];
    const origins: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'http://sub.localhost:3000', 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:3001', 'sec-fetch-site': 'same-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ];
    const targets: [method: string, path: string][] = [
      ['POST', '/api/deletePost'],
      ['POST', '/api//deletePost'],
      ['POST', '/x/y/deletePost'],
      ['POST', '/api/signOut'],
      ['POST', '/api/signIn'],
      ['POST', '/api/setLike'],
      ['POST', '/login'],
      ['POST', '/signup'],
      ['DELETE', object],
      ['PATCH', object],
      ['POST', bucketPath('posts/b.bin')],
    ];
    for (const origin of origins) {
      for (const type of types) {
        for (const [method, path] of targets) {
          const headers = { ...origin, ...(type && { 'content-type': type }) };
          const { status } = await s.request(path, admin, { method, headers, body: data });
          expect([origin, type, method, path, status]).toEqual([origin, type, method, path, 403]);
        }
      }
      const live = await s.request(`/live?post=${postId}`, admin, { headers: origin });
      expect(live.status).toBe(403);
      await live.body?.cancel();
      expect(live.headers.get('access-control-allow-origin')).toBeNull();
    }
    // Without a word of where it comes from, as old browsers: no form can send the type that counts.
    for (const type of types.filter(one => one !== 'application/json')) {
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      expect(
        (await s.request('/api/deletePost', admin, { method: 'POST', headers, body: data })).status,
      ).toBe(400);
    }
    const form = 'email=mina%40example.com&password=quincey';
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(form.length),
    };
    expect((await s.request('/login', null, { method: 'POST', headers, body: form })).status).toBe(403);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await s.request('/api/deletePost', admin, { method })).status).toBe(405);
    expect((await s.request(file.url, admin)).status).toBe(200);
    expect((await s.call(admin, 'getPost', { postId })).post.likeCount).toBe(0);
    expect(await s.deps.db.selectFrom('files').select('path').execute()).toEqual([{ path: 'posts/a.bin' }]);
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
    '/.//evil',
    '/\n/evil',
    ' //evil',
    '\\\\evil',
    '///evil',
    'http:/evil',
    '/\\\\evil',
    'evil',
    '',
  ];
  for (const next of elsewhere) expect([next, nextPath(next)]).toEqual([next, '/']);
  expect(nextPath('/post/1?x#comments')).toBe('/post/1?x#comments');
  // Encoded, it stays a path of this site.
  for (const next of ['/%2f%2fevil', '/%2F/evil', '/%5cevil', '/%252f%252fevil', '/post/1?next=//evil']) {
    expect(nextPath(next)).toBe(next);
  }
});

it('28. looks at each character of an address once: of one that is a hundred times a comment the end is found', () => {
  const address = `https://a.example/${'(.)'.repeat(150_000)}`;
  const found = `${address}${').'.repeat(150_000)}`;
  // Where the work grew with the square of the length, this would take hours.
  expect(piecesOf(`${found} `)[0]).toEqual({ text: address, href: address });
});
