import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import pino, { type Logger } from 'pino';
import { tagCatalogue } from './access/audience.ts';
import { createAuth, siteSecret } from './accounts/auth.ts';
import { setupLink } from './accounts/setup.ts';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { type Opening, openDatabase } from './db/connect.ts';
import type { Deps } from './deps.ts';
import { openFileStore } from './files/store.ts';
import { VisitorAnswers } from './http/anonymous-cache.ts';
import { limitConnections, serverOptions, silentConnections } from './http/connections.ts';
import { startJobs } from './jobs.ts';
import { Limits } from './limits/rate-limits.ts';
import { mailTransport } from './mail/transport.ts';
import { accountMails } from './mail/write.ts';
import { postPages } from './posts/list.ts';
import { aboutText } from './settings/read.ts';
import type { Web } from './surfaces/pages/web.ts';

/** How long running requests may take to finish after a stop was asked for, in milliseconds. */
const stopWithinMs = 10_000;
/** How long a connection may take to ask something that is under way already. */
const silentWithinMs = 100;

/** Opens what the application is made of. */
export async function openDeps(
  config: Config,
  log: Logger,
  { stopping = new AbortController().signal, opening }: { stopping?: AbortSignal; opening?: Opening } = {},
): Promise<Deps & { close(): Promise<void> }> {
  const { db, changes, close } = await openDatabase(config, opening);
  if (changes.blindSince !== undefined) {
    log.warn(
      'The database passes no notices on, as behind a pooler in transaction mode: nothing is kept in memory.',
    );
  }
  const secret = await siteSecret(db);
  return {
    db,
    changes,
    catalogue: tagCatalogue(db, changes),
    postPages: postPages(changes),
    about: aboutText(db, changes),
    config,
    auth: createAuth(db, config, secret, accountMails({ db, clock: Date.now })),
    secret,
    limits: new Limits(),
    mail: mailTransport(config),
    files: await openFileStore(config),
    clock: Date.now,
    log,
    stopping,
    close,
  };
}

export function createLog(config: Config): Logger {
  return pino({
    level: config.logLevel,
    // Nothing that opens a session may reach the log, whoever logs a request or an error one day.
    redact: ['*.headers.cookie', '*.headers.authorization', '*.password', '*.token'],
  });
}

/** Starts the server. Returns the function that stops it once running requests are answered. */
export async function startServer(
  config: Config,
  web: Web,
): Promise<{ server: Server; stop(): Promise<void> }> {
  const log = createLog(config);
  const stopping = new AbortController();
  const deps = await openDeps(config, log, { stopping: stopping.signal });
  const visitorAnswers = new VisitorAnswers(deps.changes, config);
  const app = createApp(deps, web, visitorAnswers);
  const server = createServer(serverOptions, visitorAnswers.before(getRequestListener(app.fetch), log));
  limitConnections(server, config);
  const silent = silentConnections(server);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const stopJobs = startJobs(deps);
  // Without SMTP_URL mails go to a folder.
  log.info({ url: config.publicUrl, mails: deps.mail.where }, 'Coterie is running');
  const link = await setupLink(deps);
  // For a person at a terminal, not for the log: it is a secret.
  const invitation =
    link === undefined ? '' : `Open this link once to create the first admin:\n\n  ${link}\n\n`;
  // In one piece: who waits for the first line finds the link with it.
  process.stdout.write(`\nCoterie is running at ${config.publicUrl}\n${invitation}`);

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timers = [
        setTimeout(() => silent.forEach(socket => void socket.destroy()), silentWithinMs),
        setTimeout(() => server.closeAllConnections(), stopWithinMs),
      ];
      await closed;
      timers.forEach(clearTimeout);
      await stopJobs();
      await deps.close();
      log.info('Coterie has stopped');
    })();
    return stopped;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().then(() => process.exit(0));
    });
  }
  return { server, stop };
}
