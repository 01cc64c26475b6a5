import pino from 'pino';
import { expect, it } from 'vitest';
import { createApp } from '../../server/app.ts';
import { reportedPolicy } from '../../server/http/security-headers.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { describeEngines } from '../support/engines.ts';
import { sourcePages } from '../support/site.ts';

it('33. a page says where violations of its policy are reported, to browsers of both kinds and also over http', () => {
  expect(reportedPolicy("default-src 'none'", { isSecure: true })).toEqual({
    'content-security-policy': "default-src 'none'; report-uri /policy-reports; report-to policy",
    'reporting-endpoints': 'policy="/policy-reports"',
  });
  expect(reportedPolicy("default-src 'none'", { isSecure: false })).toEqual({
    'content-security-policy': "default-src 'none'; report-uri /policy-reports",
  });
});

describeEngines(({ site, engine }) => {
  it.runIf(engine === 'sqlite')(
    '33. reports of a policy become one short line of the log each, without tokens, and only so many',
    async () => {
      const s = await site();
      const lines: Record<string, unknown>[] = [];
      s.deps.log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
      s.deps.limits = new Limits();
      const app = createApp(s.deps, sourcePages);
      const report = async (body: unknown, peer = '203.0.113.1') =>
        (
          await app.request(
            `${s.config.publicUrl}/policy-reports`,
            { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) },
            { incoming: { socket: { remoteAddress: peer }, headers: {} } },
          )
        ).status;
      const old = {
        'document-uri': 'https://blog.example/reset-password?token=secret',
        'effective-directive': 'script-src-elem',
        'blocked-uri': `https://evil.example/${'x'.repeat(500)}?q=secret`,
        'script-sample': 'secret',
      };
      const violation = {
        documentURL: 'https://blog.example/post/1#secret',
        effectiveDirective: 'require-trusted-types-for',
        blockedURL: 'trusted-types-sink',
        sample: 'secret',
      };
      expect(await report({ 'csp-report': old })).toBe(204);
      expect(await report([{ type: 'csp-violation', body: violation }])).toBe(204);
      expect(lines).toMatchObject([
        { directive: 'script-src-elem', page: 'https://blog.example/reset-password' },
        {
          directive: 'require-trusted-types-for',
          page: 'https://blog.example/post/1',
          blocked: 'trusted-types-sink',
        },
      ]);
      expect(JSON.stringify(lines)).not.toContain('secret');
      expect(JSON.stringify(lines).length).toBeLessThan(1_200);
      for (const wrong of ['', '{}', '[]', '[null]', '{"csp-report":1}', 'x'.repeat(20_000)]) {
        expect([wrong.slice(0, 20), await report(wrong, '203.0.113.2')]).toEqual([wrong.slice(0, 20), 400]);
      }
      const statuses: number[] = [];
      for (let index = 0; index < 20; index += 1) statuses.push(await report({ 'csp-report': old }));
      expect(statuses).toEqual([...Array(18).fill(204), 429, 429]);
      expect(lines).toHaveLength(20);
    },
  );
});
