import type { Job } from '../base/background.ts';
import { whileLeased } from '../db/lease.ts';
import type { Deps } from '../deps.ts';
import type { LookedAt } from './take-unseen.ts';

const everyMs = 30_000;

/** Receives the mails in the site's mailbox, if the settings name one. */
export function inboxJobs(deps: Deps): Job[] {
  const { mailInboxUrl, mailReplyAddress } = deps.config;
  if (mailInboxUrl === undefined || mailReplyAddress === undefined) return [];
  // Mails to others in the same mailbox are looked at once.
  const lookedAt: LookedAt = { validity: undefined, until: 0, later: new Set() };
  // A mail is marked as seen only after it was handled: until then other processes would handle it, too.
  const run = () =>
    whileLeased(deps.db, 'inbox', deps.clock, async () => {
      // Loaded here: most sites have no such mailbox.
      const { takeUnseen } = await import('./take-unseen.ts');
      await takeUnseen(deps, mailInboxUrl, mailReplyAddress, lookedAt);
    });
  return [{ everyMs, failure: 'the mailbox for answers could not be read', run }];
}
