import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { sourcePages } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

type Render = typeof sourcePages.render;

/** A server on an empty folder that renders its pages as `change` says. */
async function withServer(
  change: (render: Render) => Render,
  use: (running: { port: number; server: Server; stop: () => Promise<void> }) => Promise<void>,
): Promise<void> {
  const dataDir = await newFolder();
  const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' });
  const web = { ...sourcePages, render: change(sourcePages.render) };
  const { server, stop } = await startServer(config, web);
  try {
    await use({ port: (server.address() as AddressInfo).port, server, stop });
  } finally {
    await stop();
  }
}

function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  return socket;
}

it('a server that stops waits for a request whose reader has gone, and only then closes the database', async () => {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const events: string[] = [];
  const late =
    (now: Render): Render =>
    async (address, call) => {
      begun.resolve();
      await goOn.promise;
      return await now(address, async (operation, input) => {
        const answer = await call(operation, input);
        events.push(operation);
        return answer;
      });
    };
  await withServer(late, async ({ port, server, stop }) => {
    const ended = once(server, 'connection').then(async ([connection]) => await once(connection, 'close'));
    const socket = ask(port);
    await begun.promise;
    socket.destroy();
    await ended;
    const closed = once(server, 'close');
    const stopped = stop().then(() => events.push('stopped'));
    // No connection is left: a server that does not wait closes its database now.
    await closed;
    goOn.resolve();
    await stopped;
    expect(events).toContain('getPosts');
    expect(events.at(-1)).toBe('stopped');
  }).finally(goOn.resolve);
});

it('a server that stops sends the whole of an answer to a reader who takes it slowly', async () => {
  const body = 'x'.repeat(16_000_000);
  const long =
    (now: Render): Render =>
    async (address, call) => ({ ...(await now(address, call)), body });
  await withServer(long, async ({ port, server, stop }) => {
    const socket = ask(port);
    await once(socket, 'readable');
    const stopped = stop();
    await expect.poll(() => server.listening).toBe(false);
    const answer = await text(socket);
    expect(answer.length).toBeGreaterThan(body.length);
    expect(answer.trimEnd().slice(-7)).toBe('</html>');
    await stopped;
  });
});
