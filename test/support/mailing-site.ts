import { onTestFinished } from 'vitest';
import type { Deps } from '../../server/deps.ts';
import { mailTransport } from '../../server/mail/transport.ts';
import type { Site } from './site.ts';
import { startSmtp } from './smtp.ts';

/** The site's parts, sending through a real SMTP server. */
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
  // What the people of the scene were told already is not the subject.
  await s.deps.db.deleteFrom('mails').execute();
  return { smtp, deps: { ...s.deps, mail } satisfies Deps };
}
