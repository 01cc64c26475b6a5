import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { hasPage, render } from '../../web/entry-server.tsx';
import { scratchFolder } from '../scratch.ts';

const assets = { head: '', placeholders: '', end: '', policy: 'none' };

it('a server that stops waits for a request whose reader has gone, and only then closes the database', async () => {
  const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-stopping-'));
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const asked: string[] = [];
  const renderLate: typeof render = async (address, call) => {
    begun.resolve();
    await goOn.promise;
    return await render(address, async (operation, input) => {
      const answer = await call(operation, input);
      asked.push(operation);
      return answer;
    });
  };
  const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' });
  const web = { render: renderLate, hasPage, clientDir: undefined, assetsOf: async () => assets };
  const { server, stop } = await startServer(config, web);
  try {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const ended = once(server, 'connection').then(async ([connection]) => await once(connection, 'close'));
    socket.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await begun.promise;
    socket.destroy();
    await ended;
    let hasStopped = false;
    const stopped = stop().then(() => {
      hasStopped = true;
    });
    // Long enough for a server that does not wait.
    await Promise.race([stopped, sleep(500)]);
    expect(hasStopped).toBe(false);
    goOn.resolve();
    await stopped;
    expect(asked).toContain('getPosts');
  } finally {
    goOn.resolve();
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
