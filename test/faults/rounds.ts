import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { adminPassword, type RunningSite } from '../e2e/site.ts';

/** What the server has said yes to, and so must be there whatever happens to its process. */
type Acknowledged = { posts: Set<string>; deleted: Set<string>; likes: Map<string, boolean> };
export type Report = { rounds: number; acknowledged: number; slowestStartMs: number };

/** Whoever writes in a round, with their own session. */
class Client {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  async signIn(email: string): Promise<void> {
    const response = await this.#send('signIn', { email, password: adminPassword });
    assert.equal(response.status, 200);
    this.#token = response.headers.get('set-auth-token') ?? '';
  }

  /** The answer; undefined when the server refused, or was not there to answer. */
  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name> | undefined> {
    try {
      const response = await this.#send(name, input);
      const body = await response.json();
      // A limit or a conflict is an answer; a fault of ours is not.
      assert.ok(response.status < 500 || response.status === 503, JSON.stringify(body));
      return body.result;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  }

  #send(name: string, data: unknown): Promise<Response> {
    return fetch(`${this.#url}/api/${name}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify({ data }),
    });
  }
}

/**
 * Kills the server with -9 while it writes, starts it again, and looks whether everything that it had acknowledged is
 * there and everything that must hold holds. Throws at the first round that lost something.
 */
export async function runRounds(site: RunningSite, rounds: number, random: () => number): Promise<Report> {
  await site.createAdmin();
  const report: Report = { rounds: 0, acknowledged: 0, slowestStartMs: 0 };
  const acknowledged: Acknowledged = {
    posts: new Set(),
    deleted: new Set(),
    likes: new Map(),
  };
  const admin = new Client(site.url);
  await admin.signIn('mina@example.com');
  for (; report.rounds < rounds; report.rounds += 1) {
    let isRunning = true;
    const writers = Array.from({ length: 4 }, (_, index) =>
      writeUntil(() => !isRunning, admin, acknowledged, `${report.rounds}x${index}`, random, report),
    );
    // However slow the machine is, something must be under way; then at any moment.
    const start = performance.now();
    const before = report.acknowledged;
    while (report.acknowledged < before + 3 && performance.now() - start < 10_000) await sleep(10);
    await sleep(random() * 200);
    await site.stop('SIGKILL');
    isRunning = false;
    await Promise.all(writers);
    const stopped = performance.now();
    await site.start();
    report.slowestStartMs = Math.max(report.slowestStartMs, performance.now() - stopped);
    await check(admin, acknowledged);
  }
  const diagnosis = await site.cli('doctor');
  assert.match(diagnosis, /Everything is as it must be/);
  return report;
}

async function writeUntil(
  isOver: () => boolean,
  admin: Client,
  acknowledged: Acknowledged,
  name: string,
  random: () => number,
  report: Report,
): Promise<void> {
  for (let step = 0; !isOver() && step < 1_000; step += 1) {
    const created = await admin.call('createPost', {
      type: 'short',
      content: `Post ${name} ${step}`,
      tags: [`tag${step % 7}`],
      isDraft: false,
    });
    if (created === undefined) continue;
    const { id } = created.post;
    acknowledged.posts.add(id);
    report.acknowledged += 1;
    const liked = random() < 0.7;
    // From here the outcome is open until it is acknowledged.
    acknowledged.likes.delete(id);
    if ((await admin.call('setLike', { postId: id, liked })) !== undefined) {
      acknowledged.likes.set(id, liked);
      report.acknowledged += 1;
    }
    if (random() < 0.2) {
      acknowledged.posts.delete(id);
      if ((await admin.call('deletePost', { postId: id })) !== undefined) {
        acknowledged.deleted.add(id);
        report.acknowledged += 1;
      }
    }
  }
}

async function check(admin: Client, { posts, deleted, likes }: Acknowledged): Promise<void> {
  // The newest are those that the last kill could have cost.
  for (const id of [...posts].slice(-40)) {
    const answer = await admin.call('getPost', { postId: id });
    assert.ok(answer !== undefined, `The post ${id} was acknowledged and is gone.`);
    const liked = likes.get(id);
    if (liked !== undefined)
      assert.equal(answer.post.isLiked, liked, `The like of ${id} is not as acknowledged.`);
    assert.equal(answer.post.likeCount, answer.post.isLiked ? 1 : 0);
  }
  for (const id of [...deleted].slice(-20)) {
    assert.equal(await admin.call('getPost', { postId: id }), undefined, `The post ${id} is back.`);
  }
}

/** Numbers between 0 and 1, the same for the same seed: a round that failed can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
