import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { readConfig } from '../../server/config.ts';
import { unguarded } from '../../server/db/transaction.ts';
import { limitConnections, serverOptions, UnreadAnswers } from '../../server/http/connections.ts';
import { openDeps } from '../../server/open-deps.ts';
import { startServer } from '../../server/start.ts';
import { account } from '../support/factories.ts';
import { listen } from '../support/listen.ts';
import { callOf, sourcePages } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise(resolve => (server === undefined ? resolve(null) : server.close(resolve)));
});

async function listenWith(settings: Record<string, string>, options = {}) {
  server = createServer({ ...serverOptions, ...options }, (_request, response) => response.end('ok'));
  limitConnections(server, readConfig(settings));
  return await listen(server);
}

async function send(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(request);
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk));
  await new Promise(resolve => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

it('68. the server refuses headers that are too slow', async () => {
  const port = await listenWith(
    {},
    { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
  );
  expect(await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toMatch(/^HTTP\/1.1 408/);
});

it('68. the server refuses headers that are too large, and two lengths in one request', async () => {
  const port = await listenWith({});
  const [huge, double] = await Promise.all([
    send(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'x'.repeat(40_000)}\r\n\r\n`),
    send(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
  ]);
  expect(huge).toMatch(/^HTTP\/1.1 431/);
  expect(double).toMatch(/^HTTP\/1.1 400/);
});

it('68. the server accepts no more connections than configured', async () => {
  const port = await listenWith({ MAX_CONNECTIONS: '2' });
  const idle = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(idle.map(socket => once(socket, 'connect')));
  expect(await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe('');
  for (const socket of idle) socket.destroy();
});

it('68. the server closes a connection with too many unanswered requests', async () => {
  const site = await startSite();
  try {
    const pipelined = async (requests: number) => {
      const head = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n';
      const sent = `${head}\r\n`.repeat(requests - 1) + `${head}Connection: close\r\n\r\n`;
      return (await send(site.port, sent)).match(/HTTP\/1.1 200/g)?.length ?? 0;
    };
    expect(await pipelined(16)).toBe(16);
    expect(await pipelined(1_000)).toBeLessThan(17);
  } finally {
    await site.remove();
  }
});

it('68. the server closes a connection whose client does not read, and none whose answer takes long', async () => {
  const unread = new UnreadAnswers();
  const cut = Promise.withResolvers<void>();
  server = createServer(
    serverOptions,
    unread.bounded(async ({ url }, response) => {
      if (url === '/unread') response.once('close', cut.resolve).end(Buffer.alloc(64 * 1024 * 1024));
      else response.end(await cut.promise.then(() => 'made'));
    }),
  );
  unread.cut(server, 100);
  const port = await listen(server);
  const long = send(port, 'GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.pause().write('GET /unread HTTP/1.1\r\nHost: x\r\n\r\n');
  await cut.promise;
  expect(await long).toContain('made');
  socket.destroy();
});

/** The whole server on a folder of its own, as it is started, and an account on it that is an admin. */
async function startSite() {
  const dataDir = await newFolder();
  const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' });
  const { server: started, stop } = await startServer(config, sourcePages);
  const { port } = started.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/api/signUp`, callOf(account));
  const { result } = (await response.json()) as { result: { user: { id: string } } };
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { close, ...deps } = await openDeps(config, { log: pino({ level: 'silent' }) });
  await makeAdmin({ ...deps, ...unguarded }, result.user.id);
  return {
    port,
    cookie,
    stop,
    deps,
    remove: async () => {
      await stop();
      await close();
    },
  };
}

it('73. the server finishes running requests when it is told to stop, begins nothing new, and loses nothing', async () => {
  const site = await startSite();
  try {
    const body = JSON.stringify({
      data: { type: 'short', content: 'Written while it stopped.', isDraft: false },
    });
    const socket = connect(site.port, '127.0.0.1');
    const answer: Buffer[] = [];
    socket.on('data', chunk => answer.push(chunk));
    const closed = once(socket, 'close');
    socket.write(
      `POST /api/createPost HTTP/1.1\r\nHost: localhost:${site.port}\r\nCookie: ${site.cookie}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
    );
    // An answer on another connection: by now the server has the first part as well.
    await fetch(`http://127.0.0.1:${site.port}/healthz`);
    const stopped = site.stop();
    await expect(fetch(`http://127.0.0.1:${site.port}/healthz`)).rejects.toThrow();
    socket.write(body.slice(20));
    await Promise.all([stopped, closed]);
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1.1 200 /);
    const kept = await site.deps.db.selectFrom('posts').select('content').execute();
    expect(kept).toEqual([{ content: 'Written while it stopped.' }]);
  } finally {
    await site.remove();
  }
});

/**
 * Sends a whole request before it reads any of the answer, as nginx does. Returns the answer; empty where it
 * was lost.
 */
async function sendWhole(port: number, head: string, body: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  const closed = new Promise(resolve => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write(head);
  await new Promise(resolve => socket.write(body, resolve));
  const chunks: Buffer[] = [];
  socket.on('data', chunk => chunks.push(chunk)).resume();
  await closed;
  return Buffer.concat(chunks).toString();
}

it('68. the server answers a request whose body is too large or is not read to who sends all of it first', async () => {
  const site = await startSite();
  try {
    const body = Buffer.alloc(9 * 1024 * 1024, ' ');
    const requests: [path: string, type: string, status: number, text: string][] = [
      ['/api/getPosts', 'application/json', 400, 'This request is too large.'],
      ['/api/createPost', 'application/json', 401, 'UNAUTHENTICATED'],
      ['/api/unheardOf', 'application/json', 404, 'Unknown operation.'],
      ['/v0/b/coterie/o?name=posts%2Fa.bin', 'application/octet-stream', 401, 'error'],
      ['/login', 'text/plain', 403, ''],
    ];
    for (const [path, type, status, text] of requests) {
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const answer = await sendWhole(site.port, head, body);
      expect([path, answer.slice(9, 12)]).toEqual([path, String(status)]);
      expect(answer).toContain(text);
      // Who reads at once does not wait for what they do not send.
      const partial = connect(site.port, '127.0.0.1');
      partial.write(head + body.toString('latin1', 0, 400_000));
      const [first] = await once(partial, 'data');
      expect(String(first).slice(9, 12)).toBe(String(status));
      partial.destroy();
    }
  } finally {
    await site.remove();
  }
});

it('68. the server refuses a body that arrives in single bytes', async () => {
  const site = await startSite();
  try {
    const bytes = (text: string) => Buffer.from([...text].map(byte => `1\r\n${byte}\r\n`).join(''));
    const head = (path: string, type: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${site.cookie}\r\n` +
      `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n`;
    const call = head('/api/getPosts', 'application/json');
    const upload = `${head('/v0/b/coterie/o?name=posts%2Fa.txt', 'multipart/related; boundary=b')}X-Goog-Upload-Protocol: multipart\r\n`;
    for (const [start, text] of [
      [call, ' '.repeat(100_000)],
      [upload, `--b\r\ncontent-type: application/json\r\n\r\n${' '.repeat(60_000)}`],
    ] as const) {
      const answer = await send(site.port, `${start}\r\n${bytes(text)}0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('This request arrives in too many pieces.');
    }
    const short = `{"data":{}}${' '.repeat(900)}`;
    expect(await send(site.port, `${call}\r\n${bytes(short)}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 200 /);
  } finally {
    await site.remove();
  }
});

it('68. large bodies under way hold a bounded part of the memory, and small ones are read meanwhile', async () => {
  const site = await startSite();
  try {
    const whole = 8_000_000;
    const head = `POST /api/createPost HTTP/1.1\r\nHost: localhost\r\nCookie: ${site.cookie}\r\nContent-Type: application/json\r\nContent-Length: ${whole}\r\n\r\n`;
    const answers: string[] = [];
    const sockets = Array.from({ length: 12 }, () => connect(site.port, '127.0.0.1'));
    const refused = Promise.withResolvers<void>();
    for (const socket of sockets) {
      socket
        .on('error', () => {})
        .on('data', chunk => {
          answers.push(String(chunk));
          if (answers.length === 3) refused.resolve();
        });
      socket.write(head);
      socket.write(Buffer.alloc(whole - 1, ' '));
    }
    await refused.promise;
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 429 /);
    const small = () => fetch(`http://127.0.0.1:${site.port}/api/getPosts`, callOf({}));
    expect((await small()).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map(socket => socket.closed || once(socket, 'close')));
    const large = { data: { type: 'short', content: 'x'.repeat(7_000_000), isDraft: true } };
    const save = async () =>
      await fetch(`http://127.0.0.1:${site.port}/api/createPost`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie: site.cookie },
        body: JSON.stringify(large),
      });
    // Read whole, and refused for its text.
    await expect.poll(async () => (await save()).status).toBe(400);
  } finally {
    await site.remove();
  }
});

it('68. the server answers requests that no browser sends without an error, and continues', async () => {
  const site = await startSite();
  try {
    const head = 'Host: localhost\r\nConnection: close\r\n';
    const json = `${head}Content-Type: application/json\r\n`;
    const call = '{"data":{}}';
    const requests: [request: string, status: number][] = [
      ['GET /login HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      ['GET /login HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
      ['GET /login HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n', 400],
      [`GET http://evil.example/login HTTP/1.1\r\n${head}\r\n`, 421],
      [`GET http://localhost/login HTTP/1.1\r\n${head}\r\n`, 200],
      [`GET //evil.example/ HTTP/1.1\r\n${head}\r\n`, 302],
      [`GET /\\evil.example/ HTTP/1.1\r\n${head}\r\n`, 400],
      [`OPTIONS * HTTP/1.1\r\n${head}\r\n`, 400],
      [`TRACE / HTTP/1.1\r\n${head}\r\n`, 404],
      [`GET /\0 HTTP/1.1\r\n${head}\r\n`, 400],
      [`GET /files/%00 HTTP/1.1\r\n${head}\r\n`, 404],
      [`GET /files/%ff HTTP/1.1\r\n${head}\r\n`, 404],
      [`GET /v0/b/%/o HTTP/1.1\r\n${head}\r\n`, 400],
      [`GET /tags/%ff HTTP/1.1\r\n${head}\r\n`, 302],
      [`GET /assets/${'a'.repeat(200)}.woff2 HTTP/1.1\r\n${head}\r\n`, 404],
      [`GET /${'a-/'.repeat(2_000)}. HTTP/1.1\r\n${head}\r\n`, 302],
      [`GET / HTTP/1.1\r\n${head}Cookie: coterie-session=%ff%; coterie-session="x\r\n\r\n`, 200],
      [`GET /healthz HTTP/1.1\r\nX-A : b\r\n${head}\r\n`, 400],
      [`GET /healthz HTTP/1.1\r\nX-A: b\r\n c\r\n${head}\r\n`, 400],
      ['GET /healthz HTTP/1.1\nHost: x\nConnection: close\n\n', 400],
      [`POST /api/getViewer HTTP/1.1\r\n${json}Content-Length: 11\r\nContent-Length: 12\r\n\r\n${call}`, 400],
      [`POST /api/getViewer HTTP/1.1\r\n${json}Transfer-Encoding: xchunked\r\n\r\n${call}`, 400],
      [
        `POST /api/getViewer HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nb;${'a'.repeat(40_000)}\r\n${call}\r\n0\r\n\r\n`,
        413,
      ],
      [
        `POST /api/getViewer HTTP/1.1\r\n${json}Content-Length: 11\r\n\r\n${call}GET /healthz HTTP/1.1\r\n\r\n`,
        400,
      ],
    ];
    for (const [request, status] of requests) {
      const answer = await send(site.port, request);
      expect([request.slice(0, 90), answer.slice(9, 12)]).toEqual([request.slice(0, 90), String(status)]);
      expect(answer).not.toMatch(/ at .*\.ts|node_modules/);
    }
    // A page that asks to become something else stays a page, on a connection that is over after it.
    const upgrade =
      'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';
    expect(await send(site.port, upgrade)).toMatch(/^HTTP\/1.1 200 /);
    expect((await fetch(`http://127.0.0.1:${site.port}/readyz`)).status).toBe(200);
  } finally {
    await site.remove();
  }
});
