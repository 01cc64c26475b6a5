import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port of the loopback on which nothing listens. It is below those that the system gives to outgoing
 * connections, one of which could take it before a server does.
 */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const probe = createServer().listen(port, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  await new Promise(closed => probe.close(closed));
  return isFree ? port : await freePort();
}
