import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';
import project from '../../package.json' with { type: 'json' };
import { counters } from '../base/counters.ts';
import { newestMigration } from '../db/migrations/index.ts';
import { isOutage } from '../db/outage.ts';
import type { Deps } from '../deps.ts';
import type { ObserveRequest } from '../http/connections.ts';
import { hostNameOf, isAddressOrLocalName, namedHost } from '../http/own-host.ts';
import { newestBackup, readBackupState } from '../moving/archive/backup-state.ts';
import { isOperationName } from '../operations.ts';
import { readQueues } from '../system/queues.ts';

/**
 * Serves `/metrics` for Prometheus on a port of its own, which readers cannot reach. Returns a function to
 * call with each request of the site, and one that ends the service.
 */
export async function serveMetrics(
  deps: Deps,
  port: number,
): Promise<{ observe: ObserveRequest; close(): Promise<void> }> {
  const registry = new Registry();
  const updateProcess = processMetrics(registry);
  const updateSite = siteMetrics(registry, deps);
  const { publicUrl, metricsHost } = deps.config;
  // Under another name, a page elsewhere could read them in a browser of this network (DNS rebinding).
  const names = [new URL(publicUrl).host, metricsHost].map(hostNameOf);
  const server = createServer((request, response) => {
    const name = namedHost(request);
    if (!names.includes(name) && !isAddressOrLocalName(name))
      return void response
        .writeHead(421, { 'content-type': 'text/plain; charset=utf-8' })
        .end('Ask by an IP address, a local name, or the name of PUBLIC_URL or METRICS_HOST.\n');
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
  server.listen(port, metricsHost);
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
 * The library's metrics of a process, but only those that cost nothing: it observes each garbage collection,
 * which takes 2 % of the time of cached pages.
 */
function processMetrics(registry: Registry): () => void {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'Processor seconds.', registers });
  const memory = gauge('process_resident_memory_bytes', 'Resident memory in bytes.');
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

/** Metrics that are read at each scrape. Returns the function that reads them. */
function siteMetrics(registry: Registry, deps: Deps): () => Promise<void> {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `coterie_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `coterie_${name}_total`, help, labelNames, registers });

  const build = { version: project.version, schema: newestMigration, node: process.versions.node };
  gauge('build_info', 'The running program, and its database schema.', Object.keys(build)).set(build, 1);
  const connections = gauge('database_connections', 'Connections to PostgreSQL by state.', ['state']);
  const waiting = gauge('database_waiting_queries', 'Queries waiting for a connection to PostgreSQL.');
  const unread = gauge('changes_unread_seconds', 'How long the record of changes has been unreadable.');
  const lookups = counter('cache_lookups', 'Cache lookups, by cache and result.', ['cache', 'result']);
  const entries = gauge('cache_entries', 'Entries in each cache.', ['cache']);
  const readers = gauge('live_readers', 'Open live streams.');
  const updates = counter('live_updates', 'Updates sent to live streams.');
  const waited = counter('live_wait_seconds', 'Seconds that changes waited before streams got them.');
  const queued = gauge('queue_length', 'Waiting mails, transfers and files, by queue.', ['queue']);
  const oldest = gauge('queue_oldest_seconds', 'Age of the oldest entry of a queue.', ['queue']);
  const backup = gauge('last_backup_timestamp_seconds', 'Time of the last verified backup; 0 for none.');

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
      queued.set({ queue }, length);
      oldest.set({ queue }, since === null ? 0 : Math.max(0, (clock() - since) / 1_000));
    }
    backup.set(last === null ? 0 : Date.parse(last.createdAt) / 1_000);
  };
  return async () => {
    updateCounts();
    await updateWork().catch((error: unknown) => {
      // While the database is unavailable, the rest is all the more useful.
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
  const help = 'Requests, by operation or kind of address, and status.';
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
      help: 'Seconds spent on requests, by operation or kind of address, and status.',
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

/** The first segments of addresses that are not pages. */
const kinds = new Set([
  ...['assets', 'site', 'manifest', 'favicon', 'robots', 'sitemap', 'feed', 'rss', 'podcast'],
  ...[
    'api',
    'v0',
    'live',
    'files',
    'face',
    'exports',
    'share',
    'healthz',
    'readyz',
    'proxy-check',
    'policy-reports',
  ],
]);

/** The called operation, or else one of a few words, whatever the address. */
function operationOf({ url = '', method }: IncomingMessage): string {
  const [first = '', ...others] = url.slice(1, 200).split(/[/?.]/, 3);
  // The SDK also calls `/api//NAME` and `/PROJECT/REGION/NAME` (surfaces/callable).
  const [called] = others.filter(isOperationName);
  if (called !== undefined && (first === 'api' || method === 'POST')) return called;
  return kinds.has(first) ? first : 'page';
}
