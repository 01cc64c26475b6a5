import { onTestFinished } from 'vitest';
import type { Deps } from '../../server/deps.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { mailTransport } from '../../server/mail/transport.ts';
import type { Person, Site } from './site.ts';
import { type ReceivedMail, startSmtp } from './smtp.ts';

/**
 * The parts of the site, sending through a real SMTP server. `deliver` sends what is due and returns what
 * arrived.
 */
export async function withSmtp(s: Site, options: Parameters<typeof startSmtp>[0] = {}) {
  const smtp = await startSmtp(options);
  const mail = mailTransport(
    { ...s.config, smtpUrl: smtp.url, mailFrom: 'blog@example.org' },
    s.deps.settings,
  );
  onTestFinished(async () => {
    mail.close();
    await smtp.stop();
  });
  // Mails of the scene itself, such as those of a sign-up, would be sent with those of the test.
  await s.deps.db.deleteFrom('mails').execute();
  const deps: Site['deps'] = { ...s.deps, mail };
  const deliver = async () => {
    smtp.mails.length = 0;
    await deliverDue(deps);
    return [...smtp.mails];
  };
  return { smtp, deps, deliver };
}

/** Subscribes people to new posts, at the addresses of their usernames. */
export async function subscribe({ deps }: Site, ...people: NonNullable<Person>[]) {
  for (const { id, username } of people) {
    await deps.db
      .insertInto('subscriptions')
      .values({ user_id: id, email: `${username}@example.com`, created_at: deps.clock() })
      .execute();
  }
}

/** The states of all mails, in the order of their keys. */
export const states = async (deps: Deps) =>
  (await deps.db.selectFrom('mails').select(['state', 'error', 'attempts']).orderBy('once').execute()).map(
    row => row.state,
  );

export const subjectOf = ({ source }: ReceivedMail) => /^Subject: (.*)$/m.exec(source)?.[1]?.trim();
