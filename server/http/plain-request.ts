import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { isAnonymous } from '../access/credentials.ts';
import { nextRequestId, since } from './request.ts';

/** Plain anonymous requests, which the cache can answer. The app handles every unusual request. */

/**
 * Addresses without a query, escapes or dots; the app handles all others. Each segment ends at a slash, so
 * there is only one way to match: an optional slash would double the time with each letter.
 */
export const plainAddress = /^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/;
export function isAnonymousRequest(headers: IncomingMessage['headers']): boolean {
  return isAnonymous({ get: name => headers[name]?.toString() ?? null });
}

/**
 * The reading operation that a plain request calls from a page of this site or from a program; undefined for
 * any other request.
 */
export function plainCall(
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
export async function takeShortBody(
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

/** Logs a request that did not pass through the app. */
export function logAnswers(
  log: Logger,
): (incoming: IncomingMessage, outgoing: ServerResponse, start: number) => void {
  const isLogging = log.isLevelEnabled('info');
  return ({ method, url }, { statusCode: status }, start) => {
    if (!isLogging) return;
    log.info({ requestId: nextRequestId(), method, path: url, status, ms: since(start) }, 'request');
  };
}
