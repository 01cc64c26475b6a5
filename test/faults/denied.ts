import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedPassword } from '../../bench/seed/members.ts';
import { LiveStream } from '../support/live.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const processes = 6;
/** They take turns, because an account may not ask more than so often a minute. */
const readers = 20;
const requestsPerRound = 100;

/**
 * Six processes behind PgBouncer and nginx. In each round a reader loses the right to a post, by a denial or
 * with a tag, while their browser keeps asking for it: requests that are sent after the answer to the admin
 * must get nothing of the post, and their stream must report the change. 100 rounds are 10,000 requests.
 */
export async function runDenied(place: Place, { rounds }: { rounds: number }): Promise<object> {
  const { postgres, location } = place;
  if (postgres === undefined || location.databaseUrl === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasPgBouncer || !hasNginx) return { skipped: 'PgBouncer or nginx is not installed' };
  const pooler = await startPgBouncer(postgres.url);
  const settings = {
    DATABASE_URL: `${pooler.url}${new URL(location.databaseUrl).pathname}`,
    DATABASE_DIRECT_URL: location.databaseUrl,
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const sites = await Promise.all(Array.from({ length: processes }, () => place.site(settings)));
  for (const [index, site] of sites.entries()) {
    await site.start();
    if (index === 0) await site.createAdmin();
  }
  const [first] = sites;
  await first?.seed('--posts', '0', '--members', String(readers), '--comments', '0', '--likes', '0');
  const nginx = await startNginx(sites.map(site => site.url));
  try {
    const admin = new Client(nginx.url);
    await admin.signIn('mina@example.com');
    await admin.result('addTag', { name: 'insiders' });
    const { users } = await admin.result('getUsers', { list: 'approved', search: 'member' });
    const report = { requests: 0, meanwhile: 0, streamMs: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const number = (round % readers) + 1;
      const user = users.find(({ username }) => username === `member${number}`);
      assert.ok(user !== undefined);
      const isDenial = round % 2 === 0;
      const secret = `Secret of round ${round}`;
      // Refused where they lost a tag alone in their last round.
      await admin.call('approveUser', { userId: user.id, tags: [] });
      const cookie = await cookieOf(nginx.url, number, round);
      await admin.result('setApprovedTags', { userId: user.id, tags: ['insiders'] });
      const { post } = await admin.result('createPost', {
        type: 'short',
        content: secret,
        tags: ['insiders'],
        isDraft: false,
      });
      const reader = new Reader(nginx.url, cookie, post.id, secret);
      for (let asked = 0; asked < 2 * processes; asked += 1) assert.ok(await reader.ask(asked));
      const stream = new LiveStream(
        await fetch(`${nginx.url}/live?post=${post.id}`, { headers: { cookie } }),
      );
      await stream.until('state');
      const before = reader.goOn();
      await sleep(50);
      if (isDenial) await admin.result('denyUser', { userId: user.id });
      else await admin.result('setApprovedTags', { userId: user.id, tags: [] });
      const acknowledged = performance.now();
      const gone = endOf(stream).then(() => performance.now() - acknowledged);
      const asked = Array.from({ length: requestsPerRound }, (_, index) => reader.ask(index));
      const got = (await Promise.all(asked)).filter(Boolean).length;
      assert.equal(got, 0, `${got} requests of round ${round} got what had been taken away.`);
      report.requests += asked.length;
      report.meanwhile += await before.stop();
      report.streamMs.push(await gone);
      await stream.close();
    }
    const sorted = report.streamMs.toSorted((a, b) => a - b).map(Math.round);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)];
    const { requests, meanwhile } = report;
    return { rounds, requests, meanwhile, streamsEndedMs: { median: at(0.5), p99: at(0.99), most: at(1) } };
  } finally {
    await nginx.stop();
    for (const site of sites) await site.stop();
    await pooler.stop();
  }
}

/** Signs a reader in, from an address of its own in each round. */
async function cookieOf(url: string, number: number, round: number): Promise<string> {
  const answer = await fetch(`${url}/api/signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${round}.1` },
    body: JSON.stringify({ data: { email: `member${number}@example.com`, password: seedPassword } }),
  });
  assert.equal(answer.status, 200, await answer.text());
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Waits until a stream has ended, or says that its reader may not follow the post any more. */
async function endOf(stream: LiveStream): Promise<void> {
  for (;;) {
    const event = await stream.next();
    if (event === undefined || event.name === 'gone') return;
  }
}

/** A browser that asks for a post in all the ways that show it. */
class Reader {
  readonly #url: string;
  readonly #cookie: string;
  readonly #postId: string;
  readonly #secret: string;

  constructor(url: string, cookie: string, postId: string, secret: string) {
    this.#url = url;
    this.#cookie = cookie;
    this.#postId = postId;
    this.#secret = secret;
  }

  /**
   * Whether the answer shows the post. Throws for an answer that says nothing about rights, such as a limit.
   */
  async ask(way: number): Promise<boolean> {
    const [path, data] = (
      [
        ['/api/getPost', { postId: this.#postId }],
        ['/api/getPosts', {}],
        [`/post/${this.#postId}`],
        ['/'],
        ['/tags/insiders'],
      ] as const
    )[way % 5] ?? ['/'];
    const answer = await fetch(`${this.#url}${path}`, {
      method: data === undefined ? 'GET' : 'POST',
      headers: { cookie: this.#cookie, 'content-type': 'application/json' },
      redirect: 'manual',
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
    });
    const text = await answer.text();
    assert.ok(answer.status < 429, `${path} was answered ${answer.status}: ${text.slice(0, 200)}`);
    return text.includes(this.#secret);
  }

  /** Asks one after the other until it is stopped; `stop` tells how often. */
  goOn(): { stop(): Promise<number> } {
    let isOver = false;
    const asking = (async () => {
      let asked = 0;
      for (; !isOver; asked += 1) await this.ask(asked);
      return asked;
    })();
    return {
      stop: async () => {
        isOver = true;
        return await asking;
      },
    };
  }
}
