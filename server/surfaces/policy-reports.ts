import type { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { RequestVariables } from '../http/request.ts';
import { policyReportsPath } from '../http/security-headers.ts';

const maxReportBytes = 16 * 1024;
const maxPartCharacters = 200;

const text = z.string().catch('');
/**
 * The report that `report-uri` gives: Content Security Policy Level 2, section 4.4. Chromium and Safari send it if they
 * do not know `report-to`.
 */
const OldReport = z.object({
  'csp-report': z
    .object({
      'effective-directive': text,
      'violated-directive': text,
      'document-uri': text,
      'blocked-uri': text,
      'source-file': text,
      'line-number': z.number().catch(0),
    })
    .transform(report => ({
      effectiveDirective: report['effective-directive'] || report['violated-directive'],
      documentURL: report['document-uri'],
      blockedURL: report['blocked-uri'],
      sourceFile: report['source-file'],
      lineNumber: report['line-number'],
    })),
});
/**
 * The reports that `report-to` gives: Content Security Policy Level 3, section 5.3, in the envelope of the Reporting
 * API.
 */
const NewReports = z
  .array(
    z.object({
      body: z.object({
        effectiveDirective: text,
        documentURL: text,
        blockedURL: text,
        sourceFile: text,
        lineNumber: z.number().catch(0),
      }),
    }),
  )
  .min(1);

type Violation = { directive: string; page: string; blocked: string; source: string; line: number };

/**
 * `POST /policy-reports`: logs what a browser has kept a page from doing, in one line. The cause may be a bug of ours,
 * an attack that failed, or a browser extension. Anybody can send a report, so it is shortened and rate-limited, and
 * nothing relies on it.
 */
export function policyReportsSurface(app: Hono<RequestVariables>, { limits }: Pick<Deps, 'limits'>): void {
  app.post(policyReportsPath, async c => {
    await limits.takeReport(c.var.asker.peer);
    const violation = parse(await readBody(c, maxReportBytes));
    c.var.log.warn(violation, 'a browser kept a page from something that its policy forbids');
    return c.body(null, 204);
  });
}

function parse(body: string): Violation {
  const json = parsed(body);
  const report = NewReports.safeParse(json).data?.[0]?.body ?? OldReport.safeParse(json).data?.['csp-report'];
  if (report === undefined) throw new AppError('invalid-argument', 'This is no report of a policy.');
  return {
    directive: cut(report.effectiveDirective),
    page: place(report.documentURL),
    blocked: place(report.blockedURL),
    source: place(report.sourceFile),
    line: report.lineNumber,
  };
}

/** An address without its query, which can contain a token; words such as `inline` as they are. */
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
