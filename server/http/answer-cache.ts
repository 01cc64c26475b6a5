import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { isAnonymous } from '../access/viewer.ts';
import type { Config } from '../config.ts';
import { Cache, type DependsOn, lagCounts } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { isOutage } from '../db/outage.ts';
import type { Listener } from './connections.ts';
import { nextRequestId, since } from './request.ts';
import { encodingFor, isFresh } from './responses.ts';
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
  async pageForVisitors(
    acceptEncoding: string | null,
    address: string,
    make: (dependsOn: DependsOn, isDropped: boolean) => Promise<Answer>,
  ): Promise<Answer> {
    const name = pageName(acceptEncoding, address);
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
  async pageForMember(
    userId: string,
    acceptEncoding: string | null,
    address: string,
    make: (dependsOn: DependsOn) => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    return await this.#pages.get(`${userId} ${pageName(acceptEncoding, address)}`, make);
  }

  /** The answer to an anonymous call. */
  async callForVisitors(
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

  /**
   * Answers plain anonymous requests from the cache, after a poll of the record. Passes on all others: the
   * app handles every unusual request.
   */
  inFrontOf(listener: Listener, log: Logger): Listener {
    const isLogging = log.isLevelEnabled('info');
    return async (incoming, outgoing) => {
      const start = performance.now();
      const answer = await this.#answerTo(incoming);
      if (answer === undefined) return await listener(incoming, outgoing);
      sendAnswer(answer, incoming, outgoing);
      if (!isLogging) return;
      const { method, url: path } = incoming;
      const { statusCode: status } = outgoing;
      log.info({ requestId: nextRequestId(), method, path, status, ms: since(start) }, 'request');
    };
  }

  /** The cached answer to a plain request, if there is one that is still valid. */
  async #answerTo(incoming: IncomingMessage): Promise<Answer | undefined> {
    const { method, url = '', headers } = incoming;
    if (!isAnonymous({ get: name => headers[name]?.toString() ?? null })) return undefined;
    if (method === 'GET' && plainAddress.test(url)) {
      return await this.#ifValid(this.#pages, pageName(headers['accept-encoding']?.toString() ?? null, url));
    }
    const operation = plainCall(incoming, this.#origin);
    if (operation === undefined) return undefined;
    const { text, giveBack } = await takeShortBody(incoming);
    const answer =
      text === undefined ? undefined : await this.#ifValid(this.#calls, callName(operation, text));
    if (answer === undefined) giveBack();
    return answer;
  }

  /**
   * The cached answer of this name, if a poll of the record has not dropped it. Undefined also after an
   * error: the app polls again, and reports it.
   */
  async #ifValid(cache: Cache<Answer>, name: string): Promise<Answer | undefined> {
    // The app answers a redirect or an error with other headers: those of a cached one would reveal that it
    // was requested before.
    if (cache.peek(name, { countsHit: false })?.status !== 200) return undefined;
    const isUsable = await caughtUpOrStale(this.#changes).then(
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
    await caughtUpOrStale(this.#changes);
    return cache.peek(name) ?? (await cache.get(name, make));
  }
}

/**
 * Polls the record of changes. While the database cannot be reached, cached answers may be sent for an hour:
 * hardly anything can be changed meanwhile (docs/decisions/0015). Throws the outage after that, and any other
 * error.
 */
export async function caughtUpOrStale(changes: ChangeRecord): Promise<void> {
  try {
    await changes.caughtUp();
  } catch (error) {
    if (!isOutage(error) || (changes.lostForMs ?? 0) >= staleMs) throw error;
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

function pageName(acceptEncoding: string | null, address: string): string {
  return `${encodingFor(acceptEncoding, Number.POSITIVE_INFINITY)} ${address}`;
}

function callName(operation: string, body: string): string {
  return `${operation} ${body}`;
}

/**
 * Addresses without a query, escapes or dots; the app handles all others. Each segment ends at a slash, so
 * there is only one way to match: an optional slash would double the time with each letter.
 */
const plainAddress = /^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/;

/**
 * The reading operation that a plain request calls from a page of this site or from a program; undefined for
 * any other request.
 */
function plainCall(
  { method, url = '', headers }: IncomingMessage,
  ownOrigin: string,
): OperationName | undefined {
  const operation = url.startsWith('/api/') ? url.slice('/api/'.length) : '';
  const isPlain =
    method === 'POST' &&
    isCached(operation) &&
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers.accept !== 'text/event-stream' &&
    [undefined, ownOrigin].includes(headers.origin) &&
    [undefined, 'same-origin', 'none'].includes(headers['sec-fetch-site']?.toString());
  return isPlain ? operation : undefined;
}

/** Whether the answers of an operation are the same for all anonymous requests until something changes. */
export function isCached(name: string): name is OperationName {
  const all: Record<string, Operation> = operations;
  return Object.hasOwn(all, name) && all[name]?.caching !== undefined;
}

/**
 * Reads the body if it arrived together with the headers; otherwise `text` is undefined. `giveBack` lets the
 * app read the body again.
 */
async function takeShortBody(
  incoming: IncomingMessage,
): Promise<{ text: string | undefined; giveBack: () => void }> {
  // By the next tick a short body has arrived with its headers; a later one is not waited for here.
  await new Promise<void>(resolve => process.nextTick(resolve));
  const hasCome = incoming.readableLength === Number(incoming.headers['content-length']);
  const body: Buffer | null = hasCome ? incoming.read() : null;
  return {
    text: body?.toString(),
    giveBack: () => {
      if (body !== null) incoming.unshift(body);
    },
  };
}
