import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as limits from '../../contract/constants.ts';
import { AppError, errorCodeOf } from '../../contract/errors.ts';
import { call } from '../../web/app/call.ts';
import { withTimeout } from '../../web/app/with-timeout.ts';
import { listen } from '../support/listen.ts';

/** What the server answers next; it never does for null. */
let answer: { status: number; body: string } | null;
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (answer !== null) response.writeHead(answer.status).end(answer.body);
  });
  const base = `http://127.0.0.1:${await listen(server)}`;
  // A page has an address of its own, which Node has not.
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(new URL(path, base), init));
});
afterAll(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

async function outcome(status: number, body: unknown) {
  answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
  try {
    return await call('getViewer', {});
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.message];
    throw error;
  }
}

it('the contract has the constants of the specification (section 9)', () => {
  expect(limits).toMatchObject({
    callTimeoutMs: 70_000,
    scriptLoadTimeoutMs: 120_000,
    storageOperationRetryMs: 120_000,
    storageUploadRetryMs: 600_000,
    shortPostMaxCharacters: 300,
    scrolledThreshold: 64,
    scrollSaveDebounceMs: 100,
    scrollRestoreDelayMs: 100,
    likedPostExcerpt: 100,
    commentedPostExcerpt: 50,
    username: { min: 3, max: 20 },
    fullName: { min: 2, max: 25 },
    password: { min: 6, max: 20 },
  });
});

it('the client names failures by their HTTP status alone as the specification does (section 8)', async () => {
  const codes = {
    400: 'invalid-argument',
    401: 'unauthenticated',
    403: 'permission-denied',
    404: 'not-found',
    409: 'aborted',
    429: 'resource-exhausted',
    499: 'cancelled',
    500: 'internal',
    501: 'unimplemented',
    503: 'unavailable',
    504: 'deadline-exceeded',
    402: 'unknown',
    413: 'unknown',
    502: 'unknown',
  };
  for (const [status, code] of Object.entries(codes)) {
    expect([status, errorCodeOf(undefined, Number(status))]).toEqual([status, code]);
  }
});

it('the client treats an answer that is not from this site as a failure of what stands before it', async () => {
  const proxyLogin = 'failed-precondition';
  const codes = { 401: proxyLogin, 403: proxyLogin, 404: 'internal', 502: 'internal', 503: 'unavailable' };
  for (const [status, code] of Object.entries(codes)) {
    expect(await outcome(Number(status), '<h1>A proxy</h1>')).toEqual([code, expect.any(String)]);
    expect(await outcome(Number(status), {})).toEqual([code, expect.any(String)]);
  }
});

it('the client returns results, and reports errors in an answer', async () => {
  expect(await outcome(200, { result: { user: null } })).toEqual({ user: null });
  expect(await outcome(200, { data: 1, result: 2 })).toBe(1);
  expect(await outcome(200, { data: null })).toBeNull();
  expect(await outcome(200, 'Gateway')).toEqual([
    'internal',
    'The site is not available right now. Please try again in a moment.',
  ]);
  expect(await outcome(200, 'null')).toEqual([
    'internal',
    'The site is not available right now. Please try again in a moment.',
  ]);
  expect(await outcome(200, {})).toEqual([
    'internal',
    'The site is not available right now. Please try again in a moment.',
  ]);
  const refused = { error: { status: 'NOT_FOUND', message: 'Post not found' } };
  expect(await outcome(200, refused)).toEqual(['not-found', 'Post not found']);
  expect(await outcome(500, refused)).toEqual(['not-found', 'Post not found']);
});

it('the client waits 70 seconds for an answer, and then reports that the server did not answer', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
  answer = null;
  await expect(call('getViewer', {})).rejects.toMatchObject({ code: 'deadline-exceeded' });
  expect(asked).toHaveBeenCalledExactlyOnceWith(70_000);
  asked.mockRestore();
  const { port } = server.address() as AddressInfo;
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  await expect(call('getViewer', {})).rejects.toMatchObject({ code: 'unavailable' });
  server.listen(port, '127.0.0.1');
});

it('the app gives up loading a script after its time, and leaves no timer running', async () => {
  vi.useFakeTimers();
  try {
    const late = withTimeout(new Promise(() => {}), limits.scriptLoadTimeoutMs, 'late');
    const refused = expect(late).rejects.toThrow('late');
    await vi.advanceTimersByTimeAsync(120_000);
    await refused;
    // Other files run in this process, and a clock of theirs may have been set meanwhile.
    const others = vi.getTimerCount();
    expect(await withTimeout(Promise.resolve(1), 1_000, 'late')).toBe(1);
    expect(vi.getTimerCount()).toBe(others);
  } finally {
    vi.useRealTimers();
  }
});
