import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { isAnonymous } from '../access/sessions.ts';
import { Kept } from '../db/kept.ts';
import { encodingFor } from './encoding.ts';
import type { PageBytes } from './pages.ts';
import { nextRequestId, since } from './request.ts';
import { visitorTables } from './visitor-tables.ts';

/** What visitors' pages may take in memory. */
const maxKeptBytes = 32 * 1024 * 1024;
/** Addresses that need no second look: with a query, or escapes, the app decides what they mean. */
// One way to read each address: what can be read in many ways takes seconds to refuse.
const plainAddress = /^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/;

/** Visitors' pages as bytes, each until something changes that a visitor could see. */
export class VisitorPages {
  readonly #kept: Kept<PageBytes>;

  constructor(changes: ConstructorParameters<typeof Kept>[0]) {
    this.#kept = new Kept(changes, visitorTables, maxKeptBytes);
  }

  async get(accept: string | null, address: string, make: () => Promise<PageBytes>): Promise<PageBytes> {
    return await this.#kept.get(keyOf(accept, address), make);
  }

  /** The page that answers a request, if the app has answered the same one before and it is as it was. */
  #knownFor({ method, url = '', headers }: IncomingMessage): PageBytes | undefined {
    if (method !== 'GET' || !plainAddress.test(url)) return undefined;
    const header = (name: string) => headers[name]?.toString() ?? null;
    if (!isAnonymous({ get: header })) return undefined;
    const page = this.#kept.known(keyOf(header('accept-encoding'), url));
    return page?.status === 200 ? page : undefined;
  }

  /**
   * Sends kept pages, and asks `listener` for all else. Most of what visitors ask for is a page that another one has
   * just been sent, and the way through the app would take longer than the answer.
   */
  before(listener: RequestListener, log: Logger): RequestListener {
    const isLogging = log.isLevelEnabled('info');
    return (incoming, outgoing) => {
      const start = performance.now();
      const page = this.#knownFor(incoming);
      if (page === undefined) return listener(incoming, outgoing);
      send(page, incoming, outgoing);
      if (!isLogging) return;
      const { method, url } = incoming;
      const answered = { method, path: url, status: outgoing.statusCode, ms: since(start) };
      log.info({ requestId: nextRequestId(), ...answered }, 'request');
    };
  }
}

function send(page: PageBytes, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const isKnown = incoming.headers['if-none-match'] === page.headers.etag;
  if (isKnown) outgoing.writeHead(304, page.headers).end();
  else outgoing.writeHead(200, { ...page.headers, 'content-length': page.size }).end(page.body);
}

function keyOf(accept: string | null, address: string): string {
  return `${encodingFor(accept, Number.POSITIVE_INFINITY)} ${address}`;
}
