import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { AppError } from '../../../contract/errors.ts';
import type { Identity } from '../../access/viewer.ts';
import type { WriteContext } from '../../db/transaction.ts';
import type { Deps } from '../../deps.ts';
import { checkPath } from '../../files/path.ts';
import { BodyCount } from '../../http/body.ts';
import { incomingOf, type RequestVariables } from '../../http/request.ts';

export type RequestContext = Context<RequestVariables>;
/**
 * The context of handlers: the dependencies, the sender of the request, and the function that locks their
 * rights while they write.
 */
export type StorageContext = Deps & Identity & WriteContext;

export const maxMetadataBytes = 64 * 1024;

/**
 * Replaces the scheme `Firebase`, which the storage SDK sends, by `Bearer`, which the functions SDK sends.
 */
export function withBearer(request: Headers): Headers {
  const authorization = request.get('authorization');
  if (authorization === null || !/^firebase /i.test(authorization)) return request;
  const headers = new Headers(request);
  headers.set('authorization', authorization.replace(/^firebase/i, 'Bearer'));
  return headers;
}

/** The bucket and path in the address, decoded exactly once, here. */
function partsOf(c: RequestContext): { bucket: string; path: string } {
  const match = /^[a-z]+:\/\/[^/]*\/v0\/b\/([^/?#]*)\/o(?:\/([^?#]*))?/i.exec(c.req.url);
  try {
    return { bucket: decodeURIComponent(match?.[1] ?? ''), path: decodeURIComponent(match?.[2] ?? '') };
  } catch {
    throw new AppError('invalid-argument', 'The address is not encoded correctly.');
  }
}

export const bucketOf = (c: RequestContext) => partsOf(c).bucket;
export const pathOf = (c: RequestContext) => checkPath(partsOf(c).path);

export function naturalNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new AppError('invalid-argument', `Expected a whole number in ${name}.`);
  }
  return Number(text);
}

export function refuseLength(c: RequestContext, maxBytes: number): void {
  if (Number(c.req.header('content-length') ?? 0) > maxBytes) {
    throw new AppError('out-of-range', 'This file is too large.');
  }
}

/**
 * The body, as Node's own stream if there is one, which is several times as fast. It is not closed when
 * reading ends early, because then no answer could be sent. Throws invalid-argument for too many pieces.
 */
export function bodyOf(c: RequestContext): AsyncIterable<Uint8Array> {
  const stream = incomingOf(c) ?? webBodyOf(c.req.raw);
  // A reader gets the error; without one, an error must not end the process.
  stream.on('error', () => {});
  return counted(stream.iterator({ destroyOnReturn: false }));
}

async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const count = new BodyCount(Number.POSITIVE_INFINITY);
  for await (const piece of body) {
    count.add(piece);
    yield piece;
  }
}

/** Called only if there is no stream of Node's: using both would make one take bytes from the other. */
function webBodyOf({ body }: Request): Readable {
  return body === null ? Readable.from([]) : Readable.fromWeb(body as never);
}

export function json(c: RequestContext, value: object): Response {
  c.header('cache-control', 'no-store');
  return c.body(JSON.stringify(value), 200, { 'content-type': 'application/json; charset=utf-8' });
}
