import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each worker of a run has ports of its own: none takes one that another has found and not used yet. */
const workers = 12;
const portsOfWorker = 1_000;
const worker = Number(process.env.TEST_PARALLEL_INDEX ?? process.env.VITEST_POOL_ID ?? 0) % workers;

/** The ports that this process was given. */
const given = new Set<number>();

/**
 * A port of the loopback on which nothing listens. It is below those that the system gives to outgoing
 * connections, one of which could take it before a server does.
 */
export async function freePort(): Promise<number> {
  const port = 20_000 + worker * portsOfWorker + Math.floor(Math.random() * portsOfWorker);
  if (given.has(port) && given.size < portsOfWorker / 2) return await freePort();
  given.add(port);
  const probe = createServer().listen(port, '127.0.0.1');
  const isFree = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  await new Promise(closed => probe.close(closed));
  return isFree ? port : await freePort();
}
