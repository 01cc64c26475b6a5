import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { setupLink } from './accounts/sign-in/setup.ts';
import { createListener, createWorkerListener } from './app.ts';
import { ConfigError } from './base/config-error.ts';
import { createLog } from './base/log.ts';
import { tellSystemd } from './base/systemd.ts';
import type { Config } from './config.ts';
import { closeToOthers } from './db/data-folder.ts';
import { isOutage } from './db/outage.ts';
import { guardSchema } from './db/schema-guard.ts';
import type { Deps } from './deps.ts';
import { requireDecoder } from './files/pictures/decoder.ts';
import { markFilesFolder } from './files/store/own-folder.ts';
import {
  type Connections,
  closeWhenIdle,
  connectionsOf,
  limitConnections,
  RunningRequests,
  serverOptions,
  UnreadAnswers,
} from './http/connections.ts';
import { startJobs } from './jobs.ts';
import { openDeps } from './open-deps.ts';
import type { Web } from './surfaces/pages/web.ts';
import { requireLocalDatabase } from './system/network-folder.ts';

/** How long running requests may take to finish when the server stops, in milliseconds. */
const stopWithinMs = 10_000;
/**
 * How often idle connections are closed while the server stops, in milliseconds; also the time for requests
 * that are already on their way.
 */
const closeEveryMs = 100;

/** Starts the server. Returns a function that stops it once running requests are answered. */
export async function startServer(
  config: Config,
  web: Web,
): Promise<{ server: Server; stop(): Promise<void> }> {
  await requireDecoder();
  await requireLocalDatabase(config);
  const log = await createLog(config);
  await closeToOthers(config.dataDir).catch((error: unknown) =>
    log.warn(
      { err: error },
      'other users of this machine may read files in DATA_DIR: their permissions could not be changed',
    ),
  );
  const draining = new AbortController();
  const stopping = new AbortController();
  const deps = await openDeps(config, { log, draining: draining.signal, stopping: stopping.signal });
  await markFilesFolder(deps).catch((error: unknown) => {
    // `check` reports what is wrong with the folder.
    if (!isOutage(error)) throw error;
    log.error({ err: error.cause }, error.message);
  });
  await deps.files.check().catch(async (error: unknown) => {
    // An unreachable store may come back; one that rejects the settings will not.
    if (!(error instanceof ConfigError))
      return log.warn({ err: error }, 'the store of files cannot be reached');
    await deps.close();
    throw error;
  });
  const { metricsPort } = config;
  // Loaded here: most sites do without the library.
  const metrics =
    metricsPort === undefined
      ? undefined
      : await (await import('./surfaces/metrics.ts')).serveMetrics(deps, metricsPort);
  const requests = new RunningRequests(metrics?.observe);
  const unread = new UnreadAnswers();
  const server = createServer(
    { ...serverOptions, keepAliveTimeout: config.keepAliveMs },
    requests.counted(
      unread.bounded(config.role === 'worker' ? createWorkerListener(deps) : createListener(deps, web)),
    ),
  );
  unread.cut(server);
  limitConnections(server, config);
  const connections = connectionsOf(server);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const stopJobs = startJobs(deps);

  const stopWatching = guardSchema(deps, sentence => {
    log.fatal(sentence);
    process.stderr.write(`${sentence}\n`);
    void stop().then(() => process.exit(1));
  });

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      draining.abort();
      stopping.abort();
      await closeServer(server, connections, log);
      // A request that still runs after its client has gone would find the database closed.
      await Promise.race([requests.ended(), sleep(stopWithinMs, undefined, { ref: false })]);
      stopWatching();
      stopTelling();
      await Promise.all([stopJobs(), metrics?.close()]);
      await deps.close();
      log.info('Coterie has stopped');
    })();
    return stopped;
  };
  stopOnSignals(config, log, draining, () => void stop().then(() => process.exit(0)));
  let stopTelling = () => {};
  await announceStart(config, deps);
  // Whoever waits for systemd then finds the link of the first admin in its journal.
  stopTelling = tellSystemd(log);
  // Here rather than at the end: code compiled later would stay in memory from the next start on.
  flushCompileCache();
  // As bin/coterie.js has promised: the start has made what stays.
  setFlagsFromString('--semi-space-growth-factor=2');
  return { server, stop };
}

/**
 * Logs that the server runs, and prints its address for a person at a terminal, with the link for the first
 * admin.
 */
async function announceStart(config: Config, deps: Deps): Promise<void> {
  // Without SMTP_URL mails go to a folder.
  deps.log.info({ url: config.publicUrl, role: config.role, mails: deps.mail.where }, 'Coterie is running');
  if (config.role === 'worker') return;
  const link = await setupLink(deps);
  // Not logged: it is a secret.
  const invitation =
    link === undefined ? '' : `Open this link to create the first admin (it works once):\n\n  ${link}\n\n`;
  // In one write, so that a program that waits for the first line also gets the link.
  process.stdout.write(`\nCoterie is running at ${config.publicUrl}\n${invitation}`);
}

/** Closes the server once running requests are answered, or their time is up. */
async function closeServer(server: Server, connections: Connections, log: Logger): Promise<void> {
  const closed = once(server, 'close');
  const stopClosing = closeWhenIdle(server, connections, closeEveryMs);
  const late = setTimeout(() => {
    log.info('closing connections that did not end in time');
    server.closeAllConnections();
  }, stopWithinMs);
  await closed;
  stopClosing();
  clearTimeout(late);
}

/** SIGINT ends the server, and SIGTERM does so after DRAIN_SECONDS. */
function stopOnSignals(config: Config, log: Logger, draining: AbortController, end: () => void): void {
  process.once('SIGINT', end);
  process.once('SIGTERM', () => {
    draining.abort();
    if (config.drainMs > 0) {
      log.info({ ms: config.drainMs }, 'Coterie will stop after the balancer has sent its readers elsewhere');
    }
    setTimeout(end, config.drainMs);
    // A second signal stops it without waiting.
    process.once('SIGTERM', end);
  });
}
