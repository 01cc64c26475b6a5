import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { hasPgBouncer } from '../support/pgbouncer.ts';
import { Client } from './client.ts';
import { startCluster } from './cluster.ts';
import { Load, loadingMembers } from './load.ts';
import type { Place } from './place.ts';

const processes = 6;
/** What bars.md allows until members are answered again. */
const backWithinMs = 10_000;

/**
 * Six processes behind nginx, on a database with a standby, while visitors read and members comment. The
 * database's primary is killed with -9 and its standby promoted; one process is killed with -9; all of them
 * are stopped and started one by one, as an upgrade does. Visitors are answered throughout, members within
 * ten seconds, and every comment that was acknowledged is there. With `isPooled`, PgBouncer in transaction
 * mode is before the database.
 */
export async function runFailover(place: Place, { isPooled }: { isPooled: boolean }): Promise<object> {
  if (place.postgres === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasNginx) return { skipped: 'nginx is not installed' };
  if (isPooled && !hasPgBouncer) return { skipped: 'PgBouncer is not installed' };
  const cluster = await startCluster({ isPooled });
  const settings = { ...cluster.settings, TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '1' };
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
    const { posts } = await new Client(nginx.url).result('getPosts', {});
    const postId = posts.find(post => post.tags.length === 0)?.id ?? '';
    const load = new Load(nginx.url, postId);
    await load.begin();
    const during = async (act: () => Promise<unknown>) => {
      await sleep(2_000);
      return await load.waitedDuring(act);
    };
    const failoverMs = await during(() => cluster.failOver());
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
    const report = await load.end();
    const waitedMs = { failover: failoverMs, kill: killMs, upgrade: upgradeMs };
    for (const [what, ms] of Object.entries(waitedMs)) {
      assert.ok(ms < backWithinMs, `A member waited ${ms} ms for an answer during the ${what}.`);
    }
    return { ...report, waitedMs };
  } finally {
    await nginx.stop();
    for (const site of sites) await site.stop('SIGKILL');
    await cluster.stop();
  }
}
