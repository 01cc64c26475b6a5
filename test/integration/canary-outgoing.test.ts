import { expect, it, onTestFinished } from 'vitest';
import { wishKinds } from '../../contract/wishes.ts';
import type { MailKind } from '../../server/db/tables.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { deliverPushes, deliverWebhooks } from '../../server/mail/deliver-lanes.ts';
import { webhookMails } from '../../server/mail/webhooks/queue.ts';
import { type NewMail, queueMail } from '../../server/mail/write.ts';
import { describeEngines } from '../support/engines.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { startPushService } from '../support/push-service.ts';
import { openSite } from '../support/site.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { leaks, readable } from './canary-leaks.ts';
import { openScene } from './canary-scene.ts';

/** Somebody, a post and its comment, whether they may read them or not. */
type About = { userId: string; postId: string; commentId: string; sessionId: string; until: number };

/**
 * How each kind of row in the queue names a post. The compiler asks for each new kind. Nothing for those that
 * name none, and for invitations, which have no account.
 */
const queuedAbout: Record<MailKind, (about: About) => NewMail[]> = {
  post: ({ userId, postId }) => [{ kind: 'post', userId, postId }],
  digest: ({ userId, until }) => [{ kind: 'digest', userId, data: { since: 0, until } }],
  comment: ({ userId, commentId }) => [
    { kind: 'comment', userId, data: { commentId, wishes: [...wishKinds] } },
  ],
  push: ({ userId, postId, commentId, sessionId }) => [
    { kind: 'push', userId, postId, data: { sessionId } },
    { kind: 'push', userId, postId, data: { sessionId, commentId } },
  ],
  asked: ({ userId, postId }) => [{ kind: 'asked', userId, postId }],
  'let-in': ({ userId, postId }) => [{ kind: 'let-in', userId, postId }],
  opened: () => [],
  'refused-reply': ({ userId, postId }) => [
    {
      kind: 'refused-reply',
      userId,
      postId,
      data: { error: 'It is too long.', isAdded: false, inReplyTo: '' },
    },
  ],
  reported: ({ userId, postId }) => [{ kind: 'reported', userId, postId }],
  reset: () => [],
  confirm: () => [],
  approved: ({ userId }) => [{ kind: 'approved', userId, data: { isAuthor: false } }],
  waiting: ({ userId }) => [{ kind: 'waiting', userId }],
  notice: ({ userId }) => [{ kind: 'notice', userId, data: { notice: 'password-changed' } }],
  'sign-in': () => [],
  invitation: () => [],
  'backup-failed': ({ userId }) => [{ kind: 'backup-failed', userId, data: { error: 'The disk is full.' } }],
};

describeEngines(({ migrated }) => {
  it('nothing that is sent holds a word of what its reader may not read', async () => {
    const s = await openSite(await migrated(), { WEBHOOK_NETWORKS: '127.0.0.1' });
    onTestFinished(s.close);
    const scene = await openScene(s);
    const { db } = s.deps;
    const [{ smtp, deps: mailing }, service, receiver] = await Promise.all([
      withSmtp(s),
      startPushService(),
      startReceiver(),
    ]);
    const deps = { ...mailing, isAllowed: () => true };
    await s.call(scene.people.admin ?? null, 'addWebhook', {
      format: 'json',
      events: ['post'],
      name: 'A program',
      url: receiver.url('/hook'),
    });
    await db.updateTable('users').set({ email_verified: true }).execute();
    const comments = await db.selectFrom('comments').select(['id', 'post_id']).execute();
    const allTags = (await db.selectFrom('tags').select('id').execute()).map(({ id }) => id);
    const viewerOf = new Map<string, string>();
    const toldTo = new Map<string, () => unknown[]>();
    for (const [viewer, person] of Object.entries(scene.people)) {
      if (person === null) continue;
      const { id: userId, username } = person;
      const email = `${username}@example.com`.toLowerCase();
      await db.updateTable('users').set({ email }).where('id', '=', userId).execute();
      viewerOf.set(email, viewer);
      const subscription = { user_id: userId, email, created_at: 0, is_whole: true };
      await db.insertInto('subscriptions').values(subscription).execute();
      const session = await db
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      const sessionId = session?.id ?? '';
      if (session !== undefined) {
        const { endpoint, keys, told } = service.browser(`/${userId}`);
        const row = { endpoint, ...keys, session_id: sessionId, user_id: userId, created_at: 0 };
        await db.insertInto('push_subscriptions').values(row).execute();
        const { publicKey } = await s.call(scene.people.admin ?? null, 'getPush', {});
        toldTo.set(viewer, () => told(publicKey));
      }
      const rows = Object.values(scene.posts).flatMap(({ id: postId }) => {
        const commentId = comments.find(({ post_id }) => post_id === postId)?.id ?? '';
        const about = { userId, postId, commentId, sessionId, until: s.deps.clock() };
        return Object.values(queuedAbout).flatMap(queued => queued(about));
      });
      const opened = { kind: 'opened' as const, userId, data: { tagIds: allTags, since: s.deps.clock() } };
      await queueMail(db, s.deps.clock(), ...rows, opened);
    }
    for (const { id } of Object.values(scene.posts))
      await queueMail(db, s.deps.clock(), ...(await webhookMails(db, 'post', `canary ${id}`, id)));

    await Promise.all([deliverDue(deps), deliverPushes(deps), deliverWebhooks(deps)]);
    s.wait(10 * 60_000);
    await deliverDue(deps);

    const found: string[] = [];
    const look = (viewer: string, channel: string, text: string) => {
      for (const word of leaks(scene, viewer, '', text)) found.push(`${viewer}: ${channel} told ${word}`);
    };
    const mailed = new Map<string, Set<string>>();
    const notified = new Map<string, string[]>();
    for (const { to, source, text, html } of smtp.mails) {
      const viewer = viewerOf.get(to) ?? '';
      look(viewer, 'a mail', `${source} ${text} ${html}`);
      for (const name of Object.keys(scene.posts))
        if (text.includes(`title${name}q`)) mailed.set(viewer, (mailed.get(viewer) ?? new Set()).add(name));
    }
    for (const [viewer, told] of toldTo) {
      const notifications = JSON.stringify(told());
      look(viewer, 'a notification', notifications);
      const named = Object.entries(scene.posts).filter(([, { id }]) => notifications.includes(id));
      notified.set(viewer, named.map(([name]) => name).sort());
    }
    const webhooks = receiver.received();
    for (const { body } of webhooks) look('visitor', 'a webhook', body);
    expect(found).toEqual([]);
    // What may be sent is sent: a matrix without mails would prove nothing.
    for (const viewer of ['member without tags', 'member with one tag', 'member with both tags']) {
      const names = [...(readable[viewer] ?? [])].sort();
      const told = { mailed: [...(mailed.get(viewer) ?? [])].sort(), notified: notified.get(viewer) };
      expect({ viewer, ...told }).toEqual({ viewer, mailed: names, notified: names });
    }
    expect(webhooks.some(({ body }) => body.includes('titleopenq'))).toBe(true);
  });
});
