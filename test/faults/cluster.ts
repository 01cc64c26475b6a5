import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createDatabase, promote, startPostgresPair } from '../support/postgres.ts';

/** A database with a synchronous standby, which can be lost once. */
export type Cluster = {
  /** What a process of the site needs in order to use it. */
  settings: Record<string, string>;
  /** Kills the primary with -9 and makes the standby the primary, as docs/hosting.md tells. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
};

/** With `isPooled`, processes reach it through PgBouncer in transaction mode, and both servers directly. */
export async function startCluster({ isPooled }: { isPooled: boolean }): Promise<Cluster> {
  const { primary, standby } = await startPostgresPair();
  const { pathname } = new URL(await createDatabase(primary.url));
  const hosts = [standby, primary].map(({ url }) => new URL(url).host);
  const direct = `postgres://postgres:postgres@${hosts.join(',')}${pathname}?target_session_attrs=read-write`;
  const pooler: PgBouncer | undefined = isPooled ? await startPgBouncer(primary.url) : undefined;
  return {
    settings:
      pooler === undefined
        ? { DATABASE_URL: direct }
        : { DATABASE_URL: `${pooler.url}${pathname}`, DATABASE_DIRECT_URL: direct },
    failOver: async () => {
      await primary.kill();
      await promote(standby);
      await pooler?.pointTo(standby.url);
    },
    stop: async () => {
      await pooler?.stop();
      await primary.stop();
      await standby.stop();
    },
  };
}
