import type pg from 'pg';
import { Outage } from '../outage.ts';
import { isTimeout } from '../postgres.ts';
import { explain } from '../postgres-errors.ts';
import type { PostgresHosts } from '../postgres-hosts.ts';
import { changedBy, mostRows, type Poll, type RecordReader } from './record.ts';

/** How long a poll may take, and the pause before the next attempt to connect, in milliseconds. */
const pollWithinMs = 2_000;
const reconnectMs = 500;

/**
 * A snapshot as PostgreSQL writes it: the oldest running transaction, the first that has not begun, and those
 * running in between.
 */
type Snapshot = { oldest: bigint; next: string; running: string[] };

/** Which server answers, and its snapshot. */
type Standing = {
  snapshot: string;
  server: string;
  backend: number;
  isStandby: boolean;
  isReadOnly: boolean;
};
type Found = Standing & { rows: { kind: string; key: string }[] };

const standingColumns = `pg_current_snapshot()::text as snapshot,
    pg_postmaster_start_time()::text as server,
    pg_backend_pid() as backend,
    pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

/**
 * All commits since a snapshot: the rows of transactions that ran then, and of later ones. A restored dump
 * may hold rows with higher numbers from an older cluster: they are no changes of this one. No visible row is
 * numbered past the snapshot, yet the query names both bounds: with both, the planner expects few rows and
 * uses the index; with one, it assumes that a third of the table is new, and each poll would read an hour of
 * changes.
 */
export const pollQuery = `
  select ${standingColumns},
    coalesce((
      select json_agg(found) from (
        select kind, key from changes
        where xid >= $1::xid8 and xid < pg_snapshot_xmax(pg_current_snapshot())
          and pg_visible_in_snapshot(xid, pg_current_snapshot())
        union all
        select kind, key from changes where xid = any($2::xid8[])
        limit ${mostRows + 1}
      ) as found
    ), '[]') as rows`;

/** The most server processes that are remembered: a pooler may give each poll another one. */
const mostBackends = 1_000;

const noneBegun = '18446744073709551615';

/**
 * The record in PostgreSQL, over a connection of its own, so that no slow query of the application delays a
 * poll. Sequence numbers are not the order of commits; snapshots are (`pg_current_snapshot`, section 9.27.7
 * of its manual): a poll reads what the previous poll could not see, so nothing is skipped, and a long
 * transaction delays nothing.
 */
export class PostgresRecord implements RecordReader {
  readonly #hosts: PostgresHosts;
  #client: pg.Client | undefined;
  #connecting: Promise<pg.Client> | undefined;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #seen: { snapshot: string; server: string; backends: Set<number>; isUnchanged: boolean } | undefined;

  constructor(hosts: PostgresHosts) {
    this.#hosts = hosts;
  }

  async poll(): Promise<Poll> {
    try {
      const known = this.#client;
      if (known !== undefined) {
        try {
          return await this.#ask(known);
        } catch (error) {
          if (explain(error) === undefined || this.#failure !== undefined) throw error;
          // The connection ended while idle, for example because the server was restarted.
        }
      }
      return await this.#ask(await this.#connect());
    } catch (error) {
      const message = explain(error);
      throw message === undefined ? error : new Outage(message, error);
    }
  }

  async #ask(client: pg.Client): Promise<Poll> {
    const seen = this.#seen;
    if (seen?.isUnchanged) {
      // The same snapshot of the same server: nothing was committed since. This takes a third of the time of
      // a full poll.
      const { snapshot, server, backend, isReadOnly } = await this.#query<Standing>(
        client,
        `select ${standingColumns}`,
      );
      if (snapshot === seen.snapshot && server === seen.server && seen.backends.has(backend)) {
        return { changed: new Set(), isReadOnly };
      }
    }
    const before = seen && parseSnapshot(seen.snapshot);
    const { next = noneBegun, running = [] } = before ?? {};
    const found = await this.#query<Found>(client, pollQuery, [next, running]);
    const { snapshot, server, backend, isReadOnly, rows } = found;
    // After a failover, another server numbers its transactions differently. So may the same server after one
    // of its processes has crashed: it ends all others, and reuses numbers that had not reached the disk.
    const isSame = seen?.server === server && seen.backends.has(backend);
    const backends = seen?.server === server && seen.backends.size < mostBackends ? seen.backends : [];
    this.#seen = {
      snapshot,
      server,
      backends: new Set(backends).add(backend),
      isUnchanged: isSame && snapshot === seen.snapshot,
    };
    const isMissing = (swept: number) => before === undefined || BigInt(swept) >= before.oldest;
    return { changed: isSame ? changedBy(rows, isMissing) : 'all', isReadOnly };
  }

  async #query<Row extends Standing>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
    let row: Row | undefined;
    try {
      row = (await client.query<Row>(text, values)).rows[0];
    } catch (error) {
      this.#lose(client, error, { isLater: isTimeout(error) });
      throw error;
    }
    if (row === undefined) throw new Error('The record of changes gave no answer.');
    if (row.isStandby) {
      // A standby may be behind, and would grant rights that the primary has already taken away.
      const error = new Error('The server is a standby, or is just becoming the primary.');
      this.#lose(client, error, { isLater: true });
      throw error;
    }
    return row;
  }

  /**
   * All waiting callers share one attempt to connect. After a failure callers get its error immediately, and
   * a timer tries again.
   */
  #connect(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new Error('The database has been closed.'));
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<pg.Client> {
    const client = new this.#hosts.Client({
      connectionTimeoutMillis: pollWithinMs,
      query_timeout: pollWithinMs,
    });
    client.on('error', error => this.#lose(client, error));
    client.on('end', () => this.#lose(client, new Error('The connection has ended.')));
    try {
      await client.connect();
      if (this.#isClosed) throw new Error('The database has been closed.');
      this.#failure = undefined;
      this.#client = client;
      return client;
    } catch (error) {
      end(client);
      this.#failure = error;
      this.#tryLater();
      throw error;
    }
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#failure = undefined;
      this.#connect().catch(() => {});
    }, reconnectMs).unref();
  }

  /**
   * A server that has just closed its connections usually accepts new ones, so the next poll connects again
   * at once. With `isLater`, a timer does that.
   */
  #lose(client: pg.Client, error: unknown, { isLater = false } = {}): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    end(client);
    if (isLater) {
      this.#failure = error;
      this.#tryLater();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) end(client);
  }
}

function parseSnapshot(text: string): Snapshot {
  const [oldest = '0', next = noneBegun, running = ''] = text.split(':');
  return { oldest: BigInt(oldest), next, running: running === '' ? [] : running.split(',') };
}

/** Closes a connection. All queries that wait on it are rejected. */
function end(client: pg.Client): void {
  client.end().catch(() => {});
}
