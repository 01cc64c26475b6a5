import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasNginx, startNginx } from '../nginx.ts';
import { createDatabase, promote, startPostgresPair } from '../postgres.ts';
import { Client } from './client.ts';
import { Load, loadingMembers } from './load.ts';
import type { Place } from './place.ts';

const processes = 6;
/** What bars.md allows until members are answered again. */
const backWithinMs = 10_000;

/**
 * Six processes behind nginx, on a database with a standby, while visitors read and members comment. The database's primary
 * is killed with -9 and its standby promoted; one process is killed with -9; all of them are stopped and started one by
 * one, as an upgrade does. Visitors are answered throughout, members within ten seconds, and every comment that was
 * acknowledged is there.
 */
export async function runFailover(place: Place): Promise<object> {
  if (place.postgres === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasNginx) return { skipped: 'nginx is not installed' };
  const { primary, standby } = await startPostgresPair();
  const { pathname } = new URL(await createDatabase(primary.url));
  const hosts = [standby, primary].map(({ url }) => new URL(url).host);
  const settings = {
    DATABASE_URL: `postgres://postgres:postgres@${hosts.join(',')}${pathname}?target_session_attrs=read-write`,
    TRUSTED_PROXIES: '127.0.0.1',
    DRAIN_SECONDS: '1',
  };
  const sites = await Promise.all(Array.from({ length: processes }, () => place.site(settings)));
  for (const [index, site] of sites.entries()) {
    await site.start();
    if (index === 0) await site.createAdmin();
  }
  await sites[0]?.seed(
    '--posts',
    '20',
    '--members',
    String(loadingMembers),
    '--comments',
    '0',
    '--likes',
    '0',
  );
  const nginx = await startNginx(sites.map(site => site.url));
  try {
    const { posts } = await new Client(nginx.url).told('getPosts', {});
    const postId = posts.find(post => post.tags.length === 0)?.id ?? '';
    const load = new Load(nginx.url, postId);
    await load.begin();
    const during = async (act: () => Promise<unknown>) => {
      await sleep(2_000);
      const start = performance.now();
      await act();
      return await load.backAfter(start);
    };
    const failoverMs = await during(async () => {
      await primary.kill();
      await promote(standby);
    });
    const killMs = await during(async () => {
      await sites[0]?.stop('SIGKILL');
      await sites[0]?.start();
    });
    let upgradeMs = 0;
    for (const site of sites) {
      const took = await during(async () => {
        await site.stop();
        await site.start();
      });
      upgradeMs = Math.max(upgradeMs, took);
    }
    const told = await load.end();
    const backMs = { failover: failoverMs, kill: killMs, upgrade: upgradeMs };
    for (const [what, ms] of Object.entries(backMs)) {
      assert.ok(ms < backWithinMs, `Members were answered ${Math.round(ms)} ms after the ${what}.`);
    }
    return { ...told, backMs };
  } finally {
    await nginx.stop();
    for (const site of sites) await site.stop('SIGKILL');
    await primary.stop();
    await standby.stop();
  }
}
