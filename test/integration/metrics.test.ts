import { spawnSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';
import { startServer } from '../../server/start.ts';
import { queryOf, render } from '../../web/entry-server.tsx';
import { describeEngines } from '../support/engines.ts';
import { freePort } from '../support/free-port.ts';

const assets = { head: '', placeholders: '', end: '', policy: 'none' };
const web = { render, queryOf, clientDir: undefined, assetsOf: async () => assets };

describeEngines(({ migrated, engine }) => {
  it('a site with METRICS_PORT tells Prometheus there, and nowhere else, what it does', async () => {
    const { dataDir, databaseUrl } = await migrated();
    const METRICS_PORT = String(await freePort());
    const { server, stop } = await startServer(
      readConfig({
        ...{ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', METRICS_PORT },
        ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
      }),
      web,
    );
    try {
      const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const asked = ['/', '/', '/api/getPosts', '/api/unknown', '/healthz', '/metrics', `/${'x'.repeat(99)}`];
      for (const path of asked) await (await fetch(site + path)).text();
      const answer = await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
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
      expect((await fetch(`http://127.0.0.1:${METRICS_PORT}/`)).status).toBe(404);
      // Where Debian's package prometheus is installed, its own program judges names, types and help.
      const judged = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      if (judged.error === undefined) expect(judged).toMatchObject({ stdout: '', stderr: '', status: 0 });
    } finally {
      await stop();
    }
  });
});
