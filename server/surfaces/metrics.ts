import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import project from '../../package.json' with { type: 'json' };
import { counters } from '../base/counters.ts';
import { newestMigration } from '../db/migrations/index.ts';
import { isOutage } from '../db/outage.ts';
import type { Deps } from '../deps.ts';
import type { ObserveRequest } from '../http/running-requests.ts';
import { newestBackup, readBackupState } from '../moving/archive/backup-state.ts';
import { isOperationName } from '../operations.ts';
import { readQueues } from '../system/queues.ts';

/**
 * Serves `/metrics` for Prometheus on a port of its own, which no reader reaches. Returns what is to be told
 * of each request of the site, and what ends the service.
 */
export async function serveMetrics(
  deps: Deps,
  port: number,
): Promise<{ observe: ObserveRequest; close(): Promise<void> }> {
  const registry = new Registry();
  const updateProcess = processMetrics(registry);
  const updateSite = siteMetrics(registry, deps);
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    answer(response).catch((error: unknown) => {
      deps.log.error({ err: error }, 'the metrics could not be read');
      response.writeHead(503).end();
    });
  });
  const answer = async (response: ServerResponse) => {
    updateProcess();
    await updateSite();
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType }).end(text);
  };
  server.listen(port, deps.config.metricsHost);
  await once(server, 'listening');
  return {
    observe: requestObserver(registry),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * What the library calls the metrics of a process, but only those that cost nothing: it hears of each garbage
 * collection, which takes 2 % of the time of cached pages.
 */
function processMetrics(registry: Registry): () => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'Processor time.', registers });
  const memory = gauge('process_resident_memory_bytes', 'Memory.');
  const heap = gauge('nodejs_heap_size_used_bytes', 'Memory of objects.');
  const busy = gauge('nodejs_eventloop_utilization', 'Share of the time since the last scrape with work.');
  const lag = gauge('nodejs_eventloop_lag_p99_seconds', 'Delay since the last scrape.');
  gauge('process_start_time_seconds', 'When the process began.').set(Date.now() / 1_000 - process.uptime());
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  let before = performance.eventLoopUtilization();
  return () => {
    const { user, system } = process.cpuUsage();
    cpu.reset();
    cpu.inc((user + system) / 1e6);
    memory.set(process.memoryUsage.rss());
    heap.set(process.memoryUsage().heapUsed);
    const now = performance.eventLoopUtilization();
    busy.set(performance.eventLoopUtilization(now, before).utilization);
    before = now;
    lag.set(Number.isNaN(delays.mean) ? 0 : delays.percentile(99) / 1e9);
    delays.reset();
  };
}

