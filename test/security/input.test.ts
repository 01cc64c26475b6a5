import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { pushKeysOfBrowser } from '../support/push-keys.ts';
import { type Person, post, refusal, type Site } from '../support/site.ts';

/** Input that is too much, malformed, or not the sender's to decide. */

/** Asks for posts with this body, as it is. */
const sendBody = (s: Site, body: BodyInit, headers: Record<string, string> = {}) =>
  s.request('/api/getPosts', null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

describeEngines(({ site, siteWithAdmin }) => {
  it('the site refuses or ignores characters that a database cannot store, in every input', async () => {
    const [s, admin] = await siteWithAdmin();
    const claim = (email: string) => Buffer.from(JSON.stringify({ email })).toString('base64url');
    const account = { username: 'renfield', name: 'R M', email: 'r@example.com', password: 'password' };
    for (const bad of ['\0', 'a\0b', '\ud800']) {
      const asked: [Person, string, object, status: number][] = [
        [null, 'confirmEmail', { token: `x.${claim(bad)}.x` }, 400],
        [null, 'confirmEmail', { token: bad }, 400],
        [null, 'resetPassword', { token: bad, password: 'password' }, 400],
        [null, 'signIn', { email: `${bad}@example.com`, password: `password${bad}` }, 400],
        [null, 'setUpSite', { token: bad, account }, 403],
        [null, 'signUp', { ...account, ticket: bad, website: bad }, 400],
        [null, 'signUp', { ...account, password: `password${bad}` }, bad === '\0' ? 200 : 409],
        [null, 'getPosts', { filtTags: [bad] }, 200],
        [null, 'getPosts', { after: bad }, 400],
        [admin, 'getUsers', { list: 'approved', search: bad }, 400],
        [admin, 'getUsers', { list: 'approved', after: bad }, 400],
        [admin, 'listPosts', { search: bad }, 200],
        [
          admin,
          'createPost',
          { ...shortPost(), attachments: [{ url: `/files/${bad}`, description: null }] },
          400,
        ],
        [admin, 'createPost', { ...shortPost(), attachments: [{ url: '/files/x', thumbnail: bad }] }, 400],
        [admin, 'startPush', { endpoint: `https://push.invalid/${bad}`, keys: pushKeysOfBrowser }, 400],
      ];
      for (const [as, name, data, status] of asked) {
        const { cookie = '' } = as ?? {};
        const answer = await post(s, name, data, { cookie });
        expect([name, data, answer.status]).toEqual([name, data, status]);
      }
    }
    const addresses: Record<string, number> = {
      '/post/%00': 404,
      '/tags/%00': 404,
      '/files/%00': 404,
      '/files/x/%00': 404,
      '/files/aaaaaaaaaaaaaaaa?feed=%00.x': 404,
      '/files/aaaaaaaaaaaaaaaa?width=%00': 404,
      '/feed.xml?key=%00': 404,
      '/feed.xml?tag=%00': 404,
      '/podcast.xml?key=%00': 404,
      '/face/%00/aaaaaaaaaaaaaaaa': 404,
      '/post/%00/pictures.zip': 404,
      '/%00': 302,
      '/%E0%A4%A': 302,
      '/tags/%E0%A4%A': 302,
      '/post/%E0%A4%A': 302,
      '/search?q=%00&tag=%00&year=%00': 200,
      '/archive?year=%00&month=-1': 200,
      '/invite?token=%00': 400,
      '/v0/b/files/o/%00?alt=media': 404,
      '/v0/b/files/o/a%E0?alt=media&token=%00': 400,
      '/live?post=%00': 400,
      '/feed.xml?tags=%00': 200,
      '/unsubscribe?token=%00': 200,
      '/?tags=%00&page=%00': 200,
      '/login?next=%00': 200,
    };
    for (const [path, status] of Object.entries(addresses))
      for (const as of [null, admin])
        expect([path, (await s.request(path, as)).status]).toEqual([path, status]);
  });

  it('the site refuses a cursor of another list, or of none, in every list', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay());
    const text = (words: string) => `~${Buffer.from(words).toString('base64url')}.x`;
    const asked: [Person, string, object, readonly string[]][] = [
      [null, 'getPosts', {}, ["1' or 1=1", text('a'), text(''), 'zzzzzzzzzzz.x', '-zzzzzzzzzzz.x']],
      [member, 'listComments', { postId }, [text('a')]],
      [member, 'getOwnComments', {}, [text('a')]],
      [member, 'getLikedPosts', {}, [text('a')]],
      [admin, 'getHistory', {}, [text('a')]],
      [admin, 'listInvitations', {}, [text('a')]],
      [admin, 'getUsers', { list: 'approved' }, ['10.x', text('a\0b')]],
      [
        admin,
        'getUsers',
        { list: 'pending' },
        ['10.x', text('a'), text('2026-13-01T00:00:00.000Z'), text('0000-01-01T00:00:00.000Z')],
      ],
    ];
    for (const [as, name, data, cursors] of asked) {
      for (const after of cursors) {
        const { cookie = '' } = as ?? {};
        const answer = await post(s, name, { ...data, after }, { cookie });
        expect([name, after, answer.status]).toEqual([name, after, 400]);
      }
    }
  });

  it('16. the site accepts counts, dates, authors and ids of a post from no client', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('22. the site answers every tag filter with data or 400', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(["o'hara"]);
    await publish(s, admin, shortPost('x', ["o'hara"]));
    const filters: [filtTags: unknown, status: number][] = [
      [["'"], 200],
      [["o'hara"], 200],
      [['%'], 200],
      [['_'], 200],
      [['$.a'], 200],
      [['"]}'], 200],
      [['toString'], 200],
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
      const answer = await post(s, 'getPosts', { filtTags });
      expect([filtTags, answer.status]).toEqual([filtTags, status]);
      const isKnown = String(filtTags) === "o'hara";
      const found = answer.result?.posts.length ?? 0;
      expect([filtTags, found]).toEqual([filtTags, isKnown ? 1 : 0]);
      const tag =
        Array.isArray(filtTags) && typeof filtTags[0] === 'string' ? filtTags[0].toWellFormed() : 'x';
      expect((await s.request(`/tags/${encodeURIComponent(tag)}`)).status).toBe(isKnown ? 200 : 404);
      expect((await s.request(`/?tags=${encodeURIComponent(tag)}`)).status).toBe(200);
    }
  });

  it('23. the site survives names such as __proto__ and constructor', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, shortPost('x', ['__proto__', 'toString', 'constructor']));
    expect((await s.call(admin, 'getPosts', { filtTags: ['__proto__'] })).posts).toHaveLength(1);
    const body = '{"data":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}';
    expect((await sendBody(s, body)).status).toBe(200);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('24. the site refuses JSON that is too deep, too large, invalid or compressed', async () => {
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
      const answer = await sendBody(s, body);
      expect([body.slice(0, 40), answer.status]).toEqual([body.slice(0, 40), 400]);
      // What is wrong is named, and not sent back.
      expect((await answer.text()).length).toBeLessThan(4_096);
    }
    // The last of two keys counts, for the check and for the use.
    expect((await sendBody(s, '{"data":{"page":0,"page":1}}')).status).toBe(200);
    expect((await sendBody(s, '{"data":{"page":1,"page":0}}')).status).toBe(400);
    expect((await sendBody(s, '{"data":{}}', { 'content-encoding': 'gzip' })).status).toBe(400);
    const invalid = new Uint8Array([
      ...Buffer.from('{"data":{"filtTags":["'),
      0xff,
      0xfe,
      ...Buffer.from('"]}}'),
    ]);
    const broken = await sendBody(s, invalid);
    expect(broken.status).toBe(200);
    const email = `${'a.'.repeat(40_000)}@example.com`;
    expect((await post(s, 'requestPasswordReset', { email })).status).toBe(400);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 0]));
    const answer = await post(s, 'signUp', { ...many, username: many });
    expect([answer.status, answer.text.length < 4_096]).toEqual([400, true]);
  });

  it('24. the site does not read a long body from a caller who may not send it', async () => {
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

  it('25. the site accepts pages from 1, and no page size', async () => {
    const s = await site();
    await publish(s, await s.admin(), ...Array.from({ length: 12 }, (_, index) => shortPost(`p${index}`)));
    for (const page of [0, -1, 1.5, 1e300, '1 ', null]) {
      expect((await post(s, 'getPosts', { page })).status).toBe(400);
    }
    const answer = await post(s, 'getPosts', { pageSize: 100, limit: 100 });
    expect(answer.result.posts).toHaveLength(10);
    expect((await s.call(null, 'getPosts', { page: 9_999 })).posts).toEqual([]);
  });
});
