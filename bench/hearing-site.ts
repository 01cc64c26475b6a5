import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../test/support/no-settings.ts';
import { createListener } from '../server/app.ts';
import { readConfig } from '../server/config.ts';
import { serverOptions } from '../server/http/connections.ts';
import { Limits } from '../server/limits/rate-limits.ts';
import { openDeps } from '../server/open-deps.ts';
import { builtWeb } from '../server/surfaces/pages/web.ts';
import { CountedHashing } from '../test/support/hashing.ts';
import { insertSession, insertUser } from '../test/support/people.ts';

export type Where = { isPlain?: boolean; databaseUrl?: string | undefined };
export type Wish = { rhythm: 'at-once' | 'daily' | 'weekly'; isWhole: boolean };

const web = await builtWeb(join(import.meta.dirname, '../dist/web'));

/** A site that mails through `smtpUrl`, with a clock of its own; `isPlain` takes no answers by mail. */
export async function openBench(smtpUrl: string, { isPlain = false, databaseUrl }: Where = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-hearing-'));
  let now = Date.now();
  const config = readConfig({
    ...{ DATA_DIR: dataDir, LOG_LEVEL: 'silent', PUBLIC_URL: 'http://localhost:3000', SMTP_URL: smtpUrl },
    ...{ MAIL_FROM: 'blog@example.org', ...(!isPlain && { MAIL_REPLY_ADDRESS: 'reply+{}@example.org' }) },
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  });
  const { close, ...deps } = await openDeps(config, {
    ...{ clock: () => now, hashing: new CountedHashing(), limits: new Limits(100_000), countsLagMs: 0 },
    ...{ pause: async () => {}, stopping: new AbortController().signal },
  });
  const server = createServer(serverOptions, createListener(deps, web));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const approved = { email_verified: true, status: 'approved' as const, approved_at: now };
  const admin = await insertUser(deps.db, { username: 'admin', name: 'Admin', ...approved, is_admin: true });
  const cookieOf = async (userId: string) => `coterie-session=${await insertSession(deps, userId)}`;
  const call = async (cookie: string, operation: string, data: object) => {
    const headers = { 'content-type': 'application/json', origin: config.publicUrl, cookie };
    const answer = await fetch(`${url}/api/${operation}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ data }),
    });
    if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { result: { url?: string } };
  };
  return {
    deps,
    url,
    call,
    cookieOf,
    adminCookie: await cookieOf(admin),
    wait: (ms: number) => {
      now += ms;
    },
    now: () => now,
    addReaders: async (count: number, wishOf: (index: number) => Wish) => {
      const ids = Array.from({ length: count }, (_, index) => `reader${index}`);
      await deps.db.transaction().execute(async trx => {
        for (const [index, id] of ids.entries()) {
          await insertUser(trx, { id, username: id, name: 'A reader', ...approved });
          const { rhythm, isWhole } = wishOf(index);
          const since = { created_at: now, digest_at: now };
          const wish = { rhythm, is_whole: isWhole, digest_hour: new Date(now).getUTCHours() };
          await trx
            .insertInto('subscriptions')
            .values({ user_id: id, email: `${id}@example.com`, ...since, ...wish })
            .execute();
        }
      });
      return ids;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      deps.mail.close();
      await close();
      await rm(dataDir, { recursive: true });
    },
  };
}
