import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { BenchSite } from './servers.ts';

/** The rates of a busy evening, in writes a second. */
const busyEvening = { likes: 50, comments: 10 };

/**
 * Lets members like and comment on these posts in turn, at a steady rate however long the answers take. An
 * account likes each post or removes its like, so that every call changes a count. At its end it throws if a
 * write was refused.
 */
export class Writers {
  readonly #site: BenchSite;
  readonly #cookies: readonly string[];
  readonly #postIds: readonly string[];
  readonly #perSecond: typeof busyEvening;
  readonly #agent = new Agent({ keepAlive: true });
  #likes = 0;
  #comments = 0;

  constructor(
    site: BenchSite,
    cookies: readonly string[],
    postIds: readonly string[],
    perSecond = busyEvening,
  ) {
    this.#site = site;
    this.#cookies = cookies;
    this.#postIds = postIds;
    this.#perSecond = perSecond;
  }

  start(): { stop(): Promise<void> } {
    const begun = performance.now();
    const answers: Promise<void>[] = [];
    const done = { likes: 0, comments: 0 };
    const due = (perSecond: number) => ((performance.now() - begun) / 1_000) * perSecond;
    const turn = () => {
      for (; done.likes < due(this.#perSecond.likes); done.likes += 1) answers.push(this.#like());
      for (; done.comments < due(this.#perSecond.comments); done.comments += 1) answers.push(this.#comment());
    };
    const timer = setInterval(turn, 5);
    return {
      stop: async () => {
        clearInterval(timer);
        await Promise.all(answers);
      },
    };
  }

  async #like(): Promise<void> {
    const number = this.#likes++;
    // Every pair of account and post once, then all pairs again.
    const round = Math.floor(number / (this.#cookies.length * this.#postIds.length));
    const postId = this.#postIds[number % this.#postIds.length];
    const who = Math.floor(number / this.#postIds.length);
    await this.#write(who, 'setLike', { postId, liked: round % 2 === 0 });
  }

  async #comment(): Promise<void> {
    const number = this.#comments++;
    const postId = this.#postIds[number % this.#postIds.length];
    await this.#write(number, 'addComment', { postId, content: `Comment ${number}` });
  }

  /**
   * Uses node:http: `fetch` takes a millisecond more processor time for each write, on the machine of the
   * measured server.
   */
  async #write(who: number, name: string, data: unknown): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      cookie: this.#cookies[who % this.#cookies.length] ?? '',
    };
    const sent = request(`${this.#site.url}/api/${name}`, { agent: this.#agent, method: 'POST', headers });
    sent.end(JSON.stringify({ data }));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await text(answer);
    if (answer.statusCode !== 200) throw new Error(`${name} was answered ${answer.statusCode}: ${body}`);
  }
}
