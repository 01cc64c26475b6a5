import type { IncomingMessage, ServerResponse } from 'node:http';
import fresh from 'fresh';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { OperationName } from '../../contract/operations.ts';
import type { Config } from '../config.ts';
import { Cache, type MadeFrom } from '../db/changes/cache.ts';
import { cacheBytes } from '../db/changes/cache-bytes.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { isOutage } from '../db/outage.ts';
import { accepts, encodingFor } from './encoding.ts';
import { isAnonymousRequest, noteAnswers, plainAddress, plainCall, takeShortBody } from './plain-request.ts';
import type { Listener } from './running-requests.ts';
import { answerHeaders } from './security-headers.ts';

/** A page in one encoding, with all the headers that it is sent with. */
export type PageBytes = {
  status: number;
  body: Buffer<ArrayBuffer> | null;
  headers: Record<string, string>;
};
/** The answer to a call as JSON. */
type CallBytes = Buffer<ArrayBuffer>;

const mostNames = 5_000;
/** How long cached answers are still sent while the database cannot be reached, in milliseconds. */
const staleMs = 60 * 60_000;

/**
 * Makes a page for the visitor who asks for it. `isDropped`: visitors shared it until a change dropped it, so that it
 * has to be made again for whoever comes first.
 */
type MakePage = (incoming: IncomingMessage, madeFrom: MadeFrom, isDropped: boolean) => Promise<PageBytes>;

/** The response cache for visitors. An entry is dropped when something that it was made from changes. */
export class AnonymousCache {
  readonly #changes: ChangeRecord;
  readonly #pages: Cache<PageBytes>;
  /**
   * The keys of pages with a plain address that have been made before, so that they are known to exist; true for those that
   * a change has dropped since, and false for those that are there or had to make room. Addresses with a query may be long, and
   * are never asked for here. Counted as sizes: with `max` all the room would be made at the start of each site.
   */
  readonly #madePages = new LRUCache<string, boolean>({ maxSize: mostNames, sizeCalculation: () => 1 });
  readonly #calls: Cache<CallBytes>;
  readonly #origin: string;
  /** The headers of the answer to a call. */
  readonly callHeaders: Readonly<Record<string, string>>;

