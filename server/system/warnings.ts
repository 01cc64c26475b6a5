import { clockToleranceMs } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { DbContext } from '../db/transaction.ts';
import { freeAround, freeIn } from '../files/store/free-space.ts';
import { ffmpegIsMissing, hasFfmpeg } from '../files/videos/ffmpeg.ts';
import { isOnNetworkDrive } from './network-folder.ts';

/** With less free disk space than this, a warning is shown. Bytes. */
const fewBytes = 1024 ** 3;

type Place = Pick<DbContext, 'db' | 'clock'> & { config: Config };

/**
 * Sentences about the site's environment: it works there, but something should change. Most of them are for a
 * site that others can reach.
 */
export async function warnings(place: Place, roomIn = freeIn, jumpMs = clockJumpMs()): Promise<string[]> {
  const found = await startWarnings(place, roomIn, jumpMs);
  return (await hasFfmpeg()) ? found : [...found, ffmpegIsMissing];
}

/** Those of {@link warnings} that take no program to find. */
export async function startWarnings(
  { config, db, clock }: Place,
  roomIn = freeIn,
  jumpMs = clockJumpMs(),
): Promise<string[]> {
  const { publicUrl, isSecure, smtpUrl = '' } = config;
  const ofPublished = {
    'Readers reach the site by http: passwords cross the network in the open, and passkeys do not work.':
      !isSecure && !isLocal(publicUrl),
    'TRUSTED_PROXIES names no proxy: behind one, all readers share one address and its limits.':
      isSecure && !config.hasTrustedProxies,
    'Mails are written to a folder, and reach nobody: SMTP_URL is not set.': smtpUrl === '',
    'Mails cross the network without TLS, as SMTP_URL says.': /[?&]requireTLS=false\b/i.test(smtpUrl),
  };
  const ofAll = {
    'The disk of DATA_DIR is nearly full: less than 1 GiB is free.':
      (await freeAround(config.dataDir, roomIn)) < fewBytes,
    'The clock of this machine is behind: something was written later than now.': await isBehind(db, clock()),
    'The clock of this machine has jumped since this process started: see that it is right, and restart the site.':
      Math.abs(jumpMs) > clockToleranceMs,
    'The database is on a network drive, where it can be damaged.': await isOnNetworkDrive(config),
  };
  const found: Record<string, boolean> = { ...(config.hasPublicUrl && ofPublished), ...ofAll };
  return Object.keys(found).filter(sentence => found[sentence]);
}

/** By how much the clock differs from the time that has passed since the start of this process. */
const clockJumpMs = () => Date.now() - performance.timeOrigin - performance.now();

const isLocal = (address: string) => /^(?:localhost|127\.|\[::1\]|[^.]+$)/.test(new URL(address).hostname);

async function isBehind(db: DbContext['db'], now: number): Promise<boolean> {
  const latest = await db
    .selectFrom('history')
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirst();
  return Number(latest?.at ?? 0) > now + clockToleranceMs;
}
