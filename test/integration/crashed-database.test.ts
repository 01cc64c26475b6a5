import pg from 'pg';
import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { publish, shortPost } from '../support/factories.ts';
import { createDatabase, startPostgres } from '../support/postgres.ts';
import { openSite } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

async function connected(url: string): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => {});
    try {
      await client.connect();
      return client;
    } catch {
      client.end().catch(() => {});
    }
  }
}

const numberOf = async (client: pg.Client) =>
  Number((await client.query('select pg_snapshot_xmax(pg_current_snapshot())::text as next')).rows[0].next);

it('a denial counts after the database has crashed and numbers its transactions as before', async () => {
  const server = await startPostgres();
  const url = await createDatabase(server.url);
  const dataDir = await newFolder();
  const s = await openSite({ dataDir, databaseUrl: url });
  try {
    const [postId = ''] = await publish(s, await s.admin(), shortPost('closed', ['friends']));
    const reader = await s.member(['friends']);
    const read = async () =>
      await s.call(reader, 'getPost', { postId }).then(
        ({ post }) => post.id,
        () => 'refused',
      );
    expect(await read()).toBe(postId);
    const client = await connected(url);
    // Nobody writes to the disk what was rolled back.
    await client.query(`alter system set wal_writer_delay = '10s'`);
    await client.query('select pg_reload_conf()');
    for (let number = 0; number < 500; number += 1) {
      await client.query(`begin; insert into changes (kind, key) values ('settings', ''); rollback`);
    }
    expect(await read()).toBe(postId);
    const before = await numberOf(client);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    // The server takes connections until it sees what was killed. Then it ends all others, too, and recovers.
    const witness = await connected(url);
    const ended = new Promise(resolve => witness.once('end', resolve));
    process.kill(rows[0].pid, 'SIGKILL');
    await ended;
    const again = await connected(url);
    const other = await openSite({ dataDir, databaseUrl: url });
    await denyUser(other.deps, reader.id);
    expect(await numberOf(again)).toBeLessThan(before);
    await other.close();
    await again.end();
    await expect.poll(async () => (await s.request('/readyz')).status).toBe(200);
    expect(await read()).toBe('refused');
  } finally {
    await s.close();
    await server.stop();
  }
});
