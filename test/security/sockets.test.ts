import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { limitConnections, serverOptions } from '../../server/surfaces/limits.ts';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise(resolve => (server === undefined ? resolve(null) : server.close(resolve)));
});

async function listen(settings: Record<string, string>, options = {}) {
  server = createServer({ ...serverOptions, ...options }, (_request, response) => response.end('ok'));
  limitConnections(server, readConfig(settings));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
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

it('68. cuts off headers that trickle, that are huge, and two lengths in one request', async () => {
  const port = await listen(
    {},
    { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 },
  );
  const [slow, huge, double] = await Promise.all([
    send(port, 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    send(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Huge: ${'x'.repeat(40_000)}\r\n\r\n`),
    send(
      port,
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
  ]);
  expect(slow).toMatch(/^HTTP\/1.1 408/);
  expect(huge).toMatch(/^HTTP\/1.1 431/);
  expect(double).toMatch(/^HTTP\/1.1 400/);
});

it('68. takes no more connections than it was told', async () => {
  const port = await listen({ MAX_CONNECTIONS: '2' });
  const idle = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await Promise.all(idle.map(socket => once(socket, 'connect')));
  expect(await send(port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toBe('');
  for (const socket of idle) socket.destroy();
});
