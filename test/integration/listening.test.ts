import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, inject, it } from 'vitest';
import { Changes } from '../../server/db/changes.ts';
import { listenForChanges } from '../../server/db/postgres.ts';

/** A line to a server that can fall silent: nothing comes through any more, and neither end is told. */
async function silentLine(to: URL) {
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server = createServer(client => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', chunk => isSilent || into.write(chunk));
      from.on('error', () => into.destroy()).on('close', () => into.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = new URL(to);
  address.port = String((server.address() as AddressInfo).port);
  return {
    url: address.href,
    fallSilent: () => {
      isSilent = true;
    },
    speakAgain: () => {
      isSilent = false;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

it('notices that the line on which changes are told is dead, though nobody says so', async () => {
  const line = await silentLine(new URL(`${inject('postgresUrl')}/postgres`));
  const changes = new Changes();
  const stop = await listenForChanges(line.url, changes, { everyMs: 50, withinMs: 500 });
  try {
    const before = changes.version(['posts']);
    expect(changes.blindSince).toBe(undefined);
    line.fallSilent();
    await expect.poll(() => changes.blindSince, { timeout: 10_000 }).toBeDefined();
    // Nothing that was kept is good meanwhile, nor afterwards: what was told on the dead line is lost.
    expect(changes.version(['posts'])).not.toBe(changes.version(['posts']));
    line.speakAgain();
    await expect.poll(() => changes.blindSince, { timeout: 10_000 }).toBe(undefined);
    const after = changes.version(['posts']);
    expect(after).not.toBe(before);
    expect(changes.version(['posts'])).toBe(after);
  } finally {
    await stop();
    line.close();
  }
});
