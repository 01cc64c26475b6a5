import { expect, it } from 'vitest';
import { insertAccount } from '../../server/accounts/sign-in/insert.ts';
import { mailJobs } from '../../server/mail/worker.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

const addressOf = (index: number) => `reader${index}@example.com`;

async function addReaders({ deps }: Site, count: number): Promise<void> {
  await deps.db.transaction().execute(async trx => {
    for (let index = 0; index < count; index += 1) {
      const account = { id: `reader${index}`, email: addressOf(index), createdAt: deps.clock() };
      await insertAccount(trx, {
        ...account,
        isEmailVerified: true,
        username: account.id,
        name: 'A reader',
        passwordHash: null,
        status: 'approved',
        isAdmin: false,
        decidedAt: null,
      });
      await trx
        .insertInto('subscriptions')
        .values({ user_id: account.id, email: account.email, created_at: account.createdAt })
        .execute();
    }
  });
}

type Refusal = { code: number; sentence: string };

/**
 * Mails a post to so many readers by a server that takes ten mails a second, from `processes` workers that
 * share the queue. Seconds are those of the test's clock. Returns how many passed, and how many mails were
 * refused.
 */
async function mailThroughSlowServer(s: Site, readers: number, refusal: Refusal, processes = 1) {
  const admin = await s.admin();
  await addReaders(s, readers);
  let [taken, refused] = [0, 0];
  const { smtp, deps } = await withSmtp(s, {
    refuseMessage: () => {
      taken += 1;
      if (taken <= 10) return undefined;
      refused += 1;
      return refusal;
    },
  });
  await publish(s, admin, shortPost('A word to all.'));
  let seconds = 0;
  const workers = Array.from({ length: processes }, () => mailJobs(deps, () => seconds * 1_000)[0]);
  const isUnsent = async () =>
    smtp.mails.length === 0 ||
    (await deps.db.selectFrom('mails').select('id').where('state', '=', 'queued').executeTakeFirst()) !==
      undefined;
  while (seconds < 1_000 && (await isUnsent())) {
    taken = 0;
    for (const worker of workers) await worker?.run();
    seconds += 1;
    s.wait(1_000);
  }
  const rows = await deps.db.selectFrom('mails').select(['state', 'attempts']).execute();
  return { mails: smtp.mails.map(mail => mail.to), rows, seconds, refused };
}

type Scene = [code: number, sentence: string, readers: number, processes: number];

describeEngines(({ site, engine }) => {
  // A process keeps its pace in memory; the queue that several share is in the database.
  const ofOne: Scene[] = [
    [454, 'Throttling failure: Maximum sending rate exceeded.', 500, 1],
    [450, 'Too many messages, slow down', 120, 1],
  ];
  it.each<Scene>([...(engine === 'sqlite' ? ofOne : []), [451, '4.7.500 Server busy', 120, 3]])(
    'mail through a server that takes ten a second reaches everybody once if it answers %i beyond: %s (%i readers, %i processes)',
    async (...scene) => {
      const [code, sentence, readers, processes] = scene;
      const refusal = { code, sentence };
      const { mails, rows, seconds, refused } = await mailThroughSlowServer(
        await site(),
        readers,
        refusal,
        processes,
      );
      expect(mails.toSorted()).toEqual(
        Array.from({ length: readers }, (_, index) => addressOf(index)).sort(),
      );
      expect(new Set(rows.map(row => `${row.state} ${row.attempts}`))).toEqual(new Set(['sent 0']));
      // By the test's clock: a tenth of a second a mail is the fastest that the server allows.
      expect(seconds).toBeLessThan(readers / 3);
      // A few mails each time that the pace is found to be too fast.
      expect(refused).toBeLessThan(readers / 3);
    },
  );
});
