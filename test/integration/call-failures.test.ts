import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { call } from '../../web/app/call.ts';
import { listen } from '../support/listen.ts';

let server: Server | undefined;
afterEach(async () => {
  vi.unstubAllGlobals();
  server?.close();
  if (server !== undefined) await once(server, 'close');
  server = undefined;
});

/** What a call throws where something at its address answers so. */
async function failureAt(status: number, body: string, headers: Record<string, string> = {}) {
  server?.close();
  server = createServer((_request, response) =>
    response.writeHead(status, { ...headers, connection: 'close' }).end(body),
  );
  const port = await listen(server);
  const { fetch } = globalThis;
  // A browser resolves the path by the page.
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init));
  const failure: unknown = await call('getViewer', {}).catch((error: unknown) => error);
  vi.unstubAllGlobals();
  if (!(failure instanceof AppError)) throw new Error('The call has not failed.');
  const { cause } = failure;
  return {
    code: failure.code,
    text: failure.message,
    cause: cause instanceof Error ? cause.message : undefined,
  };
}

const loadAgain = 'You are no longer logged in to what protects this site. Please load this page again.';

it('an ended log-in of a proxy before the site is said, whether it redirects or refuses', async () => {
  const led = await failureAt(302, '', { location: 'https://login.example/' });
  expect(led).toMatchObject({ code: 'failed-precondition', text: loadAgain });
  expect(await failureAt(401, '<h1>Sign in</h1>')).toMatchObject({ text: loadAgain });
});

it('the limit of a proxy is told with the name of its setting', async () => {
  expect((await failureAt(413, '<h1>413</h1>')).text).toContain('client_max_body_size');
});

it('programs and logs find the two errors of the specification behind ours', async () => {
  expect((await failureAt(200, '<h1>Welcome</h1>')).cause).toBe('Response is not valid JSON object.');
  expect((await failureAt(200, '"text"')).cause).toBe('Response is not valid JSON object.');
  expect((await failureAt(200, '{}')).cause).toBe('Response is missing data field.');
});
