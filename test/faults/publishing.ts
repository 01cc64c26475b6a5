import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../server/db/connect.ts';
import { startSmtp } from '../support/smtp.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const samples = 15;
/** Two saves on a shared machine differ by so much (bars.md: within the time of a normal save). */
const mostTimes = 4;

/**
 * How long an author waits for publishing to nobody and to many subscribers, and for another post while the
 * mails of the first go out as fast as a server on this machine takes them. Milliseconds, the median of some.
 */
export async function measurePublishing(place: Place, subscribers: number) {
  const smtp = await startSmtp();
  const site = await place.site({ SMTP_URL: smtp.url, MAIL_FROM: 'blog@example.org' });
  await site.start();
  await site.createAdmin();
  await site.seed('--posts', '0', '--members', String(subscribers), '--comments', '0', '--likes', '0');
  const admin = new Client(site.url);
  await admin.signIn('mina@example.com');
  const { db, close } = await openDatabase(place.location);
  try {
    const toNobody = await medianMs(admin);
    const members = db.selectFrom('users').where('status', '=', 'approved').where('is_admin', '=', false);
    await db
      .insertInto('subscriptions')
      .columns(['user_id', 'email', 'created_at'])
      .expression(members.select(eb => ['id', 'email', eb.val(1).as('created_at')]))
      .execute();
    const toMany = await publishMs(admin);
    while (smtp.mails.length === 0) await sleep(50);
    const meanwhile = await medianMs(admin);
    const ratio = Math.round((10 * toMany) / toNobody) / 10;
    assert.ok(
      ratio <= mostTimes,
      `Publishing to ${subscribers} takes ${ratio} times as long as to nobody: ${toMany} ms, ${toNobody} ms.`,
    );
    return { subscribers, toNobody, toMany, ratio, meanwhile, mailsMeanwhile: smtp.mails.length };
  } finally {
    await close();
    await site.stop('SIGKILL');
    await smtp.stop();
  }
}

async function publishMs(admin: Client): Promise<number> {
  const start = performance.now();
  assert.ok(await admin.call('createPost', { type: 'short', content: 'A post.', tags: [], isDraft: false }));
  return Math.round(10 * (performance.now() - start)) / 10;
}

async function medianMs(admin: Client): Promise<number> {
  const times: number[] = [];
  while (times.length < samples) times.push(await publishMs(admin));
  times.sort((a, b) => a - b);
  return times[Math.floor(samples / 2)] ?? 0;
}
