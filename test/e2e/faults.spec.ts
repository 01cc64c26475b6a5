import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../server/db/connect.ts';
import { randomFrom, runRounds } from '../faults/rounds.ts';
import { startPostgres } from '../postgres.ts';
import { startSmtp } from '../smtp.ts';
import { callFrom, expect, freePort, RunningSite, signIn, test } from './site.ts';

test('nothing that was acknowledged is lost when the process is killed', async ({ site }) => {
  const report = await runRounds(site, 4, randomFrom(7));
  expect(report.acknowledged).toBeGreaterThan(10);
  expect(report.slowestStartMs).toBeLessThan(5_000);
});

test('nor on PostgreSQL', async () => {
  const postgres = await startPostgres();
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-faults-'));
  const site = new RunningSite(dataDir, await freePort(), { DATABASE_URL: `${postgres.url}/postgres` });
  try {
    await site.start();
    const report = await runRounds(site, 3, randomFrom(8));
    expect(report.acknowledged).toBeGreaterThan(0);
  } finally {
    await site.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('everybody entitled gets one mail, though the process is killed three times', async ({ browser }) => {
  test.setTimeout(180_000);
  // SUBSCRIBERS=1000 is the full size; here it must stay short.
  const people = Number(process.env.SUBSCRIBERS ?? 150);
  const killAt = new Set([0.1, 0.35, 0.7].map(part => Math.round(people * 0.4 * part)));
  const everything = Promise.withResolvers<void>();
  let killed: Promise<void> | undefined;
  let received = 0;
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-mail-'));
  const smtp = await startSmtp({
    onMail: async mail => {
      if (!mail.source.includes('For the circle.')) return;
      received += 1;
      // The worst moment: the server has the whole mail, and its sender has not heard so.
      if (killAt.has(received)) {
        killed = site.stop('SIGKILL');
        await killed;
        setImmediate(() => site.start().catch(everything.reject));
      }
      if (received >= entitled.size) everything.resolve();
    },
  });
  const site = new RunningSite(dataDir, await freePort(), {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'blog@example.org',
  });
  const entitled = new Set<string>();
  try {
    await site.start();
    await site.createAdmin();
    await site.cli('seed', '--posts', '0', '--members', String(people), '--comments', '0', '--likes', '0');
    // Every third may read what is tagged; every tenth of these has been denied.
    const { db, close } = await openDatabase({ databaseUrl: undefined, dataDir });
    const members = await db
      .selectFrom('users')
      .selectAll()
      .where('status', '=', 'approved')
      .where('is_admin', '=', false)
      .orderBy('id')
      .execute();
    const page = await (await browser.newContext({ baseURL: site.url })).newPage();
    await signIn(page, 'mina');
    await db.deleteFrom('approved_tags').execute();
    await db
      .insertInto('tags')
      .values({ id: 'circle', name: 'circle', key: 'circle', is_listed: true })
      .execute();
    await db.transaction().execute(async trx => {
      for (const [index, { id, email }] of members.entries()) {
        await trx.insertInto('subscriptions').values({ user_id: id, email, created_at: 1 }).execute();
        if (index % 3 === 2) continue;
        await trx.insertInto('approved_tags').values({ user_id: id, tag_id: 'circle' }).execute();
        if (index % 10 === 0) {
          await trx
            .updateTable('users')
            .set({ status: 'denied', denied_at: 1 })
            .where('id', '=', id)
            .execute();
        } else {
          entitled.add(email);
        }
      }
    });
    await close();
    const before = performance.now();
    await callFrom(page, 'createPost', {
      type: 'short',
      content: 'For the circle.',
      tags: ['circle'],
      isDraft: false,
    });
    console.log(`publishing to ${people} subscribers: ${Math.round(performance.now() - before)} ms`);
    await everything.promise;
    // Another look at the queue, which must find nothing more to send.
    await expect
      .poll(
        async () => {
          const look = await openDatabase({ databaseUrl: undefined, dataDir });
          const left = await look.db.selectFrom('mails').select('id').where('state', '=', 'queued').execute();
          await look.close();
          return left.length;
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    const addresses = smtp.mails.filter(mail => mail.source.includes('For the circle.')).map(mail => mail.to);
    expect(addresses.toSorted()).toEqual([...entitled].toSorted());
    expect(await site.cli('doctor')).toContain('Everything is as it must be');
  } finally {
    await site.stop();
    await smtp.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
