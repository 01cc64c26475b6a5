import { ImapFlow } from 'imapflow';
import { digestOf } from '../base/secrets.ts';
import { forget } from '../db/marks.ts';
import { isOutage } from '../db/outage.ts';
import type { Deps } from '../deps.ts';
import { isTooMany, returnAttempt, takeAttempt } from '../limits/attempts.ts';
import { keysIn } from '../mail/reply-address.ts';
import { headersOf } from './read-head.ts';
import { giveUpMail, isExpected, maxMailBytes, receiveMail } from './receive.ts';

/**
 * The most mails that are looked at in a run: the older ones wait for the next. Their numbers, of up to ten
 * digits, fit into a command, which some servers bound at 8,000 characters (RFC 7162, 4).
 */
const mailsAtOnce = 500;
/** How often a mail is tried that fails or ends the process. */
const triesPerMail = 3;
/** How long the attempts are counted. */
const triesSeconds = 24 * 60 * 60;

/**
 * The numbers of the mails that need no look any more: all up to `until`, and those of `later`. Valid while
 * the mailbox keeps its numbers (RFC 9051, 2.3.1).
 */
export type LookedAt = { validity: bigint | undefined; until: number; later: Set<number> };

/**
 * Receives unseen mails, the newest first: an answer does not wait behind old mails to others. Notes in
 * `lookedAt` at once what it has done: it throws when the mail server goes away.
 */
export async function takeUnseen(
  deps: Deps,
  url: string,
  template: string,
  lookedAt: LookedAt,
): Promise<void> {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(url);
  const isSecure = protocol === 'imaps:';
  const client = new ImapFlow({
    host: hostname,
    port: Number(port) || (isSecure ? 993 : 143),
    secure: isSecure,
    // Without TLS a password could be intercepted: STARTTLS is required, unless the address says so.
    ...(!isSecure && searchParams.get('requireTLS') !== 'false' && { doSTARTTLS: true }),
    auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    logger: false,
  });
  client.on('error', error => deps.log.warn({ err: error }, 'the mailbox for answers has hung up'));
  await client.connect();
  try {
    const lock = await client.getMailboxLock(decodeURIComponent(pathname.slice(1)) || 'INBOX');
    try {
      const validity = client.mailbox === false ? undefined : client.mailbox.uidValidity;
      const isSame = validity === lookedAt.validity;
      const { until, later } = isSame ? lookedAt : { until: 0, later: new Set<number>() };
      const unseen = (await client.search({ seen: false, uid: `${until + 1}:*` }, { uid: true })) || [];
      const left = unseen.filter(uid => uid > until && !later.has(uid));
      lookedAt.validity = validity;
      lookedAt.until = left[0] === undefined ? Math.max(until, unseen.at(-1) ?? 0) : left[0] - 1;
      lookedAt.later = new Set(unseen.filter(uid => uid > lookedAt.until && later.has(uid)));
      const newest = left.slice(-mailsAtOnce).join(',');
      const ours: { uid: number; keys: string[] }[] = [];
      if (newest !== '')
        for await (const { uid, headers } of client.fetch(newest, { headers: true }, { uid: true })) {
          // A mail whose flags another program changes meanwhile is named without its headers.
          if (headers === undefined) continue;
          const keys = keysIn(template, headersOf(headers).toString('latin1'));
          if (keys.length > 0) ours.push({ uid, keys });
          // All others in the mailbox stay untouched.
          else lookedAt.later.add(uid);
        }
      for (const { uid, keys } of ours) {
        if (deps.stopping.aborted) break;
        // One byte more shows that it is longer. What strangers send to made-up addresses is not fetched.
        const source = { maxLength: maxMailBytes + 1 };
        const mail =
          (await isExpected(deps, keys)) && (await client.fetchOne(`${uid}`, { source }, { uid: true }));
        // Others do not wait for a failing mail.
        if (mail !== false && mail.source !== undefined && !(await take(deps, mail.source))) continue;
        const isMarked = await client.messageFlagsAdd(`${uid}`, ['\\Seen'], { uid: true });
        // The library answers a lost connection as it does a refusal.
        if (!isMarked && !client.usable) throw new Error('The connection to the mail server was lost.');
        lookedAt.later.add(uid);
      }
    } finally {
      lock.release();
    }
  } finally {
    await client.logout().catch(() => client.close());
  }
}

/**
 * Receives a mail; false if it failed and is to be tried again, which gives the same comment or post. The
 * attempt is counted first, because the process may end during it. Throws while the site can receive no mail.
 */
async function take(deps: Deps, source: Buffer): Promise<boolean> {
  const tries = {
    name: `mail in the mailbox ${digestOf(source)}`,
    points: triesPerMail,
    seconds: triesSeconds,
  };
  const isGivenUp = await takeAttempt(deps, tries).then(
    () => false,
    (error: unknown) => {
      if (!isTooMany(error)) throw error;
      return true;
    },
  );
  try {
    await (isGivenUp ? giveUpMail(deps, source) : receiveMail(deps, source));
  } catch (error) {
    if (!isOutage(error)) {
      deps.log.error({ err: error, isGivenUp }, 'a mail could not be taken');
      return isGivenUp;
    }
    if (!isGivenUp) await returnAttempt(deps, tries);
    throw error;
  }
  await forget(deps, tries.name);
  return true;
}
