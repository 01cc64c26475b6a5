import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { createApp } from '../../server/app.ts';
import { Outage, outages } from '../../server/db/outage.ts';
import { AnswerCache } from '../../server/http/answer-cache.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { listen } from '../support/listen.ts';
import { type Site, sourcePages } from '../support/site.ts';

type Sent = { status: number; headers: IncomingHttpHeaders; body: string };

/**
 * What a server sends without asking the app is what the app would send, and only where nobody in particular
 * asks.
 */
describeEngines(({ site, siteWithAdmin }) => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  /** The app behind what is kept, on a socket. `asked` tells what has reached the app. */
  async function serve(s: Site) {
    const answers = new AnswerCache(s.deps);
    const app = getRequestListener(createApp(s.deps, sourcePages, answers).fetch);
    const asked: string[] = [];
    const listener = answers.inFrontOf(
      async (incoming, outgoing) => {
        asked.push(incoming.url ?? '');
        await app(incoming, outgoing);
      },
      pino({ level: 'silent' }),
    );
    server = createServer(listener);
    const port = await listen(server);

    const send = async (
      method: string,
      path: string,
      headers: Record<string, string>,
      parts: readonly string[] = [],
    ): Promise<Sent> => {
      const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent: false });
      const answer = once(outgoing, 'response');
      if (parts.length > 1 && server !== undefined) {
        outgoing.flushHeaders();
        await once(server, 'request');
      }
      for (const part of parts) outgoing.write(part);
      outgoing.end();
      const [incoming] = await answer;
      return { status: incoming.statusCode, headers: incoming.headers, body: await text(incoming) };
    };
    const list = '{"data":{}}';
    const json = { 'content-type': 'application/json', 'content-length': String(list.length) };
    return {
      answers,
      asked,
      get: (path: string, headers: Record<string, string> = {}) => send('GET', path, headers),
      list: (headers: Record<string, string> = {}, parts = [list]) =>
        send('POST', '/api/getPosts', { ...json, ...headers }, parts),
    };
  }

  it('a cached answer for visitors takes no more memory than its bytes, which its limit counts', async () => {
    const s = await site();
    await publish(s, await s.admin(), essay({ title: 'Open', tags: [] }));
    const { answers, get, list } = await serve(s);
    const refuse = async () => await Promise.reject(new Error('This was not kept.'));
    for (const accept of ['identity', 'gzip', 'br']) await get('/', { 'accept-encoding': accept });
    await list();
    const kept = [
      await answers.pageForVisitors('identity', '/', refuse),
      await answers.pageForVisitors('gzip', '/', refuse),
      await answers.pageForVisitors('br', '/', refuse),
      await answers.callForVisitors('getPosts', '{"data":{}}', refuse),
    ];
    for (const { body } of kept) expect(body?.buffer.byteLength).toBe(body?.byteLength ?? 0);
  });

  it('a cached answer for visitors is sent no more once the database has a schema that this version must not write to', async () => {
    const s = await site();
    await publish(s, await s.admin(), essay({ title: 'One' }));
    const { get, list } = await serve(s);
    for (const ask of [() => get('/'), () => list()]) expect((await ask()).status).toBe(200);
    s.deps.changes.refuse(
      new Outage(outages.outdated, new Error('A newer version has upgraded the database.')),
    );
    for (const ask of [() => get('/'), () => list()]) expect((await ask()).status).toBe(503);
  });

  it('a cached answer for visitors is sent again unchanged, until something changes that a visitor could see', async () => {
    const [s, admin] = await siteWithAdmin();
    await publish(s, admin, essay({ title: 'One' }));
    const { asked, get, list } = await serve(s);

    for (const ask of [() => get('/'), () => list()]) {
      const before = asked.length;
      const made = await ask();
      expect(made.status).toBe(200);
      expect(made.body).toContain('One');
      const again = await ask();
      expect(asked).toHaveLength(before + 1);
      const { date: _, ...headers } = again.headers;
      expect({ ...again, headers }).toEqual({ ...made, headers: expect.objectContaining(headers) });
    }

    await publish(s, admin, essay({ title: 'Two' }));
    const pages = await Promise.all([get('/'), get('/'), get('/')]);
    for (const { status, body } of pages) {
      expect(status).toBe(200);
      expect(body).toContain('Two');
    }
    expect((await list()).body).toContain('Two');
  });

  it('a cached answer for visitors is made again for all after a change without counting for the one who asks first, beyond that not', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay({ title: 'One', tags: ['sea'] }));
    await s.setDefaultTags(['sea']);
    await s.deps.changes.caughtUp();
    // Three pages of visitors a minute from one network.
    const { get } = await serve({ ...s, deps: { ...s.deps, limits: new Limits(3 / 1_200) } });
    const shown = async (path: string) => (await get(path)).status;
    expect([await shown('/'), await shown(`/post/${id}`), await shown('/tags/sea')]).toEqual([200, 200, 200]);
    for (const liked of [true, false, true]) {
      await s.call(admin, 'setLike', { postId: id, liked });
      expect([await shown('/'), await shown(`/post/${id}`)]).toEqual([200, 200]);
    }
    // Anybody can make up other spellings of an address.
    expect([await shown('/tags/sea'), await shown('/tags/SEA'), await shown('/login')]).toEqual([
      429, 429, 429,
    ]);
  });

  it('a cached answer for visitors that there is no such post counts again after each publication', async () => {
    const [s, admin] = await siteWithAdmin();
    const { get } = await serve({ ...s, deps: { ...s.deps, limits: new Limits(3 / 1_200) } });
    const shown = async (path: string) => (await get(path)).status;
    expect([await shown('/post/made'), await shown('/post/up')]).toEqual([404, 404]);
    await publish(s, admin, essay());
    expect([await shown('/post/made'), await shown('/post/up')]).toEqual([404, 429]);
  });

  it('a cached answer for visitors keeps the counts of a moment ago, and nothing else, while people like and comment', async () => {
    const [s, admin] = await siteWithAdmin();
    const [id = ''] = await publish(s, admin, essay({ title: 'One' }));
    const { get } = await serve({ ...s, deps: { ...s.deps, countsLagMs: 3_600_000 } });
    const before = (await get(`/post/${id}`)).body;
    await s.call(admin, 'setLike', { postId: id, liked: true });
    expect((await get(`/post/${id}`)).body).toBe(before);
    await publish(s, admin, essay({ title: 'Two' }));
    expect((await get('/')).body).toContain('Two');
    await s.call(admin, 'deletePost', { postId: id });
    expect((await get(`/post/${id}`)).status).toBe(404);
  });

  it('a cached answer for visitors is not sent in an encoding that a browser does not accept', async () => {
    const [s, admin] = await siteWithAdmin();
    const { get } = await serve(s);
    const encodingOf = async (accept: string) =>
      (await get('/', { 'accept-encoding': accept })).headers['content-encoding'];
    const [id = ''] = await publish(s, admin, essay({ title: 'One' }));
    await encodingOf('gzip, br');
    await s.call(admin, 'setLike', { postId: id, liked: true });
    expect(await encodingOf('gzip, br')).toBe('br');
    expect(await encodingOf('br')).toBe('br');
    expect(await encodingOf('gzip')).toBe('gzip');
    expect(await encodingOf('identity')).toBeUndefined();
  });

  it('a cached answer for visitors is not sent to signed-in users, to other sites, or for another kind of request', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['red']);
    await publish(s, admin, essay({ title: 'Red', tags: ['red'] }));
    const { asked, list } = await serve(s);
    expect((await list()).body).not.toContain('Red');
    await list();
    expect(asked).toHaveLength(1);

    expect((await list({ cookie: member.cookie })).body).toContain('Red');
    expect((await list({ authorization: 'Bearer nothing' })).status).toBe(401);
    expect((await list({ origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await list({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await list({ accept: 'text/event-stream' })).body).toMatch(/^data: /);
    expect((await list({ 'content-type': 'text/plain' })).status).toBe(400);
    expect((await list({ 'content-encoding': 'gzip' })).status).toBe(400);
    expect(asked).toHaveLength(8);
    expect((await list({ origin: new URL(s.config.publicUrl).origin })).status).toBe(200);
    expect(asked).toHaveLength(8);
  });

  it('a cached answer for visitors is not sent for a body that arrives in pieces or differs, which the app handles', async () => {
    const s = await site();
    const { asked, list } = await serve(s);
    await list();
    const pieces = await list({}, ['{"dat', 'a":', '{}}']);
    expect(pieces.status).toBe(200);
    expect(JSON.parse(pieces.body).result.posts).toEqual([]);
    const wrong = await list({ 'content-length': '3' }, ['{}}']);
    expect(wrong.status).toBe(400);
    expect(asked).toHaveLength(3);
  });
});
