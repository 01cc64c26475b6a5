import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SDK_VERSION } from 'firebase/app';
import { callFrom, expect, signIn, test } from './site.ts';

/** The modules of the SDK as Google serves them to browsers, from the unmodified package. */
const sdk = join(import.meta.dirname, '../../node_modules/firebase');
/** They import one another by an address with the version: by another, there would be two of each. */
const version = SDK_VERSION;
let elsewhere: Server;
let origin: string;

test.beforeAll(async () => {
  elsewhere = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => elsewhere.once('listening', resolve));
  origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  process.env.CORS_ORIGINS = origin;
});
test.afterAll(() => {
  delete process.env.CORS_ORIGINS;
  elsewhere.close();
});
test.use({ allowedErrors: [/status of 40[134]/] });

test('the unmodified SDK of Firebase works from a page of another origin', async ({ page, site }) => {
  await site.createAdmin();
  await page.goto('/login');
  await signIn(page, 'mina');
  const { token } = await callFrom(page, 'createAccessToken', { name: 'elsewhere' });
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
  const told = await page.evaluate(
    async ({ token, port, url, version }) => {
      const from = async (name: string) =>
        await import(`https://www.gstatic.com/firebasejs/${version}/firebase-${name}.js`);
      const [appSdk, storageSdk, functionsSdk] = await Promise.all([
        from('app'),
        from('storage'),
        from('functions'),
      ]);
      const app = appSdk.initializeApp({ projectId: 'blog', storageBucket: 'coterie' });
      const storage = storageSdk.getStorage(app);
      storageSdk.connectStorageEmulator(storage, 'localhost', port, { mockUserToken: token });
      const functions = functionsSdk.getFunctions(app, `${url}/api`);
      const codeOf = async (promise: Promise<unknown>) =>
        await promise.then(
          () => 'none',
          error => error.code,
        );
      const bytes = new Uint8Array(3_000_000).map((_, index) => index * 31);
      const file = storageSdk.ref(storage, 'posts/1_a b.bin');
      const { metadata } = await storageSdk.uploadBytesResumable(file, bytes);
      const back = new Uint8Array(await storageSdk.getBytes(file));
      const start = new Uint8Array(await storageSdk.getBytes(file, 10));
      const blob = await storageSdk.getBlob(file);
      const address = await storageSdk.getDownloadURL(file);
      const byAddress = await (await fetch(address)).arrayBuffer();
      const stream = await functionsSdk.httpsCallable(functions, 'nothing').stream();
      const streamed = codeOf(stream.data);
      return {
        size: metadata.size,
        isSame: back.every((byte, index) => byte === bytes[index]) && back.length === bytes.length,
        start: start.length,
        blob: blob.size,
        byAddress: byAddress.byteLength,
        viewer: (await functionsSdk.httpsCallable(functions, 'getViewer')()).data.user,
        refused: await codeOf(functionsSdk.httpsCallable(functions, 'createPost')({})),
        unknown: await codeOf(functionsSdk.httpsCallable(functions, 'nothing')()),
        streamed: await streamed,
        missing: await codeOf(storageSdk.getMetadata(storageSdk.ref(storage, 'missing'))),
        deleted: await codeOf(storageSdk.deleteObject(file)),
      };
    },
    { token, port: Number(new URL(site.url).port), url: site.url, version },
  );
  expect(told).toEqual({
    size: 3_000_000,
    isSame: true,
    start: 10,
    blob: 3_000_000,
    byAddress: 3_000_000,
    viewer: null,
    refused: 'functions/unauthenticated',
    unknown: 'functions/not-found',
    streamed: 'functions/not-found',
    missing: 'storage/object-not-found',
    deleted: 'none',
  });
});
