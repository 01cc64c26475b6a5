import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { OperationName } from '../../contract/operations.ts';
import { isAnonymous } from '../access/credentials.ts';
import type { Config } from '../config.ts';
import { Kept } from '../db/kept.ts';
import { encodingFor } from './encoding.ts';
import { nextRequestId, since } from './request.ts';
import { answerHeaders } from './security-headers.ts';
import { visitorTables } from './visitor-tables.ts';

/** A page as bytes, in one encoding, with all the headers that it is sent with. */
export type PageBytes = {
  status: number;
  body: Buffer<ArrayBuffer> | null;
  headers: Record<string, string>;
  size: number;
};
/** The answer to a call as JSON. */
export type CallBytes = { body: Buffer<ArrayBuffer>; size: number };

/** What visitors' pages may take in memory, and the answers to their calls. */
const maxPageBytes = 32 * 1024 * 1024;
const maxCallBytes = 16 * 1024 * 1024;
/**
 * Addresses that need no second look: with a query, or escapes, the app decides what they mean. Every name ends at a
 * slash, so there is one way to read them: an optional slash would make the time double with each letter.
 */
const plainAddress = /^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/;
/** Operations that only read: a visitor's answer is the same for all of them until the content changes. */
const sharedCalls: ReadonlySet<string> = new Set<OperationName>([
  'getPosts',
  'getPost',
  'getTags',
  'getSettings',
]);

/** What visitors were answered, as bytes, each until something changes that a visitor could see. */
export class VisitorAnswers {
  readonly #pages: Kept<PageBytes>;
  readonly #calls: Kept<CallBytes>;
  readonly #origin: string;
  /** What the answer to a call is sent with. */
  readonly callHeaders: Readonly<Record<string, string>>;

  constructor(
    changes: ConstructorParameters<typeof Kept>[0],
    config: Pick<Config, 'isSecure' | 'publicUrl'>,
  ) {
    this.#pages = new Kept(changes, visitorTables, maxPageBytes);
    this.#calls = new Kept(changes, visitorTables, maxCallBytes);
    this.#origin = new URL(config.publicUrl).origin;
    this.callHeaders = { ...answerHeaders(config), 'content-type': 'application/json' };
  }

  async page(accept: string | null, address: string, make: () => Promise<PageBytes>): Promise<PageBytes> {
    return await this.#pages.get(pageKey(accept, address), make);
  }

  /** Whether visitors share the answers of an operation. */
  isShared(operation: OperationName): boolean {
    return sharedCalls.has(operation);
  }

  /** The answer to a body sent to an operation that visitors share. */
  async call(operation: OperationName, body: string, make: () => Promise<CallBytes>): Promise<CallBytes> {
    return await this.#calls.get(callKey(operation, body), make);
  }

  /**
   * Sends what is kept, and asks `listener` for all else. Most of what visitors ask for is what another one has just
   * been sent, and the way through the app would take longer than the answer.
   */
  before(listener: RequestListener, log: Logger): RequestListener {
    const isLogging = log.isLevelEnabled('info');
    const noted = (incoming: IncomingMessage, outgoing: ServerResponse, start: number) => {
      if (!isLogging) return;
      const { method, url } = incoming;
      const answered = { method, path: url, status: outgoing.statusCode, ms: since(start) };
      log.info({ requestId: nextRequestId(), ...answered }, 'request');
    };
    return (incoming, outgoing) => {
      const start = performance.now();
      const page = this.#knownPage(incoming);
      if (page !== undefined) {
        sendPage(page, incoming, outgoing);
        return noted(incoming, outgoing, start);
      }
      const operation = this.#sharedCall(incoming);
      if (operation === undefined) return listener(incoming, outgoing);
      // By then a short body has come with its headers, or it is not worth waiting for here.
      process.nextTick(() => {
        const hasCome = incoming.readableLength === Number(incoming.headers['content-length']);
        const body: Buffer | null = hasCome ? incoming.read() : null;
        const known = body === null ? undefined : this.#calls.known(callKey(operation, body.toString()));
        if (known !== undefined) {
          outgoing.writeHead(200, { ...this.callHeaders, 'content-length': known.size }).end(known.body);
          return noted(incoming, outgoing, start);
        }
        if (body !== null) incoming.unshift(body);
        listener(incoming, outgoing);
      });
    };
  }

  /** The page that answers a request, if the app has answered the same one before and it is as it was. */
  #knownPage({ method, url = '', headers }: IncomingMessage): PageBytes | undefined {
    if (method !== 'GET' || !plainAddress.test(url) || !isVisitors(headers)) return undefined;
    const page = this.#pages.known(pageKey(headers['accept-encoding']?.toString() ?? null, url));
    return page?.status === 200 ? page : undefined;
  }

  /** The shared operation that a request calls, if it is plainly a visitor's; of all that is odd the app decides. */
  #sharedCall({ method, url = '', headers }: IncomingMessage): string | undefined {
    const operation = url.startsWith('/api/') ? url.slice('/api/'.length) : '';
    const isPlain =
      method === 'POST' &&
      sharedCalls.has(operation) &&
      headers['content-type'] === 'application/json' &&
      headers['content-encoding'] === undefined &&
      headers.accept !== 'text/event-stream' &&
      [undefined, this.#origin].includes(headers.origin) &&
      [undefined, 'same-origin', 'none'].includes(headers['sec-fetch-site']?.toString()) &&
      isVisitors(headers);
    return isPlain ? operation : undefined;
  }
}

function sendPage(page: PageBytes, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const isKnown = incoming.headers['if-none-match'] === page.headers.etag;
  if (isKnown) outgoing.writeHead(304, page.headers).end();
  else outgoing.writeHead(200, { ...page.headers, 'content-length': page.size }).end(page.body);
}

function isVisitors(headers: IncomingMessage['headers']): boolean {
  return isAnonymous({ get: name => headers[name]?.toString() ?? null });
}

function pageKey(accept: string | null, address: string): string {
  return `${encodingFor(accept, Number.POSITIVE_INFINITY)} ${address}`;
}

function callKey(operation: string, body: string): string {
  return `${operation} ${body}`;
}
