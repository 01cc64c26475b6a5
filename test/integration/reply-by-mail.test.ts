import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { replyAddressFor, sweepReplyAddresses } from '../../server/mail/reply-address.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { receiveFromLucy } from '../support/post-by-mail.ts';
import { saveSettings } from '../support/save-settings.ts';
import type { Person, Site } from '../support/site.ts';

/** A friend who got a post by mail and can answer it. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await s.deps.db.updateTable('users').set({ email_verified: true }).execute();
  await s.call(lucy, 'setSubscription', { subscribed: true });
  s.deps.config.mailReplyAddress = 'reply+{}@blog.example';
  const { deps: mailing, deliver } = await withSmtp(s);
  const deps = { ...mailing, limits: new Limits() };
  const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
  const [mail] = await deliver();
  const address = /^Reply-To: (\S+)$/m.exec(mail?.source ?? '')?.[1] ?? '';
  const receive = (fields: Record<string, string>, words = 'So do I.') =>
    receiveFromLucy(deps, { To: address, ...fields }, words);
  const comments = async (as: Person = admin) =>
    (await s.call(as, 'listComments', { postId })).comments.map(({ content, authorUsername }) => ({
      content,
      authorUsername,
    }));
  return { admin, lucy, postId, mail, address, deps, deliver, receive, comments };
}

const own = (content: string) => ({ content, authorUsername: 'lucy' });

describeEngines(({ site, engine }) => {
  it('an answer by mail becomes a comment of its writer once, below the comment that it answers', async () => {
    const s = await site();
    const { admin, lucy, postId, mail, address, deliver, receive, comments } = await scene(s);
    expect(address).toMatch(/^reply\+[0-9a-f]{32}@blog\.example$/);
    expect(mail?.text).toContain('Reply to this email to comment.');
    expect(await s.deps.db.selectFrom('reply_addresses').select('digest').execute()).toHaveLength(1);
    expect(await receive({})).toBe('comment');
    expect(await receive({})).toBe('comment');
    expect(await comments()).toEqual([own('So do I.')]);
    const [comment] = (await s.call(lucy, 'listComments', { postId })).comments;
    await s.call(admin, 'addComment', { postId, content: 'Why?', parentId: comment?.id ?? '' });
    const answered = (await deliver()).find(({ to }) => to === 'lucy@example.com');
    const to = /^Reply-To: (\S+)$/m.exec(answered?.source ?? '')?.[1] ?? '';
    expect(answered?.text).toContain('Reply to this email to answer.');
    expect(to).not.toBe(address);
    // Mail servers may change the case of an address.
    expect(await receive({ To: to.toUpperCase(), 'Message-ID': '<2@phone.example>' }, 'Rain.')).toBe(
      'comment',
    );
    const answers = (await s.call(lucy, 'listComments', { postId, threads: true })).comments;
    expect(answers.map(({ content, parentId }) => `${content} ${parentId === comment?.id}`).sort()).toEqual([
      'Rain. true',
      'So do I. false',
      'Why? true',
    ]);
  });

  it('an answer by mail that comes again after its comment was deleted makes none', async () => {
    const s = await site();
    const { admin, lucy, postId, receive, comments } = await scene(s);
    expect(await receive({})).toBe('comment');
    const [comment] = (await s.call(lucy, 'listComments', { postId })).comments;
    const answer = { postId, content: 'Why?', parentId: comment?.id ?? '' };
    const { comment: why } = await s.call(admin, 'addComment', answer);
    await s.call(lucy, 'deleteComment', { commentId: comment?.id ?? '' });
    s.wait(300 * dayMs);
    expect(await receive({})).toBe('comment');
    await s.call(admin, 'deleteComment', { commentId: why.id });
    expect(await receive({})).toBe('comment');
    expect(await comments()).toEqual([]);
    expect(await receive({ 'Message-ID': '<2@phone.example>' })).toBe('comment');
    expect(await comments()).toEqual([own('So do I.')]);
  });

  it('who answers by mail with a file is told once that it was left out, and never of a quoted picture', async () => {
    const { deliver, receive, comments } = await scene(await site());
    const told = async () => (await deliver()).filter(({ to }) => to === 'lucy@example.com');
    const type = { 'Content-Type': 'multipart/related; boundary=x' };
    const part = (head: string) => `--x\r\nContent-Type: image/png\r\n${head}\r\n\r\nPNG\r\n`;
    const html = (words: string) => `--x\r\nContent-Type: text/html\r\n\r\n${words}\r\n`;
    const quote = '<blockquote><img src="cid:1@picture"></blockquote>';
    const byOutlook = quote.replace(
      '<blockquote>',
      '<div style="border:none;border-top:solid #E1E1E1 1.0pt">',
    );
    const picture = part('Content-ID: <1@picture>');
    const fields = { ...type, 'Message-ID': '<0@phone.example>' };
    expect(await receive(fields, `${html(`So does he.${byOutlook}`)}${picture}--x--`)).toBe('comment');
    const quoted = `${html(`So do I.${quote}`)}${picture}--x--`;
    expect(await receive(type, quoted)).toBe('comment');
    expect(await told()).toEqual([]);
    const other = { ...type, 'Message-ID': '<2@phone.example>' };
    const shown = html(`Here.<img src="cid:2">${quote}`) + part('Content-ID: <2>');
    for (const _ of [1, 2]) expect(await receive(other, `${shown}--x--`)).toBe('comment');
    const [mail, ...others] = await told();
    expect(others).toEqual([]);
    expect(mail?.source).toContain('Subject: A file of your reply was not added');
    expect(mail?.text).toContain('A comment holds words only');
    const alone = { ...type, 'Message-ID': '<3@phone.example>' };
    expect(await receive(alone, `${part('Content-Disposition: attachment')}--x--`)).toBe('refused');
    expect((await told())[0]?.text).toContain('files of an email are left out');
    expect(await comments()).toHaveLength(3);
  });

  it('an answer by mail keeps the words between and below large photos', async () => {
    const { receive, comments } = await scene(await site());
    const type = { 'Content-Type': 'multipart/mixed; boundary=x' };
    const words = (text: string) => `--x\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`;
    const photo = `--x\r\nContent-Type: image/jpeg; name="a.jpg"\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(2_000)}`;
    expect(await receive(type, `${photo}${words('Here.')}${photo}${words('And here.')}--x--`)).toBe(
      'comment',
    );
    expect(await comments()).toEqual([own('Here.\n\nAnd here.')]);
  });

  it('an answer by mail is cut above the line that names the address of our mails', async () => {
    const { receive, comments } = await scene(await site());
    const words =
      'Det gör jag.\r\n\r\nDen lör 28 nov. 2026 skrev Blog <blog@example.org>:\r\n\r\n> On rivers';
    expect(await receive({}, words)).toBe('comment');
    expect(await comments()).toEqual([own('Det gör jag.')]);
  });

  it('an answer by mail that cannot be taken is answered once, to the address of the account', async () => {
    const s = await site();
    const { lucy, deliver, receive, comments } = await scene(s);
    expect(await receive({}, '> quoted')).toBe('refused');
    expect(await receive({}, '> quoted')).toBe('refused');
    const told = await deliver();
    expect(told.map(({ to }) => to)).toEqual(['lucy@example.com']);
    expect(told[0]?.text).toContain('no words of your own above the quoted text');
    expect(told[0]?.source).toMatch(/^In-Reply-To: <1@phone\.example>/m);
    expect(told[0]?.source).toMatch(/^Auto-Submitted: auto-replied/m);
    const link = 'See https://blog.example/unsubscribe?token=x.y';
    expect(await receive({ 'Message-ID': '<2@phone.example>' }, link)).toBe('refused');
    expect((await deliver())[0]?.text).toContain('Please delete the quoted text');
    for (const number of [10, 11, 12, 13, 14, 15, 16])
      expect(await receive({ 'Message-ID': `<${number}@phone.example>` }, '> quoted')).toBe('refused');
    // Five an hour, of which the repeated one was one.
    expect(await deliver()).toHaveLength(2);
    s.wait(60 * 60 * 1_000);
    await deliver();
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', lucy.id).execute();
    expect(await receive({ 'Message-ID': '<4@phone.example>' })).toBe('refused');
    expect((await deliver())[0]?.text).toContain('This post is not shared with you.');
    expect(await comments()).toEqual([]);
  });

  it('an answer by mail is refused after a denial, and nothing more is sent', async () => {
    const s = await site();
    const { admin, lucy, deliver, receive, comments } = await scene(s);
    await s.call(admin, 'denyUser', { userId: lucy.id });
    expect(await receive({})).toBe('refused');
    expect(await deliver()).toEqual([]);
    expect(await comments()).toEqual([]);
  });

  it('a mail can be answered for a year after it was last sent', async () => {
    const s = await site();
    const { lucy, postId, mail, deps, receive } = await scene(s);
    s.wait(300 * dayMs);
    await replyAddressFor(deps, await viewerOfUser(s.deps.db, lucy.id, new Set()), {
      postId,
      commentId: null,
    });
    s.wait(300 * dayMs);
    await sweepReplyAddresses(deps);
    expect(mail).toBeDefined();
    expect(await receive({})).toBe('comment');
    s.wait(66 * dayMs);
    await sweepReplyAddresses(deps);
    expect(await receive({ 'Message-ID': '<2@phone.example>' })).toBe('ignored');
  });

  it('sixty mails of an account are read in an hour, whatever becomes of them', async () => {
    const s = await site();
    const { receive, deliver } = await scene(s);
    for (let number = 0; number < 60; number += 1)
      expect(await receive({ 'Message-ID': `<${number}@phone.example>` }, '')).toBe('refused');
    await deliver();
    expect(await receive({ 'Message-ID': '<60@phone.example>' })).toBe('refused');
    s.wait(hourMs);
    expect(await receive({ 'Message-ID': '<61@phone.example>' })).toBe('comment');
  });

  it('answers by mail are limited as comments are, and offered only to those who may comment', async () => {
    const s = await site();
    const { admin, lucy, deliver, receive } = await scene(s);
    let last = 'comment';
    for (let number = 1; last === 'comment' && number < 500; number += 1)
      last = await receive({ 'Message-ID': `<${number}@phone.example>` });
    expect(last).toBe('refused');
    await deliver();
    await s.call(admin, 'setMuted', { userId: lucy.id, isMuted: true });
    await publish(s, admin, essay({ tags: ['friends'] }));
    const [mail] = await deliver();
    expect(mail?.source).not.toMatch(/^Reply-To:/m);
    expect(mail?.text).not.toContain('Reply to this email');
  });

  it('an answer by mail is not offered once a post is closed to comments by its age', async () => {
    const s = await site();
    const { admin, deliver } = await scene(s);
    await saveSettings(s, admin, { commentsCloseAfter: '2' });
    await publish(s, admin, essay({ tags: ['friends'] }), essay({ tags: ['friends'] }));
    await s.deps.db.updateTable('posts').set({ published_at: 0, created_at: 0 }).execute();
    s.wait(2 * dayMs);
    const mails = await deliver();
    expect(mails).toHaveLength(2);
    for (const { source } of mails) expect(source).not.toMatch(/^Reply-To:/m);
  });

  // How a mail is read does not depend on the database.
  if (engine === 'postgres') return;

  it.each(['"Lucy @ Work" <lucy@example.com>', '"Lucy (@lucy)" <lucy@example.com>'])(
    'a name may hold the sign of addresses: %s',
    async From => {
      const s = await site();
      const { receive, comments } = await scene(s);
      expect(await receive({ From })).toBe('comment');
      expect(await comments()).toEqual([own('So do I.')]);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['of another sender', { From: 'Mallory <mallory@example.com>' }],
    ['of two senders', { From: '<lucy@example.com>, <mallory@example.com>' }],
    ['of another sender with this name', { From: '"lucy@example.com" <mallory@example.org>' }],
    ['of another sender with spaces', { From: '"lucy@example.com" <mallory @ example.org>' }],
    ['of two senders, one with spaces', { From: 'mallory @ example.org, "Lucy" <lucy@example.com>' }],
    ['of a sender with two hosts', { From: '<lucy@example.com@example.org>' }],
    ['forged', { 'Authentication-Results': 'mx.blog.example; dmarc=fail' }],
    [
      'forged, as another filter of the same server says',
      {
        'Authentication-Results':
          'mx.blog.example; spf=pass\r\nAuthentication-Results: mx.blog.example; dmarc=fail',
      },
    ],
    ['an absence', { 'Auto-Submitted': 'auto-replied (vacation)' }],
    ['a mailing list', { Precedence: 'list' }],
    ['a mail of another site', { 'Auto-Submitted': 'auto-generated', 'List-Id': '<posts.other.example>' }],
    ['a report', { 'Content-Type': 'multipart/report; boundary=x' }],
    ['a mail with no sender', { 'Return-Path': '<>' }],
    ['a mail with no sender, as Postfix writes it', { 'Return-Path': '<MAILER-DAEMON>' }],
    ['a mail to an address that is none', { To: `reply+${'a'.repeat(24)}@blog.example` }],
  ])('a mail is ignored without a word: %s', async (_, fields) => {
    const s = await site();
    const { deliver, receive, comments } = await scene(s);
    expect(await receive(fields)).toBe('ignored');
    expect(await deliver()).toEqual([]);
    expect(await comments()).toEqual([]);
  });

  it('what another server says of the sender counts for nothing', async () => {
    const s = await site();
    const { receive } = await scene(s);
    const results = 'mx.blog.example; dmarc=pass\r\nAuthentication-Results: other.example; dmarc=fail';
    expect(await receive({ 'Authentication-Results': results })).toBe('comment');
  });

  it.each([
    'https://filter.example/?url=https%3A%2F%2Fblog.example%2Funsubscribe%3Ftoken%3Dx.y',
    `mailto:reply%2B${'a'.repeat(32)}%40blog.example`,
  ])('an answer that quotes one of our links as a filter writes it is refused: %s', async link => {
    const s = await site();
    const { receive, comments } = await scene(s);
    expect(await receive({}, `See ${link}`)).toBe('refused');
    expect(await comments()).toEqual([]);
  });
});
