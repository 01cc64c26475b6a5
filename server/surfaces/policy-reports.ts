import type { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { policyReportsPath } from '../http/security-headers.ts';
import type { Limits } from '../limits/rate-limits.ts';

const maxReportBytes = 16 * 1024;
const maxPartCharacters = 200;

const Parts = z.record(z.string(), z.unknown());
/**
 * The reports of browsers. `report-to` gives a list in the envelope of the Reporting API (Content Security
 * Policy Level 3, section 5.3); `report-uri` gives one report (Level 2, section 4.4), which Chromium and
 * Safari send if they do not know `report-to`.
 */
const Reports = z.union([
  z.tuple([z.object({ body: Parts })], z.unknown()).transform(([{ body }]) => body),
  z.object({ 'csp-report': Parts }).transform(report => report['csp-report']),
]);

/**
 * `POST /policy-reports`: logs in one line what a browser has blocked on a page. The cause may be a bug of
 * ours, a failed attack, or a browser extension. Anybody can send a report, so it is shortened and
 * rate-limited, and nothing relies on it.
 */
export function policyReportsSurface(app: Hono<RequestVariables>, { limits }: { limits: Limits }): void {
  app.post(policyReportsPath, async c => {
    await limits.countReport(c.var.requestIdentity.network);
    const violation = parse(await readBody(c, maxReportBytes));
    c.var.log.warn(violation, 'a browser kept a page from something that its policy forbids');
    return c.body(null, 204);
  });
}

function parse(body: string) {
  const parts = Reports.safeParse(parsed(body)).data;
  if (parts === undefined) throw new AppError('invalid-argument', 'This is no report of a policy.');
  // The two kinds of report name their parts differently.
  const text = (...names: string[]) =>
    names
      .map(name => parts[name])
      .filter(part => typeof part === 'string')
      .find(part => part !== '') ?? '';
  const line = parts.lineNumber ?? parts['line-number'];
  return {
    directive: cut(text('effectiveDirective', 'effective-directive', 'violated-directive')),
    page: place(text('documentURL', 'document-uri')),
    blocked: place(text('blockedURL', 'blocked-uri')),
    source: place(text('sourceFile', 'source-file')),
    line: typeof line === 'number' ? line : 0,
  };
}

/** An address without its query, which can contain a token; words such as `inline` unchanged. */
function place(address: string): string {
  const url = URL.parse(address);
  if (url === null) return cut(address.split(/[?#]/)[0] ?? '');
  return cut(url.origin === 'null' ? url.protocol : url.origin + url.pathname);
}

const cut = (part: string) => part.slice(0, maxPartCharacters);

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
