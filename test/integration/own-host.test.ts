import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createListener } from '../../server/app.ts';
import { describeSqlite } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { openSite, sourcePages } from '../support/site.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describeSqlite(({ migrated }) => {
  /** A site with an open post on a socket, and what it answers to requests for a host. */
  const open = async (settings: Record<string, string> = {}) => {
    const s = await openSite(await migrated(), settings);
    cleanups.push(s.close);
    await publish(s, await s.admin(), essay({ title: 'Open', tags: [] }));
    const server = createServer(createListener(s.deps, sourcePages)).listen(0, '127.0.0.1');
    cleanups.push(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return async (host: string, path = '/', method = 'GET') => {
      const asked = request({ port, host: '127.0.0.1', method, path, headers: { host }, agent: false });
      asked.end(method === 'POST' ? '{"data":{}}' : undefined);
      const [answer] = await once(asked, 'response');
      return { status: answer.statusCode, location: answer.headers.location, body: await text(answer) };
    };
  };

  it('a request that names a host is answered for an address, and for a name that nobody can register', async () => {
    const ask = await open();
    const own = ['localhost', 'localhost:3000', '127.0.0.1:8080', '[::1]:3000', '[::ffff:127.0.0.1]'];
    for (const host of [...own, '192.168.1.5', 'nas', 'coterie:3000', 'nas.local', 'a.b.localhost']) {
      const { status, body } = await ask(host);
      expect([host, status, body.includes('Open')]).toEqual([host, 200, true]);
    }
  });

  it('a request that names a host is refused for a name that somebody may have made lead here, cached pages and calls too', async () => {
    const ask = await open();
    for (let time = 0; time < 3; time += 1) expect((await ask('localhost')).status).toBe(200);
    const others = [
      'evil.example',
      'evil.example:3000',
      'EVIL.example.',
      '127.0.0.1.evil.example',
      'local.evil.example',
      '99999999999',
      '0x100000000',
    ];
    for (const host of others) {
      for (const [path, method] of [['/'], ['/feed.xml'], ['/api/getPosts', 'POST']] as const) {
        const { status, body } = await ask(host, path, method);
        expect([host, path, status]).toEqual([host, path, 421]);
        expect(body).toMatch(/^This site is not known by this name\. Set PUBLIC_URL/);
      }
      expect((await ask(host, '/healthz')).status).toBe(200);
    }
    // The host of an absolute target takes precedence over Host.
    expect((await ask('localhost', 'http://evil.example/api/getPosts', 'POST')).status).toBe(421);
    expect((await ask('evil.example', 'http://localhost/')).status).toBe(200);
  });

  it('a request that names a host is redirected to PUBLIC_URL where that names another host', async () => {
    const ask = await open({ PUBLIC_URL: 'https://blog.example' });
    expect((await ask('blog.example')).status).toBe(200);
    expect((await ask('Blog.example:443')).status).toBe(200);
    expect(await ask('www.blog.example', '/?page=2')).toEqual({
      status: 308,
      location: 'https://blog.example/?page=2',
      body: '',
    });
    const elsewhere = await ask('evil.example', 'http://evil.example/post', 'POST');
    expect(elsewhere).toEqual({ status: 308, location: 'https://blog.example/', body: '' });
    expect((await ask('10.0.0.7:3000', '/readyz')).status).toBe(200);
  });

  it('a request that names a host is told of the proxy where no redirect leads here, because it would lead in a circle', async () => {
    const ask = await open({ PUBLIC_URL: 'https://blog.example' });
    const statuses = async (times: number, host: string) => {
      const all = new Set<number | undefined>();
      for (let time = 0; time < times; time += 1) all.add((await ask(host)).status);
      return [...all];
    };
    expect(await statuses(10, 'upstream.example:3000')).toEqual([308]);
    const told = await ask('upstream.example:3000');
    expect(told).toMatchObject({ status: 421, location: undefined });
    expect(told.body).toContain(
      'This site is at https://blog.example. If that leads to this page, the proxy',
    );
    // Another name may lead here, and this one does once the proxy is mended.
    expect((await ask('www.blog.example')).status).toBe(308);
    expect((await ask('blog.example')).status).toBe(200);
    expect(await statuses(5, 'upstream.example:3000')).toEqual([308]);
    expect((await ask('blog.example')).status).toBe(200);
    expect(await statuses(10, 'upstream.example:3000')).toEqual([308]);
  });

  it('a request that names a host is redirected to an international name in ASCII, which headers can hold', async () => {
    const ask = await open({ PUBLIC_URL: 'https://Блог.example/' });
    expect((await ask('xn--90aexm.example')).status).toBe(200);
    expect(await ask('evil.example')).toMatchObject({ status: 308, location: 'https://xn--90aexm.example/' });
  });
});
