import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { PostgresHosts } from '../postgres-hosts.ts';

export const channel = 'coterie_changes';
const reconnectMs = 1_000;
/** How long a notice takes at most from one connection to another, in milliseconds. */
const wordWithinMs = 1_000;

/** The connection over which processes notify each other of changes. */
export type Notices = { isHeard(): boolean; close(): void };

/**
 * Listens over a connection of its own and calls `hint` with each notice of another process. Correctness does
 * not depend on it: a pooler in transaction mode accepts `listen` as a query but delivers nothing. So each
 * new connection is tested with a notice that `notify` sends over another one; if it does not arrive,
 * `onDeaf` is called once and nothing is listened for any more.
 */
export function listenForNotices(
  hosts: PostgresHosts,
  { notify, hint, onDeaf }: { notify(word: string): Promise<unknown>; hint(): void; onDeaf(): void },
): Notices {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isHeard = false;
  let isClosed = false;

  const connect = async () => {
    const next = new hosts.Client();
    client = next;
    const word = randomUUID();
    const hasCome = Promise.withResolvers<boolean>();
    next.on('notification', ({ payload }) => {
      if (payload === word) hasCome.resolve(true);
      else hint();
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
      await notify(word);
    } catch {
      return lost();
    }
    // No other query uses the connection meanwhile: a pooler could deliver the notice together with its
    // answer.
    const late = setTimeout(() => hasCome.resolve(false), wordWithinMs);
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
