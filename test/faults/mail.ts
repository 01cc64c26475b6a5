import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../server/db/connect.ts';
import { mailConnections } from '../../server/mail/transport.ts';
import type { RunningSite } from '../e2e/site.ts';
import { startSmtp } from '../support/smtp.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

export type MailReport = {
  subscribers: number;
  entitled: number;
  kills: number;
  mails: number;
  seconds: number;
};

const subject = 'For the circle.';
const quietWithinMs = 5 * 60_000;

/**
 * Publishes a post to subscribers of mixed rights through a real SMTP server, and kills a process with -9
 * three times while its mails are sent. Everybody with the right must get it, and nobody else. Only a mail
 * that was being sent at a kill may arrive twice, with the same Message-ID, by which mail programs recognise
 * it as the same.
 */
export async function runMail(
  place: Place,
  { subscribers, processes, kills }: { subscribers: number; processes: number; kills: number },
): Promise<MailReport> {
  let received = 0;
  let killAt = new Set<number>();
  let killed = 0;
  const sites: RunningSite[] = [];
  const restarts: Promise<void>[] = [];
  const smtp = await startSmtp({
    onMail: async mail => {
      if (!mail.source.includes(subject)) return;
      received += 1;
      const victim = sites[killed % processes];
      if (!killAt.has(received) || victim === undefined) return;
      killed += 1;
      // The worst moment: the server has the whole mail, and its sender has not got the answer yet.
      await victim.stop('SIGKILL');
      restarts.push(victim.start());
    },
  });
  for (let index = 0; index < processes; index += 1) {
    sites.push(await place.site({ SMTP_URL: smtp.url, MAIL_FROM: 'blog@example.org' }));
  }
  try {
    const [first] = sites;
    assert.ok(first);
    await first.start();
    await first.createAdmin();
    await first.seed('--posts', '0', '--members', String(subscribers), '--comments', '0', '--likes', '0');
    const database = await openDatabase(place.location);
    try {
      const entitled = await subscribeEverybody(database);
      killAt = new Set(
        Array.from({ length: kills }, (_, index) => Math.round((entitled.size * (index + 0.5)) / kills)),
      );
      for (const site of sites.slice(1)) await site.start();
      const admin = new Client(first.url);
      await admin.signIn('mina@example.com');
      const start = performance.now();
      assert.ok(
        await admin.call('createPost', { type: 'short', content: subject, tags: ['circle'], isDraft: false }),
      );
      await untilQuiet(database);
      await Promise.all(restarts);
      const seconds = (performance.now() - start) / 1_000;
      const counts = new Map<string, number>();
      const messageIds = new Map<string, Set<string | undefined>>();
      for (const mail of smtp.mails) {
        if (!mail.source.includes(subject)) continue;
        counts.set(mail.to, (counts.get(mail.to) ?? 0) + 1);
        const ids = messageIds.get(mail.to) ?? new Set();
        messageIds.set(mail.to, ids.add(/^Message-ID: (.+)$/im.exec(mail.source)?.[1]));
      }
      let repeated = 0;
      const report = { missing: [] as string[], different: [] as string[], foreign: [] as string[] };
      for (const email of entitled) if (!counts.has(email)) report.missing.push(email);
      for (const [email, count] of counts) {
        if (!entitled.has(email)) report.foreign.push(email);
        if (count > 1) repeated += count - 1;
        if (messageIds.get(email)?.size !== 1) report.different.push(email);
      }
      assert.deepEqual(report, { missing: [], different: [], foreign: [] });
      assert.ok(repeated <= kills * mailConnections, `${repeated} mails came again after ${kills} kills`);
      assert.equal(killed, kills);
      assert.match(await first.cli('doctor'), /No problems found/);
      return { subscribers, entitled: entitled.size, kills: killed, mails: received, seconds };
    } finally {
      await database.close();
    }
  } finally {
    for (const site of sites) await site.stop();
    await smtp.stop();
  }
}

/**
 * Every third has no right to the tag; every tenth of the others is denied. Returns the addresses of the
 * rest.
 */
async function subscribeEverybody({ db }: Database): Promise<Set<string>> {
  const entitled = new Set<string>();
  const members = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('status', '=', 'approved')
    .where('is_admin', '=', false)
    .orderBy('id')
    .execute();
  await db.transaction().execute(async trx => {
    await trx.deleteFrom('approved_tags').execute();
    await trx
      .insertInto('tags')
      .values({ id: 'circle', name: 'circle', key: 'circle', is_listed: true })
      .execute();
    for (const [index, { id, email }] of members.entries()) {
      await trx.insertInto('subscriptions').values({ user_id: id, email, created_at: 1 }).execute();
      if (index % 3 === 2) continue;
      await trx.insertInto('approved_tags').values({ user_id: id, tag_id: 'circle' }).execute();
      if (index % 10 === 0) {
        await trx.updateTable('users').set({ status: 'denied', denied_at: 1 }).where('id', '=', id).execute();
      } else {
        entitled.add(email);
      }
    }
  });
  return entitled;
}

/** Waits until every subscriber of the announced post has been decided about. */
async function untilQuiet({ db }: Database): Promise<void> {
  const deadline = performance.now() + quietWithinMs;
  for (;;) {
    const open = await db
      .selectFrom('announcements')
      .select('post_id')
      .where('expanded_at', 'is', null)
      .execute();
    const waiting = await db
      .selectFrom('mails')
      .select(eb => ['state', eb.fn.countAll().as('count')])
      .where('state', '=', 'queued')
      .groupBy('state')
      .execute();
    if (open.length === 0 && waiting.length === 0) return;
    assert.ok(performance.now() < deadline, `The queue does not end: ${JSON.stringify(waiting)}`);
    await sleep(200);
  }
}
