import PostalMime from 'postal-mime';
import { expect, it } from 'vitest';
import { dayMs } from '../../server/base/clock.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { queueDigests } from '../../server/mail/wishes/digests.ts';
import { describeSqlite } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

/** What people could be called, and posts, if nothing had refused it. */
const hostile: [what: string, words: string][] = [
  ['line breaks', 'Mina\r\nBcc: evil@example.com\r\nX-Evil: yes\r\n\r\nanother body'],
  ['single line breaks', 'Mina\nBcc: evil@example.com\rX-Evil: yes\n\nanother body'],
  ['separators of lines', 'Mina\u2028Bcc: evil@example.com\u2029X-Evil: yes\u0085x'],
  ['control characters', 'Mina\u0001\u0007\u001b[31m\u007f\u009f\t'],
  ['bidi overrides', 'Mina \u202egpj.exe\u202c \u2066x\u2069'],
  ['encoded words', '=?utf-8?q?Mina=0D=0ABcc:_evil@example.com?='],
  ['addresses', 'Mina" <evil@example.com>, "x'],
  ['five hundred characters', 'A long name '.repeat(42)],
  ['five hundred letters without a space', 'ä'.repeat(500)],
];

/** A site with a mail of each kind whose subject holds words of people, ready to be sent. */
async function scene(s: Site, words: string) {
  const admin = await s.admin();
  const [lucy, mina] = [await s.member(['friends'], 'lucy'), await s.member([], 'mina')];
  const { smtp, deps } = await withSmtp(s);
  const { db } = s.deps;
  await db.updateTable('users').set({ email_verified: true }).execute();
  await s.call(admin, 'setMailWish', { kind: 'asked', isOn: true });
  await s.call(lucy, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
  await s.call(admin, 'setSubscription', { subscribed: true, rhythm: 'daily', hour: 18 });
  s.wait(1);
  const [open = '', closed = '', other = '', older = ''] = await publish(
    s,
    admin,
    essay(),
    essay({ tags: ['friends'] }),
    essay({ tags: ['family'] }),
    essay({ tags: ['walks'] }),
  );
  await s.call(mina, 'addComment', { postId: open, content: 'Hello' });
  await s.call(mina, 'askForPost', { postId: closed, word: 'Please!' });
  await s.call(lucy, 'askForPost', { postId: other, word: '' });
  const answer = { postId: other, userId: lucy.id, isGranted: true, tags: ['family'] };
  await s.call(admin, 'answerAccessRequest', answer);
  const given = { userId: mina.id, tags: ['walks'], tellsMember: true };
  await db.deleteFrom('announcements').where('post_id', '=', older).execute();
  await s.call(mina, 'setSubscription', { subscribed: true, rhythm: 'at-once' });
  await s.call(admin, 'setApprovedTags', given);
  await db.updateTable('users').set({ name: words, display_username: words }).execute();
  await db.updateTable('posts').set({ title: words, description: words }).execute();
  const hostileSite = { ...deps, settings: async () => ({ ...(await deps.settings()), title: words }) };
  return {
    /** The mails that the site sends within two days, by kind. */
    deliver: async () => {
      await queueAdminDigests(hostileSite);
      await deliverDue(hostileSite);
      s.wait(2 * dayMs);
      await queueDigests(hostileSite);
      await deliverDue(hostileSite);
      const rows = await db.selectFrom('mails').select(['id', 'kind']).where('state', '=', 'sent').execute();
      return smtp.mails.map(mail => ({
        ...mail,
        kind: rows.find(({ id }) => mail.source.includes(`Message-ID: <${id}@`))?.kind,
      }));
    },
  };
}

/** All that a mail of ours may have above its parts. */
const headers = new Set([
  ...['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type', 'reply-to'],
  ...['auto-submitted', 'x-auto-response-suppress', 'precedence'],
  ...['list-id', 'list-unsubscribe', 'list-unsubscribe-post'],
]);

/** What no line of a header shows: it ends lines, moves a cursor, or turns the words around. */
const unseen = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

describeSqlite(({ site }) => {
  it.each(hostile)('%s in names and titles become no header', async (_what, words) => {
    const s = await site();
    const { deliver } = await scene(s, words);
    const mails = await deliver();
    expect([...new Set(mails.map(({ kind }) => kind))].sort()).toEqual([
      'asked',
      'comment',
      'digest',
      'let-in',
      'opened',
      'post',
    ]);
    for (const { kind, to, source } of mails) {
      const mail = await PostalMime.parse(source);
      const names = mail.headers.map(({ key }) => key);
      expect({ kind, others: names.filter(name => !headers.has(name)) }).toEqual({ kind, others: [] });
      expect(new Set(names).size).toBe(names.length);
      expect(mail.to?.map(({ address }) => address)).toEqual([to]);
      expect(mail.from?.address).toBe('blog@example.org');
      expect(mail.to?.[0]?.name).not.toMatch(unseen);
      expect(mail.subject).not.toMatch(unseen);
      expect(mail.subject).not.toContain('=?');
      expect(mail.subject?.length).toBeLessThanOrEqual(201);
      // RFC 5322, 2.1.1.
      expect(Math.max(...source.split('\r\n').map(line => line.length))).toBeLessThanOrEqual(998);
      expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      expect([mail.text, mail.html].every(part => part?.includes('http'))).toBe(true);
    }
  });
});
