import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OperationName } from '../../contract/operations.ts';
import type { Config } from '../config.ts';
import { Cache, type DependsOn, lagCounts } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { isOutage } from '../db/outage.ts';
import { encodingFor } from './encoding.ts';
import { isAnonymousRequest, logAnswers, plainAddress, plainCall, takeShortBody } from './plain-request.ts';
import { isFresh } from './responses.ts';
import type { Listener } from './running-requests.ts';
import { answerHeaders } from './security-headers.ts';

/** The answer to a request in one encoding, with all its headers. */
export type Answer = {
  status: number;
  body: Buffer<ArrayBuffer> | null;
  headers: Record<string, string>;
};

const maxDropped = 5_000;
/** How long cached answers are still sent while the database cannot be reached, in milliseconds. */
const staleMs = 60 * 60_000;

/**
 * The answers to reading requests: pages and calls of anonymous requests, pages of members. The app makes
 * them; each is kept until something changes that it depends on.
 */
export class AnswerCache {
  readonly #changes: ChangeRecord;
  readonly #pages: Cache<Answer>;
  readonly #calls: Cache<Answer>;
  /**
   * The names of pages that a change has dropped since they were made. Limited by size: `max` would allocate
   * at once.
   */
  readonly #dropped = new LRUCache<string, true>({ maxSize: maxDropped, sizeCalculation: () => 1 });
  readonly #origin: string;
  /** The headers of the answer to a call. */
  readonly callHeaders: Readonly<Record<string, string>>;

  constructor({
    changes,
    config,
    countsLagMs,
  }: { changes: ChangeRecord; config: Config; countsLagMs: number }) {
    this.#changes = changes;
    const sizeOf = ({ body }: Answer) => body?.length ?? 0;
    // A page may show counts that are a second old: in a member's open page the stream corrects them.
    this.#pages = new Cache(lagCounts(changes, countsLagMs), {
      name: 'pages',
      sizeOf,
      // Anybody can make up addresses that have no page.
      onDropped: (name, { status }) => status === 200 && this.#dropped.set(name, true),
    });
    this.#calls = new Cache(changes, { name: 'anonymousCalls', sizeOf });
    this.#origin = new URL(config.publicUrl).origin;
    this.callHeaders = { ...answerHeaders(config), 'content-type': 'application/json' };
  }

  /**
   * The page of an anonymous request. `make` is told whether a change has dropped the page since it was last
   * made; then the first request for it must remake it.
   */
  async anonymousPage(
    accept: string | null,
    address: string,
    make: (dependsOn: DependsOn, isDropped: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    const name = pageName(accept, address);
    return await this.#freshOr(this.#pages, name, async dependsOn => {
      const isDropped = this.#dropped.get(name) === true;
      const page = await make(dependsOn, isDropped);
      this.#dropped.delete(name);
      return page;
    });
  }

  /**
   * The page of a member, whose rights the caller has just checked; undefined if `make` returns undefined.
   */
  async memberPage(
    userId: string,
    accept: string | null,
    address: string,
    make: (dependsOn: DependsOn) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    return await this.#pages.get(`${userId} ${pageName(accept, address)}`, make);
  }

  /** The answer to an anonymous call. */
  async anonymousCall(
    operation: OperationName,
    body: string,
    make: (dependsOn: DependsOn) => Promise<Buffer<ArrayBuffer>>,
  ): Promise<Answer> {
    return await this.#freshOr(this.#calls, callName(operation, body), async dependsOn => ({
      status: 200,
      headers: this.callHeaders,
      body: await make(dependsOn),
    }));
  }

  /** Answers plain anonymous requests from the cache, after a poll of the record; passes on all others. */
  inFrontOf(listener: Listener, log: Logger): Listener {
    const logAnswer = logAnswers(log);
    return async (incoming, outgoing) => {
      const start = performance.now();
      const answer = await this.#cached(incoming);
      if (answer === undefined) return await listener(incoming, outgoing);
      sendAnswer(answer, incoming, outgoing);
      logAnswer(incoming, outgoing, start);
    };
  }

  async #cached(incoming: IncomingMessage): Promise<Answer | undefined> {
    if (!isAnonymousRequest(incoming.headers)) return undefined;
    const { method, url = '', headers } = incoming;
    if (method === 'GET' && plainAddress.test(url)) {
      return await this.#known(this.#pages, pageName(headers['accept-encoding']?.toString() ?? null, url));
    }
    const operation = plainCall(incoming, this.#origin);
    if (operation === undefined) return undefined;
    const { text, giveBack } = await takeShortBody(incoming);
    const answer = text === undefined ? undefined : await this.#known(this.#calls, callName(operation, text));
    if (answer === undefined) giveBack();
    return answer;
  }

  /**
   * The cached answer if it may be sent. Undefined also after an error: the app asks the record again, and
   * reports it.
   */
  async #known(cache: Cache<Answer>, name: string): Promise<Answer | undefined> {
    // The app answers a redirect or an error with other headers: those of a cached one would reveal that it
    // was requested before.
    if (cache.peek(name, { countsHit: false })?.status !== 200) return undefined;
    const isUsable = await this.#catchUp().then(
      () => true,
      () => false,
    );
    return isUsable ? cache.peek(name) : undefined;
  }

  async #freshOr(
    cache: Cache<Answer>,
    name: string,
    make: (dependsOn: DependsOn) => Promise<Answer>,
  ): Promise<Answer> {
    await this.#catchUp();
    return cache.peek(name) ?? (await cache.get(name, make));
  }

  /**
   * Polls the record of changes. While the database cannot be reached, cached answers may be sent for an
   * hour: hardly anything can be changed meanwhile (docs/decisions/0015). Throws the outage after that, and
   * any other error.
   */
  async #catchUp(): Promise<void> {
    try {
      await this.#changes.caughtUp();
    } catch (error) {
      if (!isOutage(error) || (this.#changes.lostForMs ?? 0) >= staleMs) throw error;
    }
  }
}

function sendAnswer(
  { status, headers, body }: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  if (incoming.method === 'GET' && status === 200 && isFresh(incoming.headers, headers)) {
    outgoing.writeHead(304, headers).end();
  } else {
    outgoing.writeHead(status, { ...headers, 'content-length': body?.length ?? 0 }).end(body);
  }
}

function pageName(accept: string | null, address: string): string {
  return `${encodingFor(accept, Number.POSITIVE_INFINITY)} ${address}`;
}

function callName(operation: string, body: string): string {
  return `${operation} ${body}`;
}
