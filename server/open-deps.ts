import { setTimeout as sleep } from 'node:timers/promises';
import { tagCatalogue } from './access/audience.ts';
import { memberGroups } from './access/user-counts.ts';
import { noteConfirmsFirst } from './access/waiting-users.ts';
import { OpenidProvider } from './accounts/openid/provider.ts';
import { siteSecret } from './accounts/sessions/session-token.ts';
import { boundedHashing } from './accounts/sign-in/bounded-hashing.ts';
import { type PasswordHashing, passwordHashing } from './accounts/sign-in/password-hashing.ts';
import { createLog } from './base/log.ts';
import type { Config } from './config.ts';
import { type Opening, openDatabase } from './db/connect.ts';
import type { Deps } from './deps.ts';
import { openFileStore } from './files/store/store.ts';
import { Downloads } from './limits/downloads.ts';
import { Limits } from './limits/rate-limits.ts';
import { mailTransport } from './mail/transport.ts';
import { postCaches } from './posts/caches.ts';
import { indexMissing } from './search/index-posts.ts';
import { feedIds } from './settings/feed-ids.ts';
import { aboutText } from './settings/read.ts';
import { currentSettings } from './settings/site-settings.ts';

/** Opens the dependencies of the application; tests pass some of their own. */
export async function openDeps(
  config: Config,
  {
    log: given,
    opening,
    clock = Date.now,
    pause = sleep,
    hashing = passwordHashing,
    limits = new Limits(),
    countsLagMs = 1_000,
    draining = new AbortController().signal,
    stopping = new AbortController().signal,
  }: Partial<Pick<Deps, 'log' | 'clock' | 'pause' | 'limits' | 'countsLagMs' | 'draining' | 'stopping'>> & {
    opening?: Opening;
    hashing?: PasswordHashing;
  } = {},
): Promise<Deps & { close(): Promise<void> }> {
  const log = given ?? (await createLog(config));
  const { db, changes, pool, close } = await openDatabase(config, opening, text => log.warn(text));
  if (opening !== 'nothing') await indexMissing(db);
  // Only a server: a command may have been given other settings.
  if (opening === undefined) await noteConfirmsFirst(db, config, clock());
  const secret = await siteSecret(db);
  const settings = currentSettings(db, changes, config);
  return {
    db,
    changes,
    pool,
    catalogue: tagCatalogue(db, changes),
    memberGroups: memberGroups(db, changes),
    postCaches: postCaches(changes),
    about: aboutText(db, changes),
    settings,
    config,
    hashing: boundedHashing(hashing),
    secret,
    feedIds: await feedIds(db, config, clock()),
    limits,
    downloads: new Downloads(clock),
    mail: mailTransport(config, settings),
    files: await openFileStore(config, db),
    openid: config.openid && new OpenidProvider(config.openid, config, clock),
    clock,
    pause,
    countsLagMs,
    log,
    draining,
    stopping,
    close,
  };
}
