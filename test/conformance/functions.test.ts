import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  connectFunctionsEmulator,
  type Functions,
  type FunctionsError,
  httpsCallable,
} from 'firebase/functions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { shortPost } from '../support/factories.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import { scratchFolder } from '../support/scratch.ts';
import type { Person } from '../support/site.ts';
import { sdkCode, sdkFor } from './sdk.ts';
import { type Served, serveSite } from './server.ts';

const origin = 'https://app.example';
let served: Served;
let dataDir: string;
let admin: NonNullable<Person>;
let token: string;
let postId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(scratchFolder(), 'coterie-test-'));
  served = await serveSite({ dataDir, databaseUrl: undefined }, { CORS_ORIGINS: origin });
  admin = await served.site.admin();
  ({ token } = await served.site.makeToken(admin, 'sdk'));
  ({
    post: { id: postId },
  } = await served.site.call(admin, 'createPost', shortPost('A secret word.', ['friends'])));
});
afterAll(async () => {
  await served.close();
  await rm(dataDir, { recursive: true, force: true });
});

const call = (functions: Functions, name: string, data: unknown = null) =>
  httpsCallable(functions, name)(data);
const stream = async (functions: Functions, name: string, data: unknown = null) => {
  const { stream: chunks, data: result } = await httpsCallable(functions, name).stream(data);
  // Awaited from the start: both are refused, and the one that nobody waits for would count as lost.
  const settled = result.then(
    value => ({ value }),
    (error: FunctionsError) => ({ code: error.code }),
  );
  try {
    for await (const _ of chunks);
  } catch {
    // What is wrong is told by the result, too.
  }
  return await settled;
};

it('a callable function answers as its token may be answered', async () => {
  const { functions } = sdkFor(served.port, token);
  const anonymous = sdkFor(served.port).functions;
  expect((await call(functions, 'getPost', { postId })).data).toMatchObject({
    post: { content: 'A secret word.' },
  });
  expect((await call(functions, 'getViewer')).data).toMatchObject({ user: { id: admin.id } });
  expect((await call(anonymous, 'getViewer')).data).toMatchObject({ user: null });
  expect(await sdkCode(call(anonymous, 'getPost', { postId }))).toBe('functions/permission-denied');
});

it('a callable function is reached by a double slash and by the paths of an emulator', async () => {
  const doubled = sdkFor(served.port, token, `http://127.0.0.1:${served.port}/api/`).functions;
  expect((await call(doubled, 'getViewer')).data).toMatchObject({ user: { id: admin.id } });
  const { functions } = sdkFor(served.port, token);
  connectFunctionsEmulator(functions, '127.0.0.1', served.port);
  expect((await call(functions, 'getViewer')).data).toMatchObject({ user: { id: admin.id } });
  expect(await stream(functions, 'getViewer')).toMatchObject({ value: { user: { id: admin.id } } });
});

it('72. a callable function refuses in the words of the SDK, called and streamed alike', async () => {
  const { functions } = sdkFor(served.port, token);
  const anonymous = sdkFor(served.port).functions;
  const stranger = sdkFor(served.port, 'coterie_nothing').functions;
  const cases = {
    'invalid-argument': [functions, 'getPosts', { page: 0 }],
    unauthenticated: [stranger, 'getViewer', null],
    'permission-denied': [anonymous, 'getPost', { postId }],
    'not-found': [functions, 'getPost', { postId: 'nothing' }],
  } as const;
  for (const [code, [as, name, data]] of Object.entries(cases)) {
    expect(await sdkCode(call(as, name, data))).toBe(`functions/${code}`);
    expect(await stream(as, name, data)).toEqual({ code: `functions/${code}` });
  }
  for (const name of ['nothing', 'constructor', 'toString', 'a/b/c', 'getViewer/x']) {
    expect([name, await sdkCode(call(functions, name))]).toEqual([name, 'functions/not-found']);
    expect([name, await stream(functions, name)]).toEqual([name, { code: 'functions/not-found' }]);
  }
  const tooLarge = { page: 1, filtTags: ['x'.repeat(5_000_000)] };
  expect(await stream(functions, 'getPosts', tooLarge)).toEqual({ code: 'functions/invalid-argument' });
  expect(await stream(functions, 'getViewer')).toMatchObject({ value: { user: { id: admin.id } } });
});

it('a callable function takes long numbers, and no other types', async () => {
  const { functions } = sdkFor(served.port, token);
  const long = (type: string) => ({
    page: { '@type': `type.googleapis.com/google.protobuf.${type}`, value: '1' },
  });
  expect((await call(functions, 'getPosts', long('Int64Value'))).data).toMatchObject({
    hasNextPage: false,
  });
  expect(await sdkCode(call(functions, 'getPosts', long('Any')))).toBe('functions/invalid-argument');
  let deep: unknown = 1;
  for (let level = 0; level < 500; level += 1) deep = [deep];
  expect(await sdkCode(call(functions, 'getPosts', { currentUser: deep }))).toBe(
    'functions/invalid-argument',
  );
});

