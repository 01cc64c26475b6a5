import { afterAll, beforeAll, expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { addressesOf } from '../../server/db/postgres-hosts.ts';
import { publish, shortPost } from '../support/factories.ts';
import { openLine } from '../support/line.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createDatabase, forbidConnections, promote, startPostgresPair } from '../support/postgres.ts';
import { openSite, type Person, type Site } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

const statusOf = async (s: Site, reader: Person, postId: string) => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ data: { postId } });
  return (await s.request('/api/getPost', reader, { method: 'POST', headers, body })).status;
};

let servers: Awaited<ReturnType<typeof startPostgresPair>>;
beforeAll(async () => {
  servers = await startPostgresPair();
});
afterAll(async () => {
  await servers.primary.stop();
  await servers.standby.stop();
});

it('a site answers nobody who is signed in from a standby, which may be behind', async () => {
  const { primary, standby } = servers;
  const url = await createDatabase(primary.url);
  const line = await openLine(url);
  const dataDir = await newFolder();
  const [s, other] = [
    await openSite({ dataDir, databaseUrl: line.url }),
    await openSite({ dataDir, databaseUrl: url }),
  ];
  try {
    const [postId = ''] = await publish(s, await s.admin(), shortPost('closed', ['friends']));
    const reader = await s.member(['friends']);
    const status = async () => await statusOf(s, reader, postId);
    expect(await status()).toBe(200);
    line.pointTo(standby.url);
    expect(await status()).toBe(503);
    expect((await s.request('/readyz')).status).toBe(503);
    await denyUser(other.deps, reader.id);
    expect(await status()).toBe(503);
    line.pointTo(primary.url);
    await expect.poll(status).not.toBe(503);
    expect(await status()).not.toBe(200);
  } finally {
    await s.close();
    await other.close();
    line.close();
  }
});

it('a process asks an old primary that still answers nothing more once it has found the new one, also after a start', async () => {
  const { primary, standby } = await startPostgresPair();
  const { pathname } = new URL(await createDatabase(primary.url));
  const line = await openLine(primary.url);
  const hosts = [line, standby].map(({ url }) => new URL(url).host);
  const databaseUrl = `postgres://postgres:postgres@${hosts.join(',')}${pathname}`;
  const dataDir = await newFolder();
  const s = await openSite({ dataDir, databaseUrl });
  try {
    const [postId = ''] = await publish(s, await s.admin(), shortPost('closed', ['friends']));
    const reader = await s.member(['friends']);
    const status = async () => await statusOf(s, reader, postId);
    expect(await status()).toBe(200);
    line.fallSilent();
    await promote(standby);
    await expect.poll(async () => (await s.request('/readyz')).status).toBe(200);
    line.speakAgain();
    const other = await openSite({ dataDir, databaseUrl: `${standby.url}${pathname}` });
    await denyUser(other.deps, reader.id);
    await other.close();
    for (let asked = 0; asked < 10; asked += 1) expect(await status()).not.toBe(200);
    // One that starts now finds the old primary first.
    const later = await openSite({ dataDir, databaseUrl });
    expect(await statusOf(later, reader, postId)).not.toBe(200);
    await later.close();
    // Not even while the new one cannot be reached.
    await forbidConnections(`${standby.url}${pathname}`);
    for (let asked = 0; asked < 10; asked += 1) expect(await status()).toBe(503);
  } finally {
    await s.close();
    line.close();
    await primary.stop();
    await standby.stop();
  }
});

it('a site continues on the promoted standby of its database, also behind a pooler, and has lost nothing', async () => {
  const { primary, standby } = servers;
  const { pathname } = new URL(await createDatabase(primary.url));
  const hosts = [standby, primary].map(({ url }) => new URL(url).host);
  const databaseUrl = `postgres://postgres:postgres@${hosts.join(',')}${pathname}?target_session_attrs=read-write`;
  const dataDir = await newFolder();
  const pooler = hasPgBouncer ? await startPgBouncer(primary.url) : undefined;
  const direct = { dataDir, databaseUrl };
  const pooled = pooler && { DATABASE_URL: `${pooler.url}${pathname}`, DATABASE_DIRECT_URL: databaseUrl };
  const sites = [await openSite(direct), await openSite(direct, pooled)];
  try {
    const [one] = sites;
    const admin = (await one?.admin()) ?? null;
    const posts: string[] = [];
    for (const s of sites) posts.push(...(await publish(s, admin, shortPost('before'))));
    await primary.kill();
    await promote(standby);
    await pooler?.pointTo(standby.url);
    for (const s of sites) {
      // Until it has found the other one, it says that the database cannot be reached.
      let after: string[] = [];
      while (after.length === 0) after = await publish(s, admin, shortPost('after')).catch(() => []);
      posts.push(...after);
    }
    // One that starts now passes over the host that is gone.
    sites.push(await openSite(direct), await openSite(direct, pooled));
    for (const s of sites) {
      const found = (await s.call(null, 'getPosts', {})).posts.map(({ id }) => id);
      expect(found.toSorted()).toEqual(posts.toSorted());
    }
  } finally {
    for (const s of sites) await s.close();
    await pooler?.stop();
  }
});

it('an address with several hosts is split into one address for each host', () => {
  const rest = '/blog?sslmode=require';
  const url = `postgres://me:p%40ss@one:5433,[::1]:6432,three${rest}&target_session_attrs=read-write`;
  const user = 'postgres://me:p%40ss@';
  expect(addressesOf(url)).toEqual([
    `${user}one:5433${rest}`,
    `${user}[::1]:6432${rest}`,
    `${user}three${rest}`,
  ]);
});
