import pg from 'pg';

/** The user and password, the hosts, and all the rest of an address. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * The addresses in an address with several hosts, as in libpq (PostgreSQL's manual, section 34.1.1.3):
 * `postgres://user:password@one:5432,two:5432/coterie?target_session_attrs=read-write`.
 */
export function addressesOf(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = parts.exec(url) ?? [];
  return hosts.split(',').map(host => {
    const address = new URL(before + host + after);
    // With several hosts, the one that accepts writes is always chosen.
    address.searchParams.delete('target_session_attrs');
    return address.href;
  });
}

/** Whether a text is an address of PostgreSQL, with one host or several. */
export function isPostgresUrl(text: string): boolean {
  try {
    return addressesOf(text).length > 0;
  } catch {
    return false;
  }
}

/**
 * The hosts of a database, one of which accepts writes. Connections go to the current host; after one fails
 * there, or finds a standby, the following connections go to the next host. Once another host has accepted
 * one, those to the former host are closed: it may be cut off from the others and still answer with old data.
 * For the same reason an old primary that has been started again is refused: each promotion raises the
 * timeline (the manual of PostgreSQL, "Timelines").
 */
export class PostgresHosts {
  readonly #addresses: readonly string[];
  #current = 0;
  /** Open connections, all to the same address. */
  readonly #open = new Set<pg.Client>();
  #primary: string | undefined;
  /** The highest timeline of any host so far. */
  #timeline = 0;
  /** A client of `pg` for an address, by default that of the current host. */
  readonly Client: new (
    config?: pg.ClientConfig,
    address?: string,
  ) => pg.Client;

  /** `configOf` says how to connect to an address. */
  constructor(url: string, configOf: (address: string) => pg.ClientConfig) {
    this.#addresses = addressesOf(url);
    this.Client = clientOf(this, configOf);
  }

  get address(): string {
    return this.#addresses[this.#current] ?? '';
  }

  get areSeveral(): boolean {
    return this.#addresses.length > 1;
  }

  /** Moves on to the next host, unless another caller has already left this address. */
  leave(address: string): void {
    if (address === this.address) this.#current = (this.#current + 1) % this.#addresses.length;
  }

  /** A connection to this address has been accepted. Throws for an old primary. */
  accept(client: pg.Client, address: string, timeline: number): void {
    if (timeline < this.#timeline)
      throw new Error('it is an old primary: another host has been promoted since');
    this.#timeline = timeline;
    if (address !== this.#primary) {
      this.#primary = address;
      this.#current = this.#addresses.indexOf(address);
      for (const other of this.#open) {
        other.connection.stream.destroy(new Error('another host has become the primary'));
      }
      this.#open.clear();
    }
    this.#open.add(client);
    client.once('end', () => this.#open.delete(client));
  }

  /**
   * Tries all hosts, so that an old primary is recognised, and moves on to the one that accepts writes. If
   * none does, the next attempt to connect fails with the reason.
   */
  async find(): Promise<void> {
    if (!this.areSeveral) return;
    const attempts = this.#addresses.map(async address => {
      const client = new this.Client({}, address);
      client.on('error', () => {});
      await client.connect().catch(() => {});
      client.end().catch(() => {});
    });
    await Promise.all(attempts);
    this.#current = Math.max(0, this.#addresses.indexOf(this.#primary ?? ''));
  }
}

function clientOf(hosts: PostgresHosts, configOf: (address: string) => pg.ClientConfig) {
  return class extends pg.Client {
    readonly #address: string;

    constructor(config?: pg.ClientConfig, address = hosts.address) {
      super({ ...configOf(address), ...config });
      this.#address = address;
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#connectToPrimary();
      if (callback === undefined) return connected;
      connected.then(() => (callback as () => void)(), callback);
      return undefined;
    }

    async #connectToPrimary(): Promise<pg.Client> {
      try {
        await super.connect();
        if (hosts.areSeveral) await this.#enter();
        return this;
      } catch (error) {
        hosts.leave(this.#address);
        throw error;
      }
    }

    async #enter(): Promise<void> {
      try {
        const { rows } = await this.query<{ isReadOnly: boolean }>(
          `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
        );
        if (rows[0]?.isReadOnly) throw new Error('it takes no changes, as a standby');
        hosts.accept(this, this.#address, await this.#readTimeline());
      } catch (error) {
        this.end().catch(() => {});
        throw error;
      }
    }

    /** The first eight digits of the name of a WAL file; 0 if a compatible engine does not have them. */
    async #readTimeline(): Promise<number> {
      try {
        const { rows } = await this.query<{ file: string }>(
          'select pg_walfile_name(pg_current_wal_lsn()) as file',
        );
        return Number.parseInt(rows[0]?.file.slice(0, 8) ?? '', 16) || 0;
      } catch (error) {
        if (error instanceof pg.DatabaseError) return 0;
        throw error;
      }
    }
  };
}
