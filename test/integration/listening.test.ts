import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { openDatabase } from '../../server/db/connect.ts';
import { outages } from '../../server/db/outage.ts';
import { publish, shortPost } from '../support/factories.ts';
import { openLine } from '../support/line.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createDatabase, dropDatabase, endConnections, setReadOnly } from '../support/postgres.ts';
import { callOf, openSite } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';
import { waitingLocks } from '../support/waiting-locks.ts';

/** Resolves once a query waits for a lock. */
async function untilSomebodyWaits(client: pg.Client): Promise<void> {
  for (let waiting = 0; waiting === 0; ) {
    waiting = (await client.query(waitingLocks)).rows.length;
  }
}

async function withDatabase(act: (url: string, dataDir: string) => Promise<void>): Promise<void> {
  const url = await createDatabase(inject('postgresUrl'), inject('templates').postgres);
  const dataDir = await newFolder();
  try {
    await act(url, dataDir);
  } finally {
    await dropDatabase(url);
  }
}

it('a process whose connection to the database is dead still sends visitors the page and the feeds that it has', async () => {
  await withDatabase(async (url, dataDir) => {
    const line = await openLine(url);
    const cut = await openSite({ dataDir, databaseUrl: line.url });
    try {
      const statuses = async () => {
        const paths = ['/', '/feed.xml', '/sitemap.xml', '/robots.txt'];
        return await Promise.all(paths.map(async path => (await cut.request(path)).status));
      };
      expect(await statuses()).toEqual([200, 200, 200, 200]);
      line.fallSilent();
      expect(await statuses()).toEqual([200, 200, 200, 200]);
    } finally {
      line.speakAgain();
      await cut.close();
      line.close();
    }
  });
});

it('a process whose connection to the database is dead answers members with an outage until it can poll again', async () => {
  await withDatabase(async (url, dataDir) => {
    const line = await openLine(url);
    const [cut, other] = [
      await openSite({ dataDir, databaseUrl: line.url }),
      await openSite({ dataDir, databaseUrl: url }),
    ];
    try {
      const reader = await cut.member();
      const status = async () => (await cut.request('/api/getViewer', reader, callOf({}))).status;
      expect(await status()).toBe(200);
      await cut.member();
      line.fallSilent();
      expect(await status()).toBe(503);
      await denyUser(other.deps, reader.id);
      expect(await status()).toBe(503);
      line.speakAgain();
      await expect.poll(status).toBe(200);
      expect((await cut.call(reader, 'getViewer', {})).user).toBe(null);
    } finally {
      line.speakAgain();
      await cut.close();
      await other.close();
      line.close();
    }
  });
});

it('when the server has closed the connection, a new one is opened and no request fails', async () => {
  await withDatabase(async (url, dataDir) => {
    const s = await openSite({ dataDir, databaseUrl: url });
    try {
      const reader = await s.member();
      await endConnections(url);
      expect((await s.call(reader, 'getViewer', {})).user?.id).toBe(reader.id);
    } finally {
      await s.close();
    }
  });
});

it('a process with a locked table is still ready, and visitors still get cached pages', async () => {
  await withDatabase(async (url, dataDir) => {
    const s = await openSite({ dataDir, databaseUrl: url });
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    try {
      await publish(s, await s.admin(), shortPost('kept'));
      expect(await (await s.request('/')).text()).toContain('kept');
      await locking.query(
        'begin; lock table posts, users, sessions, settings, attempts in access exclusive mode',
      );
      // More than there are connections for them.
      const waiting = Array.from({ length: 8 }, (_, index) => s.request(`/post/aaaaaaaaaaaaaaa${index}`));
      await untilSomebodyWaits(locking);
      expect((await s.request('/readyz')).status).toBe(200);
      expect(await (await s.request('/')).text()).toContain('kept');
      await locking.query('rollback');
      for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(404);
    } finally {
      await locking.end();
      await s.close();
    }
  });
});

it('saving to a read-only database is refused with the reason, and reading still works', async () => {
  await withDatabase(async (url, dataDir) => {
    const s = await openSite({ dataDir, databaseUrl: url });
    try {
      const admin = await s.admin();
      const [postId = ''] = await publish(s, admin, shortPost('here'));
      await s.call(admin, 'getViewer', {});
      const ready = async () => (await s.request('/readyz')).status;
      expect(await ready()).toBe(200);
      await setReadOnly(url);
      expect(await ready()).toBe(503);
      // By now the session is due to be renewed, which is a write.
      s.wait(2 * 60 * 60 * 1_000);
      expect((await s.call(admin, 'getPosts', {})).posts).toHaveLength(1);
      const like = await s.request('/api/setLike', admin, callOf({ postId, liked: true }));
      expect([like.status, (await like.json()).error.message]).toEqual([503, outages.readOnly]);
      await expect(openDatabase({ dataDir, databaseUrl: url })).rejects.toThrow('it takes no changes');
    } finally {
      await s.close();
    }
  });
});

it.skipIf(!hasPgBouncer)(
  'behind a pooler in transaction mode a denial counts from the next request on',
  async () => {
    await withDatabase(async (url, dataDir) => {
      const pooler = await startPgBouncer(inject('postgresUrl'));
      const pooled = `${pooler.url}${new URL(url).pathname}`;
      const [one, two] = [
        await openSite({ dataDir, databaseUrl: pooled }),
        await openSite({ dataDir, databaseUrl: pooled }),
      ];
      try {
        const admin = await one.admin();
        const [postId = ''] = await publish(one, admin, shortPost('shut', ['red']));
        for (let round = 0; round < 20; round += 1) {
          const reader = await one.member(['red']);
          const read = async () => (await two.request('/api/getPost', reader, callOf({ postId }))).status;
          expect(await read()).toBe(200);
          await denyUser(one.deps, reader.id);
          expect(await read()).not.toBe(200);
        }
        await one.call(admin, 'updatePost', { ...shortPost('shown'), postId });
        expect((await two.call(null, 'getPosts', {})).posts).toHaveLength(1);
        await one.call(admin, 'deletePost', { postId });
        expect((await two.call(null, 'getPosts', {})).posts).toHaveLength(0);
      } finally {
        await one.close();
        await two.close();
        await pooler.stop();
      }
    });
  },
);

it('a start names the pooler that cannot be reached, and the reason', async () => {
  await withDatabase(async (url, dataDir) => {
    const both = { dataDir, databaseUrl: 'postgres://me:secret@127.0.0.1:1/blog', databaseDirectUrl: url };
    await expect(openDatabase(both)).rejects.toThrow(
      /^Could not open the PostgreSQL database blog at 127\.0\.0\.1:1: .*ECONNREFUSED/,
    );
  });
});

it('a start refuses a pooler that leads to another database than the direct address', async () => {
  await withDatabase(async (url, dataDir) => {
    const empty = await createDatabase(inject('postgresUrl'));
    const both = { dataDir, databaseUrl: empty, databaseDirectUrl: url };
    await expect(openDatabase(both)).rejects.toThrow(/must lead to the same database/);
    await dropDatabase(empty);
  });
});