/** What is read whenever somebody asks. Returns the function that reads it. */
function siteMetrics(registry: Registry, deps: Deps): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `coterie_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `coterie_${name}_total`, help, labelNames, registers });

  const build = { version: project.version, schema: newestMigration, node: process.versions.node };
  gauge('build_info', 'The program, and its schema of the database.', Object.keys(build)).set(build, 1);
  const connections = gauge('database_connections', 'Connections to PostgreSQL by state.', ['state']);
  const waiting = gauge('database_waiting_queries', 'Queries that wait for a connection to PostgreSQL.');
  const unread = gauge('changes_unread_seconds', 'For how long the record of changes could not be read.');
  const lookups = counter('cache_lookups', 'Lookups in caches.', ['cache', 'result']);
  const entries = gauge('cache_entries', 'Entries of caches.', ['cache']);
  const readers = gauge('live_readers', 'Open streams.');
  const updates = counter('live_updates', 'Times that streams were told of changes.');
  const waited = counter('live_wait_seconds', 'How long changes waited until streams were told.');
  const queued = gauge('queue_length', 'Mails to send, transfers to run, files to prepare.', ['queue']);
  const oldest = gauge('queue_oldest_seconds', 'The age of the oldest of them.', ['queue']);
  const backup = gauge('last_backup_timestamp_seconds', 'When the last verified backup was made; 0: never.');

  const updateCounts = () => {
    const { pool, changes } = deps;
    if (pool !== undefined) {
      connections.set({ state: 'idle' }, pool.idleCount);
      connections.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      waiting.set(pool.waitingCount);
    }
    unread.set((changes.lostForMs ?? 0) / 1_000);
    lookups.reset();
    for (const [cache, counts] of counters.caches) {
      lookups.inc({ cache, result: 'hit' }, counts.hits);
      lookups.inc({ cache, result: 'miss' }, counts.misses);
      entries.set({ cache }, counts.entries);
    }
    const { live } = counters;
    readers.set(live.readers);
    updates.reset();
    updates.inc(live.updates);
    waited.reset();
    waited.inc(live.waitedMs / 1_000);
  };
  const updateWork = async () => {
    const { db, clock } = deps;
    const [queues, state, { backupAt }] = await Promise.all([
      readQueues(db),
      readBackupState(db),
      deps.settings(),
    ]);
    const last = newestBackup(state, backupAt);
    for (const [queue, { waiting: length, since }] of Object.entries(queues)) {
      queued.set({ queue }, Number(length));
      oldest.set({ queue }, since === null ? 0 : Math.max(0, (clock() - Number(since)) / 1_000));
    }
    backup.set(last === null ? 0 : Date.parse(last.createdAt) / 1_000);
  };
  return async () => {
    updateCounts();
    await updateWork().catch((error: unknown) => {
      // While the database is away, the rest is worth knowing the more.
      if (!isOutage(error)) throw error;
      for (const metric of [queued, oldest]) metric.reset();
      backup.remove();
    });
  };
}

/**
 * Counts requests by operation and status in plain numbers: the histogram of the library took 3 % of the time
 * of a cached page.
 */
function requestObserver(registry: Registry): ObserveRequest {
  const counted = new Map<string, Map<number, { requests: number; ms: number }>>();
  const labelNames = ['operation', 'status'];
  const help = 'Requests by operation or kind of address.';
  const registers = [registry];
  new Counter({
    ...{ name: 'coterie_http_requests_total', help, labelNames, registers },
    collect() {
      this.reset();
      for (const [operation, byStatus] of counted)
        for (const [status, { requests }] of byStatus)
          this.inc({ operation, status: nameOf(status) }, requests);
    },
  });
  new Counter({
    ...{
      name: 'coterie_http_request_seconds_total',
      help: 'The time that they took.',
      labelNames,
      registers,
    },
    collect() {
      this.reset();
      for (const [operation, byStatus] of counted)
        for (const [status, { ms }] of byStatus) this.inc({ operation, status: nameOf(status) }, ms / 1_000);
    },
  });
  return (request, { headersSent, statusCode }, ms) => {
    const operation = operationOf(request);
    const byStatus = counted.get(operation) ?? new Map<number, { requests: number; ms: number }>();
    counted.set(operation, byStatus);
    const status = headersSent ? Math.floor(statusCode / 100) : 0;
    const sum = byStatus.get(status) ?? { requests: 0, ms: 0 };
    byStatus.set(status, sum);
    sum.requests += 1;
    sum.ms += ms;
  };
}

const nameOf = (status: number) => (status === 0 ? 'none' : `${status}xx`);

/** The beginnings of addresses that are no pages. */
const kinds = new Set([
  ...['assets', 'site', 'manifest', 'robots', 'sitemap', 'feed', 'rss', 'api', 'v0', 'live'],
  ...['files', 'face', 'exports', 'share', 'healthz', 'readyz', 'proxy-check', 'policy-reports'],
]);

/** The operation that is called, or else one of a few words, whatever is asked for. */
function operationOf({ url = '' }: IncomingMessage): string {
  const [first = '', second = ''] = url.slice(1, 80).split(/[/?.]/, 2);
  if (first === 'api' && isOperationName(second)) return second;
  return kinds.has(first) ? first : 'page';
}
