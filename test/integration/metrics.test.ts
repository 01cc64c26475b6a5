import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { describeEngines } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';
import { sourcePages } from '../support/site.ts';

describeEngines(({ migrated, engine }) => {
  /** The addresses of a site that runs and of its metrics, with the given settings. */
  const siteWithMetrics = async (settings: Record<string, string> = {}) => {
    const { dataDir, databaseUrl } = await migrated();
    const METRICS_PORT = String(await freePort());
    const { server, stop } = await startServer(
      readConfig({
        ...{
          DATA_DIR: dataDir,
          HOST: '127.0.0.1',
          PORT: '0',
          LOG_LEVEL: 'silent',
          METRICS_PORT,
          ...settings,
        },
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      }),
      sourcePages,
    );
    onTestFinished(stop);
    const { port } = server.address() as AddressInfo;
    return { site: `http://127.0.0.1:${port}`, metrics: `http://127.0.0.1:${METRICS_PORT}` };
  };

  it('a site with METRICS_PORT tells Prometheus there, and nowhere else, what it does', async () => {
    const { site, metrics } = await siteWithMetrics();
    const asked = ['/', '/', '/api/getPosts', '/api/unknown', '/healthz', '/metrics', `/${'x'.repeat(99)}`];
    for (const path of asked) await (await fetch(site + path)).text();
    const answer = await fetch(`${metrics}/metrics`);
    const text = await answer.text();
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const requests = [...text.matchAll(/_requests_total\{operation="(\w+)",status="(\w+)"\} (\d+)/g)];
    expect(requests.map(([, ...found]) => found.join(' ')).sort()).toEqual([
      'api 4xx 1',
      'getPosts 4xx 1',
      'healthz 2xx 1',
      'page 2xx 4',
      'page 3xx 2',
    ]);
    expect(text).toMatch(/^coterie_build_info\{version="[\d.]+",schema="\d{4}-[\w-]+",node="24\./m);
    expect(text).toMatch(/^coterie_cache_lookups_total\{cache="pages",result="miss"\} [1-9]/m);
    expect(text).toMatch(/^coterie_queue_length\{queue="mails"\} 0$/m);
    expect(text).toMatch(/^coterie_last_backup_timestamp_seconds 0$/m);
    expect(text.includes('coterie_database_connections{state="idle"}')).toBe(engine === 'postgres');
    expect((await fetch(`${metrics}/`)).status).toBe(404);
    // Where Debian's package prometheus is installed, its own program judges names, types and help.
    const judged = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
    if (judged.error === undefined) expect(judged).toMatchObject({ stdout: '', stderr: '', status: 0 });
  });

  if (engine === 'postgres') return;

  it('metrics are told by addresses and local names, the own name and that of METRICS_HOST, and by no name that somebody may have made lead there', async () => {
    // A name with a dot that leads to this machine everywhere.
    const METRICS_HOST = '127.1';
    const named = { PUBLIC_URL: 'https://blog.example', METRICS_HOST };
    const { metrics } = await siteWithMetrics(named);
    const statusFor = async (host: string, path = '/metrics') => {
      const asked = request(metrics, { path, headers: { host }, agent: false }).end();
      const [answer] = await once(asked, 'response');
      answer.resume();
      return answer.statusCode;
    };
    const own = [
      '127.0.0.1:9100',
      '[::1]:9100',
      'localhost',
      'coterie:3000',
      'pod.svc.cluster.local',
      'blog.example',
      METRICS_HOST,
    ];
    for (const host of own) expect([host, await statusFor(host)]).toEqual([host, 200]);
    for (const host of ['evil.example', 'evil.example:9100', 'blog.example.evil.example'])
      expect([host, await statusFor(host)]).toEqual([host, 421]);
    expect(await statusFor('localhost', 'http://evil.example/metrics')).toBe(421);
  });
});
