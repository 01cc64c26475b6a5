import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { SDK_VERSION } from 'firebase/app';
import { httpsCallable } from 'firebase/functions';
import { getBytes, ref, uploadBytesResumable } from 'firebase/storage';
import { breakingLine } from '../conformance/breaking-line.ts';
import { sdkFor } from '../conformance/sdk.ts';
import { freePort } from '../support/free-port.ts';
import { publishPost } from './content.ts';
import { test as base, callFrom, expect } from './fixtures.ts';
import type { RunningSite } from './site.ts';

/** The modules of the SDK as Google serves them to browsers, from the unmodified package. */
const sdk = join(import.meta.dirname, '../../node_modules/firebase');
const mebibyte = 1024 * 1024;
let elsewhere: Server;
let origin: string;
/** After how many bytes of a connection the line to the site breaks, one after another. */
const breakAfter: number[] = [];
let breaks: () => number;

const test = base.extend({
  settings: async ({ port }, use) => {
    const behind = await freePort();
    const line = await breakingLine(port, behind, breakAfter);
    ({ breaks } = line);
    await use({
      PORT: String(behind),
      PUBLIC_URL: `http://localhost:${port}`,
      CORS_ORIGINS: origin,
      FILE_MAX_MIB: '48',
      FILES_QUOTA_MIB: '100',
    });
    line.close();
  },
});
test.beforeAll(async () => {
  elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => elsewhere.once('listening', resolve));
  origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  elsewhere.close();
});
test.use({ allowedErrors: [/status of 4\d\d|ERR_(CONNECTION_RESET|EMPTY_RESPONSE|CONNECTION_CLOSED)/] });

test('the unmodified SDK of Firebase works in Node and from a page of another origin', async ({
  admin: page,
  site,
  people,
}) => {
  await page.goto('/login');
  const { token } = await callFrom(page, 'createAccessToken', {
    name: 'elsewhere',
    scopes: ['read', 'write', 'files'],
  });
  const postId = await publishPost(page);
  const member = await people.member('lucy_w');
  const { token: memberToken } = await callFrom(member, 'createAccessToken', {
    name: 'elsewhere',
    scopes: ['read', 'members'],
  });
  await page.route('https://www.gstatic.com/**', async route => {
    const file = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    const body = await readFile(join(sdk, file), 'utf8');
    await route.fulfill({
      body,
      contentType: 'text/javascript',
      headers: { 'access-control-allow-origin': '*' },
    });
  });
  await page.goto(origin);
  breakAfter.push(...Array.from({ length: 3 }, () => Math.floor((0.1 + Math.random() * 7) * mebibyte)));
  const [inNode, inBrowser] = await Promise.all([
    keepsBytesInNode(site, token),
    keepsBytesInBrowser(page, site, token),
  ]);
  expect([inNode, inBrowser, breaks()]).toEqual(['same', 'same', 3]);
  expect(await answersInBrowser(page, site, { token, memberToken, postId })).toEqual({
    start: 10,
    blob: 3_000,
    byAddress: 3_000,
    shown: 'loaded',
    anonymous: null,
    viewer: 'mina',
    streamed: 'mina',
    refusals: {
      page0: 'functions/invalid-argument',
      anonymous: 'functions/unauthenticated',
      member: 'functions/permission-denied',
      unknown: 'functions/not-found',
      version: 'functions/aborted',
      draft: 'functions/failed-precondition',
      often: 'functions/resource-exhausted',
      streamed: 'functions/not-found',
      missing: 'storage/object-not-found',
      visitorUploads: 'storage/unauthenticated',
      memberUploads: 'storage/unauthorized',
      memberLists: 'storage/unauthorized',
      tooLarge: 'storage/unknown',
      noRoom: 'storage/quota-exceeded',
      deleted: 'none',
    },
  });
});

async function keepsBytesInNode(site: RunningSite, token: string): Promise<'same' | 'different'> {
  const { storage, functions } = sdkFor(Number(new URL(site.url).port), token);
  const bytes = randomBytes(40 * mebibyte);
  const file = ref(storage, 'posts/1_node.bin');
  await uploadBytesResumable(file, bytes);
  const back = new Uint8Array(await getBytes(file, 64 * mebibyte));
  expect((await httpsCallable(functions, 'getViewer')()).data).toMatchObject({ user: { username: 'mina' } });
  const digest = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
  return digest(back) === digest(bytes) ? 'same' : 'different';
}

async function keepsBytesInBrowser(page: Page, site: RunningSite, token: string): Promise<string> {
  return await page.evaluate(
    async ({ port, token, version, size }) => {
      const from = async (name: string) =>
        await import(`https://www.gstatic.com/firebasejs/${version}/firebase-${name}.js`);
      const [{ initializeApp }, storageSdk] = await Promise.all([from('app'), from('storage')]);
      const app = initializeApp({ projectId: 'blog', storageBucket: 'coterie' }, 'bytes');
      const storage = storageSdk.getStorage(app);
      storageSdk.connectStorageEmulator(storage, 'localhost', port, { mockUserToken: token });
      const bytes = new Uint8Array(size);
      const seed = Math.floor(Math.random() * 2 ** 31);
      const words = new Uint32Array(bytes.buffer);
      for (let index = 0; index < words.length; index += 1) words[index] = Math.imul(index, seed | 1);
      const file = storageSdk.ref(storage, 'posts/1_a b.bin');
      await storageSdk.uploadBytesResumable(file, bytes);
      const back = new Uint32Array(await storageSdk.getBytes(file));
      const isSame = back.length === words.length && back.every((word, index) => word === words[index]);
      return isSame ? 'same' : 'different';
    },
    { port: Number(new URL(site.url).port), token, version: SDK_VERSION, size: 40 * mebibyte },
  );
}

