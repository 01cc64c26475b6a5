import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createListener } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import { type Guards, unguarded } from '../../server/db/transaction.ts';
import type { Deps } from '../../server/deps.ts';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { serverOptions } from '../../server/http/connections.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { openDeps } from '../../server/open-deps.ts';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { CountedHashing } from '../support/hashing.ts';
import type { Location } from '../support/site.ts';

/** The settings of a site that a history is played on. */
export function settingsOf({ dataDir, databaseUrl }: Location, smtpUrl: string): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    TRUSTED_PROXIES: '127.0.0.1',
    PUBLIC_URL: 'http://localhost:3000',
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'blog@example.org',
    MAIL_REPLY_ADDRESS: 'reply+{}@example.org',
    CONFIRM_EMAIL_FIRST: 'false',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
}

/** The application with a real socket, a real database, and the tester's clock. */
export async function openServer(
  settings: Record<string, string>,
  web: Web,
  clock: () => number,
  port = 0,
): Promise<{ deps: Deps; url: string; close(): Promise<void> }> {
  const config = readConfig(settings);
  const stopping = new AbortController();
  // A tester asks more in a second than a person in an hour.
  const limits = new Limits(10_000);
  const { close, ...deps } = await openDeps(config, {
    clock,
    pause: async () => {},
    hashing: new CountedHashing(),
    limits,
    countsLagMs: 0,
    stopping: stopping.signal,
  });
  const server = createServer(serverOptions, createListener(deps, web));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: opened } = server.address() as AddressInfo;
  return {
    deps,
    url: `http://127.0.0.1:${opened}`,
    close: async () => {
      stopping.abort();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      deps.mail.close();
      await close();
    },
  };
}

/** Works on a site while its servers run, over separate connections, as a command does. */
export async function asCommand<T>(
  location: Location,
  work: (deps: Deps & Guards) => Promise<T>,
): Promise<T> {
  const config = readConfig(settingsOf(location, 'smtp://127.0.0.1:1'));
  const { close, ...deps } = await openDeps(config);
  try {
    return await work({ ...deps, ...unguarded });
  } finally {
    deps.mail.close();
    await close();
  }
}

/** Everybody confirms that it is them: the model knows no sign-in of long ago. */
export async function confirmSignIns(location: Location, now: number): Promise<void> {
  await asCommand(location, async ({ db }) => {
    await db.updateTable('sessions').set({ password_given_at: now }).execute();
  });
}

/** Makes the sizes of pictures and sends the mails that are due, as a site does in the background. */
export async function doJobs(deps: Deps): Promise<void> {
  while (await makeNextVariants({ ...deps, ...unguarded }));
  await queueAdminDigests(deps);
  await queueDigests(deps);
  await deliverDue(deps);
}
