import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedPassword } from '../../bench/seed/members.ts';
import type { Output } from '../../contract/operations.ts';
import { Client } from './client.ts';

/** Seeded members who ask. */
export const loadingMembers = 6;
/** An account may comment 20 times a minute. */
const readsPerComment = 20;

/** Visitors and members who ask all the time. */
export class Load {
  readonly #url: string;
  readonly #postId: string;
  /** Comments that were acknowledged. */
  readonly #written = new Set<string>();
  readonly #asking: Promise<void>[] = [];
  readonly #refused = new Map<number, number>();
  #visits = 0;
  /**
   * When each member was answered last, and the longest time that one of them waited from one answer to the
   * next.
   */
  readonly #answeredAt: number[] = [];
  #longestMs = 0;
  #isOver = false;

  constructor(url: string, postId: string) {
    this.#url = url;
    this.#postId = postId;
  }

  async begin(): Promise<void> {
    for (let number = 1; number <= loadingMembers; number += 1) {
      const client = new Client(this.#url);
      await client.signIn(`member${number}@example.com`, seedPassword);
      this.#asking.push(this.#read(number - 1, client));
    }
    for (const path of ['/', `/post/${this.#postId}`]) this.#asking.push(this.#visit(path));
  }

  /**
   * Does something, and waits until each member has been answered after it. Resolves with the longest time
   * that one of them went without an answer, in milliseconds.
   */
  async waitedDuring(act: () => Promise<unknown>): Promise<number> {
    this.#longestMs = 0;
    await act();
    const done = performance.now();
    while (this.#answeredAt.filter(at => at > done).length < loadingMembers) {
      assert.ok(performance.now() - done < 60_000, 'Members are not answered again.');
      await sleep(20);
    }
    return Math.round(this.#longestMs);
  }

  async end(): Promise<object> {
    this.#isOver = true;
    await Promise.all(this.#asking);
    const there = new Set<string>();
    const reader = new Client(this.#url);
    await reader.signIn('member1@example.com', seedPassword);
    let after: string | null = null;
    do {
      const page: Output<'listComments'> = await reader.result('listComments', {
        postId: this.#postId,
        after,
      });
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
        const now = performance.now();
        this.#longestMs = Math.max(this.#longestMs, now - (this.#answeredAt[member] ?? now));
        this.#answeredAt[member] = now;
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
