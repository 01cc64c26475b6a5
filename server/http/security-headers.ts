import type { Context, MiddlewareHandler, Next } from 'hono';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { ReadContext } from '../access/context.ts';
import type { Config } from '../config.ts';
import { outgoingOf } from './request.ts';

/** The path to which browsers report violations of a page's content policy. */
export const policyReportsPath = '/policy-reports';

/**
 * Browser features that our pages do not use, and that an injected script must not use either. Each is named,
 * because there is no "all".
 */
const unusedFeatures = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

/**
 * The headers of every answer, errors and files included. Pages, files and the documentation set their own
 * content policy and caching; no other answer may be cached.
 */
export function answerHeaders({ isSecure }: Pick<Config, 'isSecure'>): Record<string, string> {
  return {
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Another site to which a picture or a link leads does not learn of this one, not even that it exists.
    'referrer-policy': 'same-origin',
    // The editor records voice messages; the browser asks for permission.
    'permissions-policy': ['microphone=(self)', ...unusedFeatures.map(feature => `${feature}=()`)].join(', '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

/** The headers about a document or a worker: they have no effect on a script, a style or a font. */
const forDocuments = new Set([
  'content-security-policy',
  'x-frame-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
]);

/**
 * Sets these headers on Node's own response before the app answers. Set afterwards, they would make the
 * adapter build a full `Response`, which takes a third of the time of a short answer. Without a socket they
 * are added to the finished answer.
 */
export function securityHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries(answerHeaders(config));
  // Half a kilobyte less for each file that a page waits for.
  const ofAssets = headers.filter(([name]) => !forDocuments.has(name));
  return async (c, next) =>
    await withHeaders(c, next, c.req.path.startsWith('/assets/') ? ofAssets : headers);
}

async function withHeaders(c: Context, next: Next, headers: [string, string][]): Promise<void> {
  const outgoing = outgoingOf(c);
  if (outgoing !== undefined) {
    for (const [name, value] of headers) outgoing.setHeader(name, value);
    return await next();
  }
  await next();
  for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
}

/** X-Robots-Tag for a site that search engines are asked not to list. */
export const robotsHeaders = ({ noindex }: Pick<SiteSettings, 'noindex'>): Record<string, string> =>
  noindex === 'true' ? { 'x-robots-tag': 'noindex' } : {};

/** Sets {@link robotsHeaders} on answers, by the current settings. */
export function searchEngineHeaders({ settings }: Pick<ReadContext, 'settings'>): MiddlewareHandler {
  return async (c, next) => await withHeaders(c, next, Object.entries(robotsHeaders(await settings())));
}

/**
 * The policy of a page, with the address for reports of violations: over https for the Reporting API, and as
 * `report-uri` for browsers without it. Browsers with the Reporting API ignore `report-uri` next to
 * `report-to`, and accept no endpoints over http, so over http only `report-uri` is set.
 */
export function reportedPolicy(
  policy: string,
  { isSecure }: Pick<Config, 'isSecure'>,
): Record<string, string> {
  const reported = `${policy}; report-uri ${policyReportsPath}`;
  if (!isSecure) return { 'content-security-policy': reported };
  return {
    'content-security-policy': `${reported}; report-to policy`,
    'reporting-endpoints': `policy="${policyReportsPath}"`,
  };
}
