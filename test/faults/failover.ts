import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedPassword } from '../../bench/seed/members.ts';
import type { Output } from '../../contract/operations.ts';
import { hasNginx, startNginx } from '../nginx.ts';
import { createDatabase, promote, startPostgresPair } from '../postgres.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const processes = 6;
const members = 6;
/** An account may comment 20 times a minute. */
const readsPerComment = 20;
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
  await sites[0]?.seed('--posts', '20', '--members', String(members), '--comments', '0', '--likes', '0');
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

/** Visitors and members who ask all the time. */
class Load {
  readonly #url: string;
  readonly #postId: string;
  /** Comments that were acknowledged. */
  readonly #written = new Set<string>();
  readonly #asking: Promise<void>[] = [];
  readonly #refused = new Map<number, number>();
  #visits = 0;
  #answeredAt: number[] = [];
  #isOver = false;

  constructor(url: string, postId: string) {
    this.#url = url;
    this.#postId = postId;
  }

  async begin(): Promise<void> {
    for (let number = 1; number <= members; number += 1) {
      const client = new Client(this.#url);
      await client.signIn(`member${number}@example.com`, seedPassword);
      this.#asking.push(this.#read(number - 1, client));
    }
    for (const path of ['/', `/post/${this.#postId}`]) this.#asking.push(this.#visit(path));
  }

  /** How long after a moment every member had been answered again, in milliseconds. */
  async backAfter(start: number): Promise<number> {
    for (;;) {
      const since = this.#answeredAt.map(at => at - start);
      if (since.length === members && since.every(ms => ms > 0)) return Math.max(...since);
      assert.ok(performance.now() - start < 60_000, 'Members are not answered again.');
      await sleep(20);
    }
  }

  async end(): Promise<object> {
    this.#isOver = true;
    await Promise.all(this.#asking);
    const there = new Set<string>();
    const reader = new Client(this.#url);
    await reader.signIn('member1@example.com', seedPassword);
    let after: string | null = null;
    do {
      const page: Output<'listComments'> = await reader.told('listComments', { postId: this.#postId, after });
      for (const { content } of page.comments) there.add(content);
      after = page.nextCursor;
    } while (after !== null);
    const lost = [...this.#written].filter(content => !there.has(content));
    assert.deepEqual(lost, [], 'Comments that were acknowledged are gone.');
    return {
      visits: this.#visits,
      comments: this.#written.size,
      refusals: Object.fromEntries(this.#refused),
    };
  }

  /** Reads, and comments as often as an account may. A comment that nobody answered may be there or not. */
  async #read(member: number, client: Client): Promise<void> {
    for (let number = 0; !this.#isOver; number += 1) {
      const content = number % readsPerComment === 0 ? `Comment ${number} of ${member}.` : undefined;
      const answer =
        content === undefined
          ? await client.ask('getPost', { postId: this.#postId })
          : await client.ask('addComment', { postId: this.#postId, content });
      if (answer !== null && 'result' in answer) {
        if (content !== undefined) this.#written.add(content);
        this.#answeredAt[member] = performance.now();
      } else {
        const status = answer?.status ?? 0;
        assert.ok([0, 502, 503, 504].includes(status), `A member was answered ${status}.`);
        this.#refused.set(status, (this.#refused.get(status) ?? 0) + 1);
      }
      await sleep(200);
    }
  }

  async #visit(path: string): Promise<void> {
    while (!this.#isOver) {
      const answer = await fetch(`${this.#url}${path}`);
      const text = await answer.text();
      assert.equal(
        answer.status,
        200,
        `A visitor of ${path} was answered ${answer.status}: ${text.slice(0, 200)}`,
      );
      this.#visits += 1;
      await sleep(20);
    }
  }
}
