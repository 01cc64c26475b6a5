import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApp } from '../../server/app.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { openSite, type Person, sourcePages } from '../support/site.ts';
import { carry, upload } from '../support/storage.ts';

type Kept = 'public' | 'private' | 'nobody';

type Row = [method: string, path: string, as: 'visitor' | 'member', kept: Kept, init?: RequestInit];

const json = { 'content-type': 'application/json' };

const call = (data = '{}'): RequestInit => ({ headers: json, body: `{"data":${data}}` });

/** One row a kind of answer: pages, calls, files, errors, streams, and what is no address at all. */
function rows(open: string, closed: string, file: string, object: string): Row[] {
  return [
    ['GET', '/', 'visitor', 'public'],
    ['GET', '/', 'member', 'nobody'],
    ['HEAD', '/', 'visitor', 'public'],
    ['GET', `/post/${open}`, 'visitor', 'public'],
    ['GET', `/post/${open}`, 'member', 'nobody'],
    ['GET', `/post/${closed}`, 'visitor', 'public'],
    ['GET', `/post/${closed}`, 'member', 'nobody'],
    ['GET', '/post/nothing', 'visitor', 'public'],
    ['GET', '/no/such/page', 'visitor', 'public'],
    ['GET', '/%ff', 'visitor', 'public'],
    ['GET', '/login?next=//evil.example', 'visitor', 'public'],
    ['GET', '/account', 'member', 'nobody'],
    ['GET', '/admin', 'member', 'nobody'],
    ['GET', '/reset-password?token=x', 'visitor', 'nobody'],
    ['GET', '/confirm?token=x', 'visitor', 'nobody'],
    ['GET', '/setup?token=x', 'visitor', 'nobody'],
    ['GET', '/unsubscribe?token=x', 'member', 'nobody'],
    ['POST', '/unsubscribe?token=x', 'visitor', 'nobody'],
    ['POST', '/', 'visitor', 'nobody'],
    ['POST', '/login', 'visitor', 'nobody'],
    ['POST', '/signup', 'visitor', 'nobody'],
    [
      'POST',
      '/login',
      'visitor',
      'nobody',
      { headers: { 'sec-fetch-site': 'same-origin', 'content-length': '11' }, body: 'email=a&x=y' },
    ],
    ['PUT', '/post/x', 'member', 'nobody'],
    ['POST', '/api/getPosts', 'visitor', 'nobody', call()],
    ['POST', '/api/getPosts', 'member', 'nobody', call()],
    ['POST', '/api/getPosts', 'visitor', 'nobody', call('{"page":0}')],
    ['POST', '/api/getPosts', 'visitor', 'nobody', { headers: { ...json, origin: 'https://evil.example' } }],
    ['POST', '/api/getPosts', 'visitor', 'nobody', { headers: { ...json, accept: 'text/event-stream' } }],
    ['POST', '/api/getAccount', 'visitor', 'nobody', call()],
    ['POST', '/api/nothing', 'visitor', 'nobody', call()],
    ['POST', '/p/r/getPosts', 'visitor', 'nobody', call()],
    ['GET', '/api/getPosts', 'visitor', 'nobody'],
    ['GET', '/api/openapi.json', 'visitor', 'private'],
    ['GET', '/api/docs', 'visitor', 'private'],
    ['GET', '/api/docs.css', 'visitor', 'private'],
    ['GET', file, 'member', 'private'],
    ['HEAD', file, 'member', 'private'],
    ['GET', file, 'member', 'private', { headers: { range: 'bytes=0-1' } }],
    ['GET', file, 'member', 'private', { headers: { range: 'bytes=99-' } }],
    ['GET', file, 'member', 'private', { headers: { 'if-none-match': '*' } }],
    ['GET', file, 'visitor', 'nobody'],
    ['GET', '/files/nothing', 'visitor', 'nobody'],
    ['GET', `${object}?alt=media`, 'member', 'private'],
    ['GET', object, 'member', 'nobody'],
    ['GET', object, 'visitor', 'nobody'],
    ['GET', '/v0/b/coterie/o', 'visitor', 'nobody'],
    ['GET', '/v0/nothing', 'visitor', 'nobody'],
    ['DELETE', object, 'visitor', 'nobody'],
    ['POST', '/v0/b/coterie/o?name=x', 'visitor', 'nobody'],
    ['GET', `/live?post=${open}`, 'visitor', 'nobody'],
    ['GET', `/live?post=${closed}`, 'member', 'nobody'],
    ['GET', '/live?post=$', 'member', 'nobody'],
    ['GET', '/feed.xml', 'visitor', 'public'],
    ['GET', '/feed.xml', 'member', 'private'],
    ['GET', '/podcast.xml', 'visitor', 'nobody'],
    ['GET', '/feed', 'visitor', 'nobody'],
    ['GET', '/api/docs/', 'visitor', 'nobody'],
    ['GET', '/manifest.webmanifest', 'member', 'public'],
    ['GET', '/healthz', 'visitor', 'nobody'],
    ['GET', '/readyz', 'visitor', 'nobody'],
    ['POST', '/policy-reports', 'visitor', 'nobody', { body: '{"csp-report":{}}' }],
    ['POST', '/policy-reports', 'visitor', 'nobody', { body: 'nonsense' }],
    ['GET', '/favicon.svg', 'visitor', 'public'],
    ['GET', '/apple-touch-icon.png', 'visitor', 'public'],
    ['GET', '/assets/app-1.js', 'visitor', 'public'],
    ['GET', '/assets/none.js', 'visitor', 'nobody'],
    ['GET', '/assets/..%2f..%2fsecret', 'visitor', 'nobody'],
  ];
}

