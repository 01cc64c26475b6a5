import { dayMs } from '../../server/base/clock.ts';
import type { MailKind } from '../../server/db/tables.ts';
import { receiveMail } from '../../server/incoming-mail/receive.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { queueNotice } from '../../server/mail/write.ts';
import { noteFailure } from '../../server/moving/archive/backup-state.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import type { Site } from '../support/site.ts';

/** All kinds but notifications of browsers, which are no mails. */
export const kinds: Record<Exclude<MailKind, 'push'>, true> = {
  post: true,
  reset: true,
  confirm: true,
  approved: true,
  waiting: true,
  notice: true,
  'sign-in': true,
  invitation: true,
  digest: true,
  comment: true,
  asked: true,
  'let-in': true,
  opened: true,
  'refused-reply': true,
  reported: true,
  'backup-failed': true,
};

export const title = 'Up to the mill';
const words =
  'The river was high this morning. We walked up to the mill with the dog, and had coffee in the garden.\n\nAnna sends her love, and asks whether you come in August.';

/**
 * Sends mails of every kind, as people cause them; `toLucy` is the one about {@link title} that is delivered
 * to her. Returns the kinds of the mails that the relay took, by their ids.
 */
export async function sendEveryKind(s: Site, toLucy: () => Promise<string>): Promise<Map<string, MailKind>> {
  const { deps } = s;
  const admin = await s.admin();
  const [lucy, mina] = [await s.member(['friends'], 'lucy'), await s.member([], 'mina')];
  const newcomer = await s.signUp('newcomer');
  await deps.db.updateTable('users').set({ email_verified: true }).execute();
  await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
  await s.call(mina, 'setSubscription', { subscribed: true, rhythm: 'daily', hour: 18 });
  s.wait(1);
  const [open = '', closed = ''] = await publish(
    s,
    admin,
    essay({ title, description: 'A walk in June', content: words }),
    essay({ title: 'Photos of the garden', tags: ['family'], content: words }),
    shortPost(words),
  );
  await deliverDue(deps);
  const { comment } = await s.call(mina, 'addComment', { postId: open, content: 'We come in August!' });
  await s.call(lucy, 'reportComment', { commentId: comment.id, word: 'Not here, please.' });
  await s.call(mina, 'askForPost', { postId: closed, word: 'I would love to see the photos.' });
  const own = { username: 'quincey', name: 'Quincey Morris', email: 'quincey@example.com' };
  await s.call(null, 'signUp', { ...own, password: 'a long password' });
  await s.call(null, 'requestPasswordReset', { email: own.email });
  await s.call(null, 'requestSignInLink', { email: own.email });
  const invited = [{ name: 'Arthur Holmwood', email: 'arthur@example.com' }];
  await s.call(admin, 'createInvitations', { tags: [], for: invited });
  await queueNotice(deps.db, deps.clock(), lucy.id, 'password-changed');
  await noteFailure(deps, 'There is no space left on the disk.');
  await queueAdminDigests(deps);
  await deliverDue(deps);
  const granted = { postId: closed, userId: mina.id, isGranted: true, tags: ['family'] };
  await s.call(admin, 'answerAccessRequest', granted);
  const given = { userId: lucy.id, tags: ['friends', 'family'], tellsMember: true };
  await s.call(admin, 'setApprovedTags', given);
  await s.call(admin, 'approveUser', { userId: newcomer.id, tags: [] });
  await s.call(admin, 'setCommentsClosed', { postId: open, isClosed: true });
  await answer(s, await toLucy());
  await deliverDue(deps);
  s.wait(2 * dayMs);
  await queueDigests(deps);
  await deliverDue(deps);
  const sent = await deps.db.selectFrom('mails').select(['id', 'kind', 'state', 'error']).execute();
  return new Map(sent.filter(({ state }) => state === 'sent').map(({ id, kind }) => [id, kind]));
}

/** Answers a mail about a post, as Lucy's mail program does. */
async function answer({ deps }: Site, mail: string): Promise<void> {
  const to = /^Reply-To: (\S+)$/m.exec(mail)?.[1] ?? '';
  const lines = ['From: Lucy <lucy@example.com>', `To: ${to}`, 'Message-ID: <1@phone.example>', '', 'Yes!'];
  await receiveMail(deps, Buffer.from(lines.join('\r\n')));
}
