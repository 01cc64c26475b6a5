import type { MiddlewareHandler } from 'hono';
import type { Config } from '../config.ts';
import { outgoingOf } from './request.ts';

/** Where browsers report what the policy of a page has kept it from. */
export const policyReportsPath = '/policy-reports';

/** What no page of ours uses, nor a script that gets into one: each by its name, because there is no "all". */
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
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

/**
 * What every answer says to browsers, whatever it is: an error and a file no less than a page. Pages, files and the
 * documentation replace the policy by one of their own, and say themselves who may keep them; nobody keeps the rest.
 */
export function answerHeaders({ isSecure }: Pick<Config, 'isSecure'>): Record<string, string> {
  return {
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Where a picture or a link leads learns nothing of who links to it: not even that there is such a site.
    'referrer-policy': 'same-origin',
    'permissions-policy': unusedFeatures.map(feature => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  };
}

/**
 * Sets them on Node's own answer before the app makes one: afterwards, they would turn the adapter's light answers into
 * full ones and take a third of a short answer's time. Without a socket they join the finished answer.
 */
export function securityHeaders(config: Config): MiddlewareHandler {
  const headers = Object.entries(answerHeaders(config));
  return async (c, next) => {
    const outgoing = outgoingOf(c);
    if (outgoing !== undefined) {
      for (const [name, value] of headers) outgoing.setHeader(name, value);
      return await next();
    }
    await next();
    for (const [name, value] of headers) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  };
}

/**
 * The policy of a page, with the address for reports of what it has stopped. Over https by the Reporting API, and by
 * `report-uri` for browsers that do not know that. The others ignore `report-uri` beside `report-to`, and know no
 * endpoints over http: there it stands alone.
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
