import { cors } from 'hono/cors';
import type { Config } from '../config.ts';

/**
 * Lets scripts of the configured origins read answers, errors included. They authenticate with a token: they
 * may not send cookies, and cookies are ignored (`RequestIdentity.credentials`).
 */
export function allowConfiguredOrigins({ corsOrigins }: Pick<Config, 'corsOrigins'>) {
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