/** What the SDK makes of answers and refusals in a browser, where CORS stands between. */
async function answersInBrowser(
  page: Page,
  site: RunningSite,
  tokens: { token: string; memberToken: string; postId: string },
) {
  return await page.evaluate(
    async ({ token, memberToken, postId, port, url, version }) => {
      const from = async (name: string) =>
        await import(`https://www.gstatic.com/firebasejs/${version}/firebase-${name}.js`);
      const [appSdk, storageSdk, functionsSdk] = await Promise.all([
        from('app'),
        from('storage'),
        from('functions'),
      ]);
      const as = (name: string, accessToken?: string) => {
        const app = appSdk.initializeApp({ projectId: 'blog', storageBucket: 'coterie' }, name);
        const storage = storageSdk.getStorage(app);
        const mockUserToken = accessToken === undefined ? {} : { mockUserToken: accessToken };
        storageSdk.connectStorageEmulator(storage, 'localhost', port, mockUserToken);
        if (accessToken !== undefined) {
          // What `firebase/auth` registers: the one way by which functions learn of a token.
          appSdk._addComponent(app, {
            name: 'auth-internal',
            instanceFactory: () => ({
              getToken: async () => ({ accessToken }),
              addAuthTokenListener: () => {},
            }),
            type: 'PRIVATE',
            multipleInstances: false,
            serviceProps: {},
            instantiationMode: 'LAZY',
            onInstanceCreated: null,
          });
        }
        const functions = functionsSdk.getFunctions(app, `${url}/api`);
        const call = async (operation: string, data?: unknown) =>
          (await functionsSdk.httpsCallable(functions, operation)(data)).data;
        const stream = async (operation: string) =>
          await (await functionsSdk.httpsCallable(functions, operation).stream()).data;
        return { file: (path: string) => storageSdk.ref(storage, path), call, stream };
      };
      const [admin, member, visitor] = [as('admin', token), as('member', memberToken), as('visitor')];
      const codeOf = async (promise: Promise<unknown>) =>
        await promise.then(
          () => 'none',
          error => error.code,
        );
      const file = admin.file('posts/2_a b.bin');
      const bytes = new Uint8Array(3_000).map((_, index) => index * 31);
      await storageSdk.uploadBytes(file, bytes);
      const dot = Uint8Array.from(
        atob(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
        ),
        character => character.charCodeAt(0),
      );
      const picture = admin.file('posts/3_dot.png');
      await storageSdk.uploadBytes(picture, dot);
      const image = new Image();
      const shown = new Promise(resolve => {
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('refused');
      });
      image.src = await storageSdk.getDownloadURL(picture);
      const short = { postId, type: 'short', content: 'A short post.', tags: [] };
      // At once: the limit is that of a minute.
      const often = () => Promise.all(Array.from({ length: 61 }, () => member.call('exportAccount')));
      const tooLarge = new Blob([new Uint8Array(49 * 1024 * 1024)]);
      const noRoom = new Blob([new Uint8Array(40 * 1024 * 1024)]);
      const small = new Uint8Array(10);
      return {
        start: (await storageSdk.getBytes(file, 10)).byteLength,
        blob: (await storageSdk.getBlob(file)).size,
        byAddress: (await (await fetch(await storageSdk.getDownloadURL(file))).arrayBuffer()).byteLength,
        shown: await shown,
        anonymous: (await visitor.call('getViewer')).user,
        viewer: (await admin.call('getViewer')).user.username,
        streamed: (await admin.stream('getViewer')).user.username,
        refusals: {
          page0: await codeOf(visitor.call('getPosts', { page: 0 })),
          anonymous: await codeOf(visitor.call('createPost', {})),
          member: await codeOf(member.call('getUsers', {})),
          unknown: await codeOf(visitor.call('nothing')),
          version: await codeOf(admin.call('updatePost', { ...short, isDraft: false, version: 9 })),
          draft: await codeOf(admin.call('updatePost', { ...short, isDraft: true })),
          often: await codeOf(often()),
          streamed: await codeOf(visitor.stream('nothing')),
          missing: await codeOf(storageSdk.getMetadata(admin.file('missing'))),
          visitorUploads: await codeOf(storageSdk.uploadBytes(visitor.file('posts/x'), small)),
          memberUploads: await codeOf(storageSdk.uploadBytes(member.file('posts/x'), small)),
          memberLists: await codeOf(storageSdk.listAll(member.file(''))),
          tooLarge: await codeOf(storageSdk.uploadBytesResumable(admin.file('posts/x'), tooLarge)),
          noRoom: await codeOf(storageSdk.uploadBytesResumable(admin.file('posts/x'), noRoom)),
          deleted: await codeOf(storageSdk.deleteObject(file)),
        },
      };
    },
    { ...tokens, port: Number(new URL(site.url).port), url: site.url, version: SDK_VERSION },
  );
}
