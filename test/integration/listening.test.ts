import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { Changes } from '../../server/db/changes.ts';
import { listenForChanges } from '../../server/db/postgres.ts';
import { hasPgBouncer, startPgBouncer } from '../pgbouncer.ts';

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

const short = { everyMs: 50, withinMs: 500 };

/** Sends words as the application does: over a connection of its own. */
async function notifier(url: string) {
  const pool = new pg.Pool({ connectionString: url });
  return {
    notify: async (channel: string, word: string) =>
      await pool.query('select pg_notify($1, $2)', [channel, word]),
    close: async () => await pool.end(),
  };
}

it('a line on which changes are told that has died unnoticed is taken for dead', async () => {
  const server = `${inject('postgresUrl')}/postgres`;
  const line = await silentLine(new URL(server));
  const changes = new Changes();
  const { notify, close } = await notifier(server);
  const stop = await listenForChanges(line.url, changes, notify, short);
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
    await close();
    line.close();
  }
});

it.skipIf(!hasPgBouncer)(
  'behind a pooler that passes no notices on, nothing is served from a cache',
  async () => {
    const pooler = await startPgBouncer(inject('postgresUrl'));
    const url = `${pooler.url}/postgres`;
    const changes = new Changes();
    const { notify, close } = await notifier(url);
    const stop = await listenForChanges(url, changes, notify, short);
    try {
      expect(changes.blindSince).toBeDefined();
      expect(changes.version(['posts'])).not.toBe(changes.version(['posts']));
    } finally {
      await stop();
      await close();
      await pooler.stop();
    }
  },
);
