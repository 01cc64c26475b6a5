import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningSite } from '../e2e/site.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { hasPgBouncer } from '../support/pgbouncer.ts';
import { Client } from './client.ts';
import { startCluster } from './cluster.ts';
import { Load, loadingMembers } from './load.ts';
import type { Place } from './place.ts';

const processes = 6;
/** What bars.md allows until members are answered again. */
const backWithinMs = 10_000;
const tag = 'insiders';

/**
 * Six processes of an older version behind PgBouncer and nginx, while visitors read and members comment. The
 * newer version upgrades the database beside them, and then they are exchanged one by one; between two of
 * them, the database's primary is killed with -9 and its standby promoted. What an admin changes over an
 * older process, a newer one knows in its next answer, and the other way round; visitors are answered
 * throughout, members within ten seconds, and every comment that was acknowledged is there. `before` is the
 * folder of the older version, installed and built.
 */
export async function runUpgrade(place: Place, before: string | undefined): Promise<object> {
  if (place.postgres === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasPgBouncer || !hasNginx) return { skipped: 'PgBouncer or nginx is not installed' };
  if (before === undefined) return { skipped: '--before names no older version' };
  const cluster = await startCluster({ isPooled: true });
  const settings = { ...cluster.settings, TRUSTED_PROXIES: '127.0.0.1', DRAIN_SECONDS: '1' };
  const sites = await Promise.all(Array.from({ length: processes }, () => place.site(settings)));
  const [first, last] = [sites[0], sites.at(-1)];
  assert.ok(first !== undefined && last !== undefined);
  const newer = first.root;
  for (const site of sites) {
    site.root = before;
    await site.start();
    if (site === first) await site.createAdmin();
  }
  await first.seed(
    '--posts',
    '20',
    '--members',
    String(loadingMembers + 1),
    '--comments',
    '0',
    '--likes',
    '0',
  );
  const nginx = await startNginx(sites.map(site => site.url));
  try {
    const { posts } = await new Client(nginx.url).result('getPosts', {});
    const load = new Load(nginx.url, posts.find(post => post.tags.length === 0)?.id ?? '');
    await load.begin();
    const decisions = await Decisions.begin(nginx.url);
    let slowestMs = 0;
    const during = async (act: () => Promise<unknown>) => {
      await sleep(1_000);
      slowestMs = Math.max(slowestMs, await load.waitedDuring(act));
    };
    await during(async () => {
      const upgrading = await place.site(settings);
      await upgrading.cli('migrate');
    });
    for (const [index, site] of sites.entries()) {
      if (index === processes / 2) await during(() => cluster.failOver());
      await during(async () => {
        await site.stop();
        site.root = newer;
        await site.start();
      });
      await decisions.compare(site, last);
      await decisions.compare(last, site);
    }
    assert.ok(slowestMs < backWithinMs, `A member waited ${slowestMs} ms for an answer.`);
    const report = await load.end();
    await first.cli('doctor');
    return { ...report, slowestMs };
  } finally {
    await nginx.stop();
    for (const site of sites) await site.stop('SIGKILL');
    await cluster.stop();
  }
}

/** An admin who gives a member a tag over one process, and asks another who may read what carries it. */
class Decisions {
  readonly #admin: Client;
  readonly #userId: string;
  #isGiven = false;

  private constructor(admin: Client, userId: string) {
    this.#admin = admin;
    this.#userId = userId;
  }

  static async begin(url: string): Promise<Decisions> {
    const admin = new Client(url);
    await admin.signIn('mina@example.com');
    await admin.result('addTag', { name: tag });
    const search = `member${loadingMembers + 1}`;
    const { users } = await admin.result('getUsers', { list: 'approved', search });
    return new Decisions(admin, users[0]?.id ?? '');
  }

  async compare(changing: RunningSite, telling: RunningSite): Promise<void> {
    this.#isGiven = !this.#isGiven;
    const tags = this.#isGiven ? [tag] : [];
    await this.#admin.at(changing.url).result('setApprovedTags', { userId: this.#userId, tags });
    const { memberCount } = await this.#admin.at(telling.url).result('describeAudience', { tags: [tag] });
    assert.equal(memberCount, tags.length, `${telling.url} counts otherwise than ${changing.url} decided.`);
  }
}
