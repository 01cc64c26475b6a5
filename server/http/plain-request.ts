import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { OperationName } from '../../contract/operations.ts';
import { isAnonymous } from '../access/credentials.ts';
import { nextRequestId, since } from './request.ts';

/**
 * What most readers send, answered before the app: requests about which only the identity of the sender has to be decided.
 * Whatever is odd about one, the app looks at it.
 */

/**
 * Addresses that need no second look: with a query, or escapes, the app decides what they mean. Every name ends at a
 * slash, so there is one way to read them: an optional slash would make the time double with each letter.
 */
export const plainAddress = /^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/;
/** Operations that only read: a visitor's answer is the same for all of them until the content changes. */
export const readingCalls: ReadonlySet<string> = new Set<OperationName>([
  'getPosts',
  'getPost',
  'getTags',
  'getSettings',
  'getViewer',
]);

export function isVisitors(headers: IncomingMessage['headers']): boolean {
  return isAnonymous({ get: name => headers[name]?.toString() ?? null });
}

/** The reading operation that a request calls, if it does so plainly, from a page of this site or from none. */
export function plainCall(
  { method, url = '', headers }: IncomingMessage,
  ownOrigin: string,
): OperationName | undefined {
  const operation = url.startsWith('/api/') ? url.slice('/api/'.length) : '';
  const isPlain =
    method === 'POST' &&
    isReading(operation) &&
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers.accept !== 'text/event-stream' &&
    [undefined, ownOrigin].includes(headers.origin) &&
    [undefined, 'same-origin', 'none'].includes(headers['sec-fetch-site']?.toString());
  return isPlain ? operation : undefined;
}

function isReading(operation: string): operation is OperationName {
  return readingCalls.has(operation);
}

/** Calls `act` with a body that arrived together with its headers, or with none; `giveBack` lets somebody else read it. */
export function takeShortBody(
  incoming: IncomingMessage,
  act: (body: string | undefined, giveBack: () => void) => void,
): void {
  // By then a short body has arrived with its headers, or it is not worth waiting for here.
  process.nextTick(() => {
    const hasCome = incoming.readableLength === Number(incoming.headers['content-length']);
    const body: Buffer | null = hasCome ? incoming.read() : null;
    act(body?.toString(), () => {
      if (body !== null) incoming.unshift(body);
    });
  });
}

/** Writes the line of the log for a request that did not pass through the app. */
export function noteAnswers(
  log: Logger,
): (incoming: IncomingMessage, outgoing: ServerResponse, start: number) => void {
  const isLogging = log.isLevelEnabled('info');
  return ({ method, url }, { statusCode: status }, start) => {
    if (!isLogging) return;
    log.info({ requestId: nextRequestId(), method, path: url, status, ms: since(start) }, 'request');
  };
}
