import { cors } from 'hono/cors';
import { AppError } from '../../contract/errors.ts';
import type { Config } from '../config.ts';
import { isCrossSite } from './request.ts';

type Origins = Pick<Config, 'corsOrigins'>;

/**
 * Lets scripts of the configured origins read answers, errors included. They sign in with a token: cookies are neither
 * allowed to them here nor looked at (`credentialsOf`).
 */
export function allowConfiguredOrigins({ corsOrigins }: Origins) {
  return cors({
    origin: origin => (corsOrigins.includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: [
      'authorization',
      'content-type',
      'range',
      'firebase-instance-id-token',
      'x-firebase-appcheck',
      'x-firebase-gmpid',
      'x-firebase-storage-version',
      'x-goog-upload-protocol',
      'x-goog-upload-command',
      'x-goog-upload-offset',
      'x-goog-upload-header-content-length',
      'x-goog-upload-header-content-type',
    ],
    exposeHeaders: ['x-goog-upload-status', 'x-goog-upload-url', 'x-goog-upload-size-received'],
    maxAge: 600,
  });
}

/**
 * The headers by which a request that changes something may name its viewer. Throws permission-denied for one that a
 * page of another site sends; a page of a configured origin may send it, but not with the cookies of this site.
 */
export function credentialsOf(request: Headers, { corsOrigins }: Origins): Headers {
  if (!isCrossSite(request)) return request;
  const origin = request.get('origin');
  if (origin === null || !corsOrigins.includes(origin)) {
    throw new AppError('permission-denied', 'This request comes from another site.');
  }
  const without = new Headers(request);
  without.delete('cookie');
  return without;
}
