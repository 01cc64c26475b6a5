import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import { expect, it } from 'vitest';
import { createApp, createListener } from '../../server/app.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { insertSession } from '../support/people.ts';
import { type Person, type Site, sourcePages } from '../support/site.ts';

/** A page or call of a member is answered as if it were made anew, whatever is cached. */
describeEngines(({ site, siteWithAdmin }) => {
  type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string };
  type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

  /** The same site twice: as a server answers, and by an app that has cached nothing. */
  async function withBoth(
    s: Site,
    act: (ask: (as: Person, sent: Sent) => Promise<[Answer, Answer]>) => Promise<void>,
  ) {
    const anew = getRequestListener((...request) => createApp(s.deps, sourcePages).fetch(...request));
    const listeners = [createListener(s.deps, sourcePages), anew];
    const servers = listeners.map(listener => createServer(listener).listen(0, '127.0.0.1'));
    await Promise.all(servers.map(server => server.listening || once(server, 'listening')));
    const ports = servers.map(server => (server.address() as AddressInfo).port);
    const askOne = async (index: number, as: Person, { method = 'GET', path, headers = {}, body }: Sent) => {
      const port = ports[index];
      const cookie = as === null ? {} : { cookie: as.cookie };
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = send({ port, method, path, agent: false, headers: { ...cookie, ...length, ...headers } });
      const answered = once(sent, 'response');
      sent.end(body);
      const [incoming] = await answered;
      // When it was sent, and how an empty body is framed, is the same to everybody.
      const { date, 'content-length': _, 'transfer-encoding': __, ...others } = incoming.headers;
      return {
        status: incoming.statusCode,
        headers: others,
        body: (await buffer(incoming)).toString('base64'),
      };
    };
    try {
      await act(async (as, sent) => [await askOne(0, as, sent), await askOne(1, as, sent)]);
    } finally {
      for (const server of servers) server.close().closeAllConnections();
    }
  }

  const calls = ['getPosts', 'getPost', 'getTags', 'getSettings', 'getViewer'];
  const json = { 'content-type': 'application/json' };

  it('a request of a member is answered exactly as by an app that has cached nothing, for every viewer and request', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(
      s,
      admin,
      essay({ title: 'Red', tags: ['red'] }),
      shortPost('open'),
      essay({ title: 'Blue', tags: ['blue'] }),
    );
    const gone = { id: '', username: '', cookie: 'coterie-session=abc.def' };
    const member = await s.member(['red']);
    const people = [member, await s.signUp(), await s.denied(), admin, gone];
    const tomorrow = new Date(s.deps.clock() + 86_400_000).toISOString();
    await s.deps.db.updateTable('sessions').set({ expires_at: tomorrow }).execute();
    const questions: Sent[] = [
      ...['/', '/tags/red', '/tags/none', '/post/none', '/profile', '/nowhere', '/?page=2'].map(path => ({
        path,
      })),
      ...ids.map(id => ({ path: `/post/${id}` })),
      { path: '/', headers: { 'accept-encoding': 'gzip, deflate, br' } },
      { path: '/', headers: { 'if-none-match': '"x"' } },
      { path: '/', headers: { 'if-none-match': '*' } },
      { method: 'HEAD', path: '/' },
      ...calls.flatMap(name =>
        ['{"data":{}}', `{"data":{"postId":"${ids[0]}"}}`, '{"data":', ''].map(body => ({
          method: 'POST',
          path: `/api/${name}`,
          headers: json,
          body,
        })),
      ),
      ...[
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-origin' },
        { 'content-type': 'text/plain' },
        { 'content-encoding': 'gzip' },
        { accept: 'text/event-stream' },
        { authorization: 'Bearer none' },
      ].map(headers => ({
        method: 'POST',
        path: '/api/getPosts',
        headers: { ...json, ...headers },
        body: '{"data":{}}',
      })),
    ];
    await withBoth(s, async ask => {
      for (const person of people) {
        // The first answer to a session that has not been used for long renews its cookie, on either way.
        const [first] = await ask(person, { path: '/' });
        if (person === member) expect(first.headers['set-cookie']?.join()).toContain('Max-Age=2592000');
        for (const question of questions) {
          const [plain, through] = await ask(person, question);
          expect(plain, JSON.stringify(question)).toEqual(through);
        }
      }
    });
  });

  it('a request of a member is answered with all changes since the last answer', async () => {
    const [s, admin] = await siteWithAdmin();
    const [member, other] = [await s.member(['red']), await s.member([], 'other')];
    const [first = '', second = ''] = await publish(
      s,
      admin,
      essay({ title: 'Red', tags: ['red'] }),
      shortPost('open'),
      essay({ title: 'Blue', tags: ['blue'] }),
    );
    const changes = [
      () => s.call(member, 'setLike', { postId: second, liked: true }),
      () => s.call(other, 'setLike', { postId: second, liked: true }),
      () => s.call(other, 'addComment', { postId: second, content: 'Yes.' }),
      () => s.call(admin, 'saveAbout', { content: 'About us.' }),
      () => s.call(admin, 'setApprovedTags', { userId: member.id, tags: ['red', 'blue'] }),
      () => s.call(member, 'changeName', { name: 'Another name' }),
      () => publish(s, admin, shortPost('new')),
      () => s.call(admin, 'deletePost', { postId: first }),
    ];
    await withBoth(s, async ask => {
      let before = '';
      for (const change of [async () => {}, ...changes]) {
        await change();
        for (const path of ['/', `/post/${first}`, `/post/${second}`, '/tags/red']) {
          const question = { path, headers: { 'accept-encoding': 'gzip' } };
          // Twice, so that the second finds what the first has left.
          await ask(member, question);
          const [plain, through] = await ask(member, question);
          expect(plain, path).toEqual(through);
        }
        const [{ body }] = await ask(member, { path: '/' });
        expect(body).not.toBe(before);
        before = body;
      }
    });
  });

  /**
   * Does something once, after a request was found to be a member's and before its page is made. Returns
   * whether it has.
   */
  function beforeNextPage({ deps: { limits, changes } }: Site, act: () => Promise<unknown>): () => boolean {
    const count = limits.count.bind(limits);
    let isDone = false;
    limits.count = async (...counted) => {
      await count(...counted);
      if (isDone) return;
      isDone = true;
      await act();
      await changes.caughtUp();
    };
    return () => isDone;
  }

  it('a request of a member leaves no page behind that was made with rights which went while it was asked for', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['red']);
    await publish(s, admin, essay({ title: 'Red', tags: ['red'] }));
    const isDone = beforeNextPage(s, () => s.call(admin, 'setApprovedTags', { userId: member.id, tags: [] }));
    await withBoth(s, async ask => {
      await ask(member, { path: '/' });
      expect(isDone()).toBe(true);
      const [{ body }] = await ask(member, { path: '/' });
      expect(atob(body)).not.toContain('Red');
    });
  });

  it('a request of a member leaves no page of a visitor to a member whose session ended while it was asked for', async () => {
    const s = await site();
    const member = await s.member(['red']);
    await publish(s, await s.admin(), essay({ title: 'Red', tags: ['red'] }));
    const isDone = beforeNextPage(s, () => s.call(member, 'signOutEverywhere', {}));
    await withBoth(s, async ask => {
      await ask(member, { path: '/' });
      expect(isDone()).toBe(true);
      const session = await insertSession(s.deps, member.id);
      const [{ body }] = await ask({ ...member, cookie: `coterie-session=${session}` }, { path: '/' });
      expect(atob(body)).toContain('Red');
    });
  });

  it('a request of a member gets nothing once the right to it has been revoked', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['red']);
    const [id = ''] = await publish(s, admin, essay({ title: 'Red', tags: ['red'] }));
    const list = { method: 'POST', path: '/api/getPosts', headers: json, body: '{"data":{}}' };
    await withBoth(s, async ask => {
      const statuses = async () => {
        const answers = [...(await ask(member, { path: `/post/${id}` })), ...(await ask(member, list))];
        return answers.map(({ status, body }) => [status, atob(body).includes('Red')]);
      };
      expect(await statuses()).toEqual([
        [200, true],
        [200, true],
        [200, true],
        [200, true],
      ]);
      await s.call(admin, 'denyUser', { userId: member.id });
      expect(await statuses()).toEqual([
        [302, false],
        [302, false],
        [200, false],
        [200, false],
      ]);
    });
  });
});
