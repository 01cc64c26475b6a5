import { expect, it, onTestFinished } from 'vitest';
import { hourMs } from '../../server/base/clock.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { wishLink } from '../../server/mail/wishes/links.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { openSite, type Person, type Site } from '../support/site.ts';

const told = (mails: readonly { to: string; subject?: string }[]) => mails.map(({ to }) => to).sort();

/** A post for friends with a comment of one of them. */
async function conversation(s: Site) {
  const admin = await s.admin();
  const [lucy, mina] = [await s.member(['friends'], 'lucy'), await s.member(['friends'], 'mina')];
  await s.deps.db.updateTable('users').set({ email_verified: true }).execute();
  const [postId = ''] = await publish(s, admin, essay({ title: 'On rivers', tags: ['friends'] }));
  const add = async (as: Person, content: string, parentId?: string) =>
    (await s.call(as, 'addComment', { postId, content, ...(parentId && { parentId }) })).comment;
  const first = await add(lucy, 'first');
  const { deps, deliver } = await withSmtp(s);
  await deliver();
  return { admin, lucy, mina, postId, add, first, deliver, deps };
}

describeEngines(({ site, migrated }) => {
  it('the account page says that mails about comments wait for a confirmed address', async () => {
    const s = await openSite(await migrated(), { SMTP_URL: 'smtp://127.0.0.1:1' });
    onTestFinished(s.close);
    const lucy = await s.member([], 'lucy');
    const says = async () => {
      const page = await (await s.request('/account', lucy)).text();
      return page.includes('once your address is confirmed');
    };
    const confirm = (isConfirmed: boolean) =>
      s.deps.db.updateTable('users').set({ email_verified: isConfirmed }).execute();
    await confirm(false);
    expect(await says()).toBe(true);
    await confirm(true);
    expect(await says()).toBe(false);
  });

  it('a mail about an answer says for whom the post is, and its link ends only such mails', async () => {
    const s = await site();
    const { admin, lucy, mina, add, first, deliver, postId } = await conversation(s);
    await s.call(lucy, 'setSubscription', { subscribed: true });
    await s.call(mina, 'changeName', { name: 'Mina Harker' });
    await add(mina, 'I was there <b>too</b>.', first.id);
    const mails = await deliver();
    // The admin wrote the post.
    expect(told(mails)).toEqual([`${admin?.username}@example.com`, 'lucy@example.com'].sort());
    const mail = mails.find(({ to }) => to === 'lucy@example.com');
    expect(mail?.text).toContain('Mina Harker answered your comment on On rivers');
    expect(mail?.text).toContain('I was there <b>too</b>.');
    expect(mail?.html).toContain('&lt;b&gt;too&lt;/b&gt;');
    expect(mail?.text).toContain('only for those who may read “friends”');
    expect(mail?.text).toContain(`/post/${postId}#comments`);
    expect(mail?.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    const link = wishLink(s.deps, lucy.id, 'answers');
    expect(mail?.text).toContain(link);
    const { pathname, search } = new URL(link);
    expect((await s.request(pathname + search, null, { method: 'POST' })).status).toBe(200);
    await add(mina, 'Again.', first.id);
    expect(told(await deliver())).not.toContain('lucy@example.com');
    const { wishes } = await s.call(lucy, 'getMailWishes', {});
    expect(wishes).toEqual([
      { kind: 'answers', isOn: false },
      { kind: 'followed', isOn: false },
    ]);
    expect(await s.call(lucy, 'getSubscription', {})).toMatchObject({ isSubscribed: true });
    // A link of one kind with the name of another is not ours.
    const forged = search.replace('answers', 'followed');
    expect((await s.request(pathname + forged, null, { method: 'POST' })).status).toBe(400);
  });

  it('a mail about an answer repeats what its reader had written, shortened, and nobody else’s comment', async () => {
    const s = await site();
    const { admin, lucy, mina, add, first, deliver } = await conversation(s);
    await add(mina, 'Mina asks.', first.id);
    s.wait(1_000);
    const later = await add(lucy, 'Lucy writes on.', first.id);
    const [toLucy, toAdmin] = ['lucy@example.com', `${admin?.username}@example.com`];
    const textTo = (mails: Awaited<ReturnType<typeof deliver>>, address: string) =>
      mails.find(({ to }) => to === address)?.text ?? '';
    let mails = await deliver();
    expect(textTo(mails, toLucy)).toMatch(/Mina asks\.\s+You had written:\s+first\s/);
    expect(textTo(mails, toAdmin)).not.toMatch(/You had written|first/);

    s.wait(1_000);
    const own = await add(lucy, `Lucy answers ${'at length '.repeat(40)}to the end.`, first.id);
    mails = await deliver();
    expect(textTo(mails, 'mina@example.com')).toBe('');
    await add(mina, 'Again.', own.id);
    mails = await deliver();
    expect(textTo(mails, toLucy)).toMatch(/Again\.\s+You had written:\s+Lucy answers at length/);
    expect(textTo(mails, toLucy)).not.toContain('to the end');

    // What was hidden or deleted before the mail was sent is not repeated.
    await add(mina, 'Once more.', own.id);
    await s.call(admin, 'hideComment', { commentId: own.id, reason: 'no' });
    for (const { id } of [first, later]) await s.call(lucy, 'deleteComment', { commentId: id });
    mails = await deliver();
    expect(textTo(mails, toLucy)).toContain('Once more.');
    expect(textTo(mails, toLucy)).not.toMatch(/You had written|Lucy answers|first/);
  });

  it('a mail about a comment follows rights and comment as they are when it is sent', async () => {
    const s = await site();
    const { admin, lucy, mina, add, first, deliver } = await conversation(s);
    const hidden = await add(mina, 'hidden', first.id);
    await s.call(admin, 'hideComment', { commentId: hidden.id, reason: 'no' });
    const deleted = await add(mina, 'deleted', first.id);
    await s.call(mina, 'deleteComment', { commentId: deleted.id });
    expect(await deliver()).toEqual([]);
    await add(mina, 'too late', first.id);
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', lucy.id).execute();
    expect(told(await deliver())).toEqual([`${admin?.username}@example.com`]);
  });

  it('somebody who asks for it hears of every comment where they commented, but not of their own', async () => {
    const s = await site();
    const { lucy, mina, add, deliver } = await conversation(s);
    await s.call(lucy, 'setMailWish', { kind: 'followed', isOn: true });
    await add(lucy, 'mine');
    expect(told(await deliver())).not.toContain('lucy@example.com');
    await add(mina, 'hers');
    expect(told(await deliver())).toContain('lucy@example.com');
  });

  it('one of several reasons that somebody wants to hear of is enough, as far as their role has it', async () => {
    const s = await site();
    const { admin, lucy, mina, add, deliver } = await conversation(s);
    const address = `${admin?.username}@example.com`;
    const own = await add(admin, 'own');
    await deliver();
    await s.call(admin, 'setMailWish', { kind: 'answers', isOn: false });
    await add(mina, 'to it', own.id);
    const [mail] = await deliver();
    expect(mail).toMatchObject({ to: address, text: expect.stringContaining('commented on On rivers') });
    await s.call(admin, 'setMailWish', { kind: 'own-posts', isOn: false });
    await s.call(admin, 'setMailWish', { kind: 'followed', isOn: true });
    await add(mina, 'again', own.id);
    expect((await deliver())[0]?.text).toContain('follow such posts');
    // Somebody who is no author any more is not mailed about comments on their posts, whatever their wishes.
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
    const { post } = await s.call(lucy, 'createPost', essay({ tags: ['friends'] }));
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: false });
    await s.call(mina, 'addComment', { postId: post.id, content: 'late' });
    expect(told(await deliver())).not.toContain('lucy@example.com');
  });

  it('admins hear of waiting people and of reports until they turn it off', async () => {
    const s = await site();
    const { admin, mina, first, deliver, deps } = await conversation(s);
    const address = `${admin?.username}@example.com`;
    const report = async () => {
      await s.call(mina, 'reportComment', { commentId: first.id, word: 'secretword' });
      await queueAdminDigests(deps);
    };
    await report();
    const [mail] = await deliver();
    expect(mail).toMatchObject({ to: address, text: expect.stringContaining('A comment was reported') });
    expect(mail?.source).not.toContain('secretword');
    // Within the hour: it waits until the hour is over, and is told of once.
    s.wait(hourMs - 1);
    await report();
    expect(await deliver()).toEqual([]);
    s.wait(1);
    await queueAdminDigests(deps);
    expect(told(await deliver())).toEqual([address]);
    s.wait(hourMs);
    await queueAdminDigests(deps);
    expect(await deliver()).toEqual([]);
    await s.signUp();
    await queueAdminDigests(deps);
    const [waiting] = await deliver();
    expect(waiting?.text).toContain(wishLink(s.deps, admin?.id ?? '', 'waiting'));
    expect(waiting?.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    s.wait(hourMs);
    for (const kind of ['reported', 'waiting'] as const)
      await s.call(admin, 'setMailWish', { kind, isOn: false });
    await s.signUp();
    await report();
    expect(await deliver()).toEqual([]);
  });
});