describeEngines(({ migrated, engine }) => {
  it.runIf(engine === 'sqlite').each(['https://blog.example', 'http://blog.example'])(
    '33. headers stand on every kind of answer at %s',
    async PUBLIC_URL => {
      const s = await openSite(await migrated(), { PUBLIC_URL });
      try {
        const clientDir = join(s.config.dataDir, 'client');
        await mkdir(join(clientDir, 'assets'), { recursive: true });
        await writeFile(join(clientDir, 'apple-touch-icon.png'), 'picture');
        await writeFile(join(clientDir, 'assets/app-1.js'), '1');
        await writeFile(join(s.config.dataDir, 'secret'), 'secret');
        const assetsOf = async () => ({
          head: '',
          placeholders: '',
          end: '',
          policy: "default-src 'none'; frame-ancestors 'none'",
        });
        const app = createApp(s.deps, { ...sourcePages, clientDir, assetsOf });
        const admin = await s.admin();
        const [open = '', closed = ''] = await publish(s, admin, essay(), essay({ tags: ['friends'] }));
        const file = await upload(s, admin, 'posts/a.bin', 'bytes');
        await carry(s, closed, file.id);
        const people: Record<string, Person> = { visitor: null, member: await s.member(['friends']) };
        const object = `/v0/b/coterie/o/${encodeURIComponent(file.name)}`;
        for (const [method, path, as, kept, init = {}] of rows(open, closed, file.url, object)) {
          const headers = new Headers(init.headers);
          const person = people[as] ?? null;
          if (person !== null) headers.set('cookie', person.cookie);
          const answer = await app.request(`${PUBLIC_URL}${path}`, { method, ...init, headers });
          const value = (name: string) => answer.headers.get(name);
          const where = `${as} ${method} ${path} ${answer.status}`;
          const cacheControl = value('cache-control') ?? '';
          // They are no documents: what says something of one would only make them longer.
          const isAsset = path.startsWith('/assets/');
          expect({
            where,
            policy: /default-src 'none'/.test(value('content-security-policy') ?? ''),
            // A file is sandboxed, and a page that frames it gets nothing by x-frame-options.
            frames: /frame-ancestors 'none'|^sandbox/.test(value('content-security-policy') ?? ''),
            scripts: /unsafe-(?:inline|eval)/.test(value('content-security-policy') ?? ''),
            sniff: value('x-content-type-options'),
            framed: value('x-frame-options'),
            opener: value('cross-origin-opener-policy'),
            resource: value('cross-origin-resource-policy'),
            referrer: value('referrer-policy'),
            features: /camera=\(\).*geolocation=\(\)/.test(value('permissions-policy') ?? ''),
            transport: value('strict-transport-security'),
            kept: /no-store/.test(cacheControl)
              ? 'nobody'
              : /^public/.test(cacheControl)
                ? 'public'
                : /^private, no-cache$/.test(cacheControl)
                  ? 'private'
                  : cacheControl,
            server: value('x-powered-by') ?? value('server'),
          }).toEqual({
            where,
            policy: true,
            frames: true,
            scripts: false,
            sniff: 'nosniff',
            framed: 'DENY',
            opener: 'same-origin',
            resource: 'same-origin',
            referrer: 'same-origin',
            features: true,
            transport: s.config.isSecure ? 'max-age=31536000' : null,
            kept,
            server: null,
            ...(isAsset && {
              ...{ policy: false, frames: false, features: false },
              ...{ framed: null, opener: null, referrer: null },
            }),
          });
          const isContent = [200, 206, 304].includes(answer.status) && kept !== 'nobody';
          const isSame = /^\/(?:api|apple-touch-icon|assets|favicon|manifest)/.test(path);
          if (isContent && !isSame) {
            expect([where, value('vary')]).toEqual([where, expect.stringMatching(/Cookie.*Authorization/)]);
          }
          await answer.body?.cancel();
        }
      } finally {
        await s.close();
      }
    },
  );

  it.runIf(engine === 'sqlite')('35. the site binds the session to this very host over https', async () => {
    const s = await openSite(await migrated(), { PUBLIC_URL: 'https://blog.example' });
    try {
      await s.call(null, 'signUp', account);
      const signIn = await s.request('/api/signIn', null, {
        method: 'POST',
        ...call(JSON.stringify({ email: account.email, password: account.password })),
      });
      const cookies = signIn.headers.getSetCookie();
      expect(cookies).toHaveLength(2);
      for (const [index, name] of ['session', 'browser'].entries()) {
        expect(cookies[index]).toMatch(new RegExp(`^__Host-coterie-${name}=[^;]+;.*Path=/;`));
        for (const attribute of [/; HttpOnly/i, /; Secure/i, /; SameSite=Lax/i])
          expect(cookies[index]).toMatch(attribute);
        expect(cookies[index]).not.toMatch(/domain=/i);
      }
      const value = cookies[0]?.split(';')[0]?.split('=')[1];
      // A sibling host can set a cookie without the prefix, and one of the same name but for the domain.
      const tossed = { id: '', username: '', cookie: `coterie-session=${value}` };
      expect((await s.call(tossed, 'getViewer', {})).user).toBeNull();
    } finally {
      await s.close();
    }
  });
});
