import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setupLink } from '../../server/accounts/setup.ts';
import { createListener } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { makeNextVariants } from '../../server/files/jobs.ts';
import { serverOptions } from '../../server/http/connections.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { createLog, openDeps } from '../../server/open-deps.ts';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { CountedHashing } from '../hashing.ts';
import type { Location } from '../site.ts';

/** Where a history is played: a site without accounts, which answers on some addresses. */
export type Place = {
  urls: readonly string[];
  /** The token of the link that makes the first admin. */
  setupToken: string;
  /** Moves the clock that the site dates by; undefined where it is the machine's own. */
  moveClock?(ms: number): void;
  /** Does at once what the site does beside requests. */
  catchUp?(): Promise<void>;
  close(): Promise<void>;
};

/**
 * The application on a real database and behind real sockets, with a clock of the tester's own. Several of it, each with
 * connections and caches of its own, stand for several processes.
 */
export async function openInProcess(location: Location, web: Web, processes = 1): Promise<Place> {
  let now = Date.now();
  const servers: Awaited<ReturnType<typeof openServer>>[] = [];
  for (let index = 0; index < processes; index += 1) servers.push(await openServer(location, web, () => now));
  const [first] = servers;
  if (first === undefined) throw new Error('There has to be a process.');
  const link = await setupLink(first.deps);
  return {
    urls: servers.map(({ url }) => url),
    setupToken: new URL(link ?? '').searchParams.get('token') ?? '',
    moveClock: ms => {
      now += ms;
    },
    catchUp: async () => {
      while (await makeNextVariants(first.deps));
    },
    close: async () => {
      for (const { close } of servers) await close();
    },
  };
}

async function openServer(location: Location, web: Web, clock: () => number) {
  const config = readConfig({
    DATA_DIR: location.dataDir,
    LOG_LEVEL: 'silent',
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:3000',
    DATABASE_URL: location.databaseUrl,
  });
  const stopping = new AbortController();
  // A tester asks more in a second than a person in an hour.
  const limits = new Limits(10_000);
  const { close, ...deps } = await openDeps(config, createLog(config), {
    clock,
    pause: async () => {},
    hashing: new CountedHashing(),
    limits,
    stopping: stopping.signal,
  });
  const server = createServer(serverOptions, createListener(deps, web));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    deps,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await close();
    },
  };
}