it('a token ends with its revocation, and with the rights of its owner', async () => {
  const { site, port } = served;
  const member = await site.member(['friends']);
  const { token: key, accessToken } = await site.makeToken(member, 'script');
  const { functions } = sdkFor(port, key);
  expect((await call(functions, 'getPost', { postId })).data).toMatchObject({ post: { id: postId } });
  // It is nowhere to be read again, and makes itself no successor.
  const rows = JSON.stringify(await site.deps.db.selectFrom('access_tokens').selectAll().execute());
  expect(rows).not.toContain(key.slice('coterie_'.length));
  expect(JSON.stringify(await site.call(member, 'listAccessTokens', {}))).not.toContain(key);
  expect(await sdkCode(call(functions, 'createAccessToken', { name: 'x' }))).toBe(
    'functions/permission-denied',
  );
  // Nobody else's to revoke.
  await site.call(admin, 'revokeAccessToken', { tokenId: accessToken.id });
  expect((await call(functions, 'getViewer')).data).toMatchObject({ user: { id: member.id } });
  await denyUser(site.deps, member.id);
  expect(await sdkCode(call(functions, 'getPost', { postId }))).toMatch(/permission-denied|unauthenticated/);
  const other = await site.member(['friends']);
  const second = await site.makeToken(other, 'script');
  const late = sdkFor(port, second.token).functions;
  expect((await call(late, 'getPost', { postId })).data).toMatchObject({ post: { id: postId } });
  await site.call(other, 'revokeAccessToken', { tokenId: second.accessToken.id });
  expect(await sdkCode(call(late, 'getPost', { postId }))).toBe('functions/unauthenticated');
});

it('34. a callable function lets configured origins read, errors included, and no others', async () => {
  const { site } = served;
  const ask = async (
    from: string,
    path: string,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ) =>
    await site.request(path, null, {
      method: 'POST',
      body: '{"data":null}',
      ...init,
      headers: {
        'content-type': 'application/json',
        origin: from,
        'sec-fetch-site': 'cross-site',
        ...headers,
      },
    });
  for (const path of ['/api/getViewer', '/api/nothing', '/v0/b/coterie/o?name=x', '/v0/nothing']) {
    expect([path, (await ask(origin, path)).headers.get('access-control-allow-origin')]).toEqual([
      path,
      origin,
    ]);
    expect((await ask(origin, path)).headers.get('vary')).toMatch(/origin/i);
    const foreign = await ask('https://evil.example', path);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  }
  const withCookie = await ask(origin, '/api/getViewer', { cookie: admin.cookie });
  expect((await withCookie.json()).result.user).toBeNull();
  // Over plain http a browser sends the origin alone.
  const plain = await site.request('/api/getViewer', admin, {
    method: 'POST',
    body: '{"data":null}',
    headers: { 'content-type': 'application/json', origin },
  });
  expect((await plain.json()).result.user).toBeNull();
  const upload = { ...multipart('x'), headers: { ...multipart('x').headers, origin } };
  expect((await site.request(bucketPath('x'), admin, upload)).status).toBe(401);
  // By the paths of an emulator, too; and what is refused before it is looked at can be read.
  const emulated = await ask(origin, '/blog/us-central1/getViewer', { cookie: admin.cookie });
  expect([emulated.headers.get('access-control-allow-origin'), (await emulated.json()).result.user]).toEqual([
    origin,
    null,
  ]);
  site.deps.limits = new Limits(0.001);
  const limited = { ...upload, peer: '192.0.2.1' };
  await site.request(bucketPath('x'), null, limited);
  const refused = await site.request(bucketPath('x'), null, limited);
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([402, origin]);
  site.deps.limits = new Limits(100);
  const withToken = await ask(origin, '/api/getViewer', { authorization: `Bearer ${token}` });
  expect((await withToken.json()).result.user.id).toBe(admin.id);
  expect((await ask('https://evil.example', '/api/getViewer', { cookie: admin.cookie })).status).toBe(403);
  const preflight = await ask(
    origin,
    '/v0/b/coterie/o',
    { 'access-control-request-method': 'POST' },
    { method: 'OPTIONS', body: null },
  );
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-goog-upload-protocol');
  expect(
    (await ask(origin, '/v0/b/coterie/o?name=x')).headers.get('access-control-expose-headers'),
  ).toContain('x-goog-upload-url');
});

it('the API describes itself', async () => {
  const document = await (await served.site.request('/api/openapi.json')).json();
  expect(document.openapi).toBe('3.1.0');
  expect(document.paths['/getPost'].post.requestBody.content['application/json'].schema).toMatchObject({
    required: ['data'],
    properties: { data: { required: ['postId'], properties: { postId: { type: 'string' } } } },
  });
  const page = await served.site.request('/api/docs');
  const html = await page.text();
  expect([page.status, html.includes('getPost'), /<script|style=/.test(html)]).toEqual([200, true, false]);
});
