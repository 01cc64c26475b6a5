import { ImapFlow } from 'imapflow';
import { digestOf } from '../../base/secrets.ts';
import { isOutage } from '../../db/outage.ts';
import type { Deps } from '../../deps.ts';
import { forgetAttempts, isTooMany, returnAttempt, takeAttempt } from '../../limits/attempts.ts';
import { keysIn } from '../../mail/reply-address.ts';
import { headersOf } from './read-head.ts';
import { giveUpMail, maxMailBytes, receiveMail } from './receive.ts';

/** The most mails to us that are received at a time: others wait for the next run. */
const mailsAtOnce = 50;
/** How often a mail is tried that fails or ends the process. */
const triesPerMail = 3;
/** How long the attempts are counted. */
const triesSeconds = 24 * 60 * 60;

/**
 * The number of the last mail that was looked at, valid while the mailbox keeps its numbers (RFC 9051,
 * 2.3.1).
 */
export type Seen = { validity: bigint | undefined; until: number };

/**
 * Receives the unseen mails after this one. Returns the last one before the first that is to be tried again.
 */
export async function takeUnseen(deps: Deps, url: string, template: string, seen: Seen): Promise<Seen> {
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
      const after = validity === seen.validity ? seen.until : 0;
      const found = (await client.search({ seen: false, uid: `${after + 1}:*` }, { uid: true })) || [];
      let last = after;
      let firstFailed: number | undefined;
      let received = 0;
      for (const uid of found.filter(each => each > after)) {
        if (deps.stopping.aborted || received === mailsAtOnce) break;
        const headers = await client.fetchOne(`${uid}`, { headers: true }, { uid: true });
        if (headers !== false && isForUs(template, headers.headers)) {
          received += 1;
          // One byte more shows that it is longer.
          const source = { maxLength: maxMailBytes + 1 };
          const mail = await client.fetchOne(`${uid}`, { source }, { uid: true });
          // Others do not wait for a failing mail.
          if (mail !== false && mail.source !== undefined && !(await take(deps, mail.source)))
            firstFailed ??= uid;
          else await client.messageFlagsAdd(`${uid}`, ['\\Seen'], { uid: true });
        }
        last = uid;
      }
      return { validity, until: firstFailed === undefined ? last : firstFailed - 1 };
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
  await forgetAttempts(deps, tries.name);
  return true;
}

/** Whether the headers of a mail name an address of ours: all others in the mailbox stay untouched. */
const isForUs = (template: string, headers: Buffer | undefined) =>
  headers !== undefined && keysIn(template, headersOf(headers).toString('latin1')).length > 0;
