import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { PostgresHosts } from '../postgres-hosts.ts';

export const channel = 'coterie_changes';
const reconnectMs = 1_000;
/** How long a notice may take from one connection to another, in milliseconds. */
const probeWithinMs = 1_000;

/** The connection over which processes notify each other of changes. */
export type Notices = { isHeard(): boolean; close(): void };

/**
 * Listens over a connection of its own and calls `onNotice` for each notice of another process. Correctness
 * does not depend on it: a pooler in transaction mode accepts `listen` but delivers nothing. So each new
 * connection is tested with a notice that `notify` sends over another one; if it does not arrive, `onDeaf` is
 * called once and listening ends.
 */
export function listenForNotices(
  hosts: PostgresHosts,
  { notify, onNotice, onDeaf }: { notify(probe: string): Promise<unknown>; onNotice(): void; onDeaf(): void },
): Notices {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isHeard = false;
  let isClosed = false;

  const connect = async () => {
    const next = new hosts.Client();
    client = next;
    const probe = randomUUID();
    const hasCome = Promise.withResolvers<boolean>();
    next.on('notification', ({ payload }) => {
      if (payload === probe) hasCome.resolve(true);
      else onNotice();
    });
    const lost = () => {
      if (client !== next) return;
      client = undefined;
      isHeard = false;
      next.end().catch(() => {});
      if (!isClosed) timer = setTimeout(connect, reconnectMs).unref();
    };
    next.on('error', lost);
    next.on('end', lost);
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
      await notify(probe);
    } catch {
      return lost();
    }
    // No other query uses the connection meanwhile: a pooler could deliver the notice together with its
    // answer.
    const late = setTimeout(() => hasCome.resolve(false), probeWithinMs);
    isHeard = await hasCome.promise;
    clearTimeout(late);
    if (isHeard || client !== next) return;
    close();
    onDeaf();
  };
  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    const last = client;
    client = undefined;
    last?.end().catch(() => {});
  };
  void connect();
  return { isHeard: () => isHeard && client !== undefined, close };
}
