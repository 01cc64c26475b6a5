import { once } from 'node:events';
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { postgresHosts } from '../../server/db/postgres.ts';
import { startProcess } from '../processes/start-server.ts';
import { newFolder } from '../support/temporary-folder.ts';

/** A server of its own behind a balancer, which keeps one connection to it. */
async function behindBalancer(
  settings: Record<string, string>,
  use: (running: Awaited<ReturnType<typeof startProcess>>, ask: Ask) => Promise<void>,
): Promise<void> {
  const dataDir = await newFolder();
  const running = await startProcess({ DATA_DIR: dataDir, ...settings });
  const balancer = new Agent({ keepAlive: true, maxSockets: 1, scheduling: 'fifo' });
  try {
    await use(running, async path => {
      const request: ClientRequest = get({ host: '127.0.0.1', port: running.port, path, agent: balancer });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      const { socket } = answer;
      const { statusCode = 0 } = answer;
      return {
        status: statusCode,
        body: await text(answer),
        isReused: request.reusedSocket,
        keptFor: answer.headers['keep-alive'],
        socket,
      };
    });
  } finally {
    balancer.destroy();
    running.child.kill('SIGKILL');
    await running.ended;
  }
}

type Ask = (path: string) => Promise<{
  status: number;
  body: string;
  isReused: boolean;
  /** How long the server says that it keeps the connection. */
  keptFor: string | string[] | undefined;
  socket: Socket;
}>;

it('a process that was told to stop is not ready, still answers while it drains, and ends with a second signal', async () => {
  await behindBalancer({ DRAIN_SECONDS: '600', LOG_LEVEL: 'info' }, async ({ child, ended }, ask) => {
    const printed = text(child.stdout ?? Readable.from([]));
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: 'ready\n' });
    child.kill('SIGTERM');
    while ((await ask('/readyz')).status === 200);
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: 'stopping\n' });
    // Readers whose requests the balancer had sent on by then, over the connection that it keeps.
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: 'ok\n', isReused: true });
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    // For programs: no terminal reads this log.
    const [line = ''] = (await printed).split('\n');
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
  });
});

it('a connection that a balancer keeps open is used again, and the server closes it only after KEEP_ALIVE_SECONDS', async () => {
  await behindBalancer({ KEEP_ALIVE_SECONDS: '600' }, async (_, ask) => {
    expect(await ask('/healthz')).toMatchObject({ isReused: false, keptFor: 'timeout=600' });
    expect(await ask('/healthz')).toMatchObject({ isReused: true, keptFor: 'timeout=600' });
  });
  await behindBalancer({ KEEP_ALIVE_SECONDS: '1' }, async (_, ask) => {
    const { keptFor, socket } = await ask('/healthz');
    expect(keptFor).toBe('timeout=1');
    if (!socket.destroyed) await once(socket, 'close');
    expect(await ask('/healthz')).toMatchObject({ status: 200, isReused: false });
  });
});

it.each([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['verify-full', {}],
])('sslmode=%s means what it means to other programs', (mode, ssl) => {
  const url = `postgres://me:secret@db.example/blog?sslmode=${mode}`;
  const client = new (postgresHosts(url).Client)() as pg.Client & { connectionParameters: { ssl: unknown } };
  expect(client.connectionParameters.ssl).toEqual(ssl);
});
