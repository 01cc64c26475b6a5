import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { PostgresHosts } from '../postgres-hosts.ts';

export const channel = 'coterie_changes';
const reconnectMs = 1_000;
/** How long a word takes at most from one connection to another of one database, in milliseconds. */
const wordWithinMs = 1_000;

/** The line on which processes tell each other that there is something to look at. */
export type Notices = { isHeard(): boolean; close(): void };

/**
 * Listens on a line of its own and calls `hint` with each word of another process. Nothing depends on it: a pooler in
 * transaction mode takes `listen` for a query and passes nothing on. So each new line is tried with a word that `notify`
 * sends over another connection; where it does not come out, `onDeaf` is called once and the line is given up.
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
    // Nothing else is asked on the line meanwhile: a pooler could hand the word on with that answer.
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