  constructor(changes: ChangeRecord, config: Pick<Config, 'isSecure' | 'publicUrl'>) {
    this.#changes = changes;
    this.#pages = new Cache<PageBytes>(changes, {
      maxBytes: cacheBytes('anonymousPages'),
      sizeOf: ({ body }) => body?.length ?? 0,
      onDropped: name => this.#madePages.has(name) && this.#madePages.set(name, true),
    });
    this.#calls = new Cache<CallBytes>(changes, {
      maxBytes: cacheBytes('anonymousCalls'),
      sizeOf: ({ length }) => length,
    });
    this.#origin = new URL(config.publicUrl).origin;
    this.callHeaders = { ...answerHeaders(config), 'content-type': 'application/json' };
  }

  async page(
    accept: string | null,
    address: string,
    make: (madeFrom: MadeFrom) => Promise<PageBytes>,
  ): Promise<PageBytes> {
    const name = pageKey(accept, address);
    const page = await this.#fresh(this.#pages, name, make);
    if (page.status === 200 && plainAddress.test(address)) this.#noteMade(name);
    return page;
  }

  #noteMade(name: string): void {
    // One that changed while it was made is not there, and has to be made again for the next visitor.
    const isThere = this.#pages.known(name) !== undefined;
    this.#madePages.set(name, !isThere && this.#madePages.get(name) === true);
  }

  /** The answer to a body sent to an operation that visitors share. */
  async call(
    operation: OperationName,
    body: string,
    make: (madeFrom: MadeFrom) => Promise<CallBytes>,
  ): Promise<CallBytes> {
    return await this.#fresh(this.#calls, callKey(operation, body), make);
  }

  /**
   * A cached value, after a look at the record of changes. While the database cannot be reached, the last known value
   * is returned for an hour: hardly anything can be changed meanwhile (docs/decisions/0015).
   */
  async #fresh<T>(cache: Cache<T>, name: string, make: (madeFrom: MadeFrom) => Promise<T & {}>): Promise<T> {
    try {
      await this.#changes.fresh();
    } catch (error) {
      const known = isOutage(error) && this.#mayBeStale() ? cache.known(name) : undefined;
      if (known !== undefined) return known;
      throw error;
    }
    return await cache.get(name, make);
  }

  #mayBeStale(): boolean {
    return (this.#changes.lostForMs ?? 0) < staleMs;
  }

  /** A cached answer to a call, after a look; undefined if the app has to answer. */
  async #knownCall(name: string): Promise<CallBytes | undefined> {
    try {
      await this.#changes.fresh();
    } catch {
      if (!this.#mayBeStale()) return undefined;
    }
    return this.#calls.known(name);
  }

  /** A page that has been made before; undefined if the app has to decide what is there now. */
  async #knownPage(name: string, make: (madeFrom: MadeFrom, isDropped: boolean) => Promise<PageBytes>) {
    try {
      await this.#changes.fresh();
    } catch {
      return this.#mayBeStale() ? this.#pages.known(name) : undefined;
    }
    const known = this.#pages.known(name);
    if (known !== undefined) return known;
    // After a change, the first request makes the page, and others wait for it.
    const isDropped = this.#madePages.get(name) === true;
    const page = await this.#pages.get(name, madeFrom => make(madeFrom, isDropped)).catch(() => undefined);
    if (page?.status === 200) this.#noteMade(name);
    return page;
  }

  /**
   * Answers from the cache, and passes all other requests to `listener`. Most visitors ask for what another one has
   * just been sent, and the way through the app would take longer than the answer. So a page that has been made before
   * is made again by `make`, without the app.
   */
  before(listener: Listener, log: Logger, make: MakePage): Listener {
    const noted = noteAnswers(log);
    return async (incoming, outgoing) => {
      const start = performance.now();
      const pageName = plainPage(incoming);
      if (pageName !== undefined && this.#madePages.has(pageName)) {
        const page = await this.#knownPage(pageName, (...from) => make(incoming, ...from));
        if (page?.status !== 200) return await listener(incoming, outgoing);
        sendPage(page, incoming, outgoing);
        noted(incoming, outgoing, start);
        return;
      }
      const operation = isAnonymousRequest(incoming.headers) ? plainCall(incoming, this.#origin) : undefined;
      if (operation === undefined) return await listener(incoming, outgoing);
      const { text, giveBack } = await takeShortBody(incoming);
      const name = text === undefined ? undefined : callKey(operation, text);
      const isKnown = name !== undefined && this.#calls.known(name) !== undefined;
      const known = isKnown ? await this.#knownCall(name) : undefined;
      if (known === undefined) {
        giveBack();
        return await listener(incoming, outgoing);
      }
      outgoing.writeHead(200, { ...this.callHeaders, 'content-length': known.length }).end(known);
      noted(incoming, outgoing, start);
    };
  }
}

/**
 * The key of the page that a plain request of a visitor asks for; undefined for any other request, which the app
 * handles.
 */
function plainPage({ method, url = '', headers }: IncomingMessage): string | undefined {
  if (method !== 'GET' || !plainAddress.test(url) || !isAnonymousRequest(headers)) return undefined;
  return pageKey(headers['accept-encoding']?.toString() ?? null, url);
}

function sendPage(page: PageBytes, incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (fresh(incoming.headers, page.headers)) outgoing.writeHead(304, page.headers).end();
  else outgoing.writeHead(200, { ...page.headers, 'content-length': page.body?.length ?? 0 }).end(page.body);
}

/**
 * The cache key of a page. It holds whether gzip is accepted, because gzip is also sent to a browser that accepts a
 * better encoding when that would take too long.
 */
export function pageKey(accept: string | null, address: string): string {
  return `${encodingFor(accept, Number.POSITIVE_INFINITY)} ${accepts(accept, 'gzip')} ${address}`;
}

function callKey(operation: string, body: string): string {
  return `${operation} ${body}`;
}
