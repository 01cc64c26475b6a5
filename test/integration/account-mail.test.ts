import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { approveUser } from '../../server/accounts/members/decide.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { describeEngines } from '../support/engines.ts';
import { account, publish, shortPost } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { post } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  const tokenIn = (text: string, page: string) =>
    new RegExp(`/${page}\\?token=([\\w.-]+)`).exec(text)?.[1] ?? '';

  it('41. a mailed link resets a password once, without revealing who has an account', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const { deps, deliver } = await withSmtp(s);
    const answers = [
      await s.call(null, 'requestPasswordReset', { email: 'mina@example.com' }),
      await s.call(null, 'requestPasswordReset', { email: 'nobody@example.com' }),
    ];
    expect(answers).toEqual([{}, {}]);
    const mails = await deliver();
    expect(mails.map(mail => mail.to)).toEqual(['mina@example.com']);
    expect((await deps.db.selectFrom('mails').select('data').execute()).map(row => row.data)).toEqual(['{}']);
    const token = tokenIn(mails[0]?.text ?? '', 'reset-password');
    const page = await s.request(`/reset-password?token=${token}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('This form needs JavaScript.');
    expect(await s.deps.db.selectFrom('sessions').selectAll().execute()).toHaveLength(1);
    const whose = () => s.call(null, 'getResetLink', { token });
    expect(await whose()).toEqual({ link: { username: 'mina', email: 'mina@example.com' } });
    expect(await s.call(null, 'getResetLink', { token: `${token}x` })).toEqual({ link: null });
    await s.call(null, 'resetPassword', { token, password: 'new quincey' });
    expect(await whose()).toEqual({ link: null });
    expect((await s.request(`/reset-password?token=${token}`)).status).toBe(403);
    expect(await s.deps.db.selectFrom('sessions').selectAll().execute()).toEqual([]);
    await expect(s.call(null, 'resetPassword', { token, password: 'third one' })).rejects.toThrow(
      'no longer valid',
    );
    const { email, password } = account;
    await expect(s.call(null, 'signIn', { email, password })).rejects.toThrow('Invalid');
    await s.call(null, 'signIn', { email, password: 'new quincey' });
  });

  it('42. a mailed link confirms an address, and its owner hears by mail that the account is approved', async () => {
    const s = await site();
    const { user } = await s.call(null, 'signUp', account);
    const rows = await s.deps.db.selectFrom('mails').selectAll().execute();
    const { deliver } = await withSmtp(s);
    await s.deps.db.insertInto('mails').values(rows).execute();
    await approveUser(s.deps, user?.id ?? '');
    await approveUser(s.deps, user?.id ?? '');
    const mails = await deliver();
    const subjects = mails.map(mail => /^Subject: (.*)/m.exec(mail.source)?.[1]).sort();
    expect(subjects).toEqual([
      'Confirm your email address for Coterie',
      'Your account at Coterie was approved',
    ]);
    const welcome = mails.find(received => received.text.includes('You can now read'));
    expect(welcome?.text).toContain(`Get new posts by email: ${s.config.publicUrl}/profile`);
    const mail = mails.find(received => received.text.includes('/confirm?token='));
    const token = tokenIn(mail?.text ?? '', 'confirm');
    const isConfirmed = async () =>
      Boolean(
        (await s.deps.db.selectFrom('users').select('email_verified').executeTakeFirstOrThrow())
          .email_verified,
      );
    // Mail and page name the account, because the reader of the mailbox may not know of it.
    expect(mail?.text).toContain('The account mina was created with this address.');
    const page = await s.request(`/confirm?token=${token}`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('the account mina and the email address mina@example.com are yours'),
    ]);
    expect(await isConfirmed()).toBe(false);
    await expect(s.call(null, 'confirmEmail', { token: `${token}x` })).rejects.toThrow('no longer valid');
    await s.call(null, 'confirmEmail', { token });
    expect(await isConfirmed()).toBe(true);
  });

  it('41. the site floods no mailbox when somebody signs up with its address, deletes the account, and begins again', async () => {
    const s = await site();
    const { deliver } = await withSmtp(s);
    const signUp = (email: string) => post(s, 'signUp', { ...account, email });
    let count = 0;
    for (let time = 0; time < 12; time += 1) {
      const mina = await signUp(`mina+${time}@example.com`);
      count += (await deliver()).length;
      await s.call(mina, 'deleteAccount', { comments: 'delete' });
    }
    expect(count).toBe(10);
    // Its owner gets the mail an hour later, and everybody else at once.
    await signUp('mina@example.com');
    await s.call(null, 'signUp', { ...account, username: 'lucy', email: 'lucy@example.com' });
    expect((await deliver()).map(mail => mail.to)).toEqual(['lucy@example.com']);
    s.wait(3_600_000);
    expect((await deliver()).map(mail => mail.to)).toEqual(['mina@example.com']);
  });

  it('41. who deletes their account gets a last mail, unless nobody has proved to read the mailbox', async () => {
    const s = await site();
    const { deliver } = await withSmtp(s);
    await post(s, 'signUp', account);
    const lucy = await s.member([], 'lucy');
    await s.deps.db.updateTable('users').set({ email_verified: true }).where('id', '=', lucy.id).execute();
    await deliver();
    await s.call(lucy, 'deleteAccount', { comments: 'keep' });
    const [mail, ...others] = await deliver();
    expect(others).toEqual([]);
    expect(mail?.to).toBe('lucy@example.com');
    expect(mail?.text).toContain('The account lucy was deleted');
    const quincey = await s.member([], 'quincey');
    await s.call(quincey, 'deleteAccount', { comments: 'keep' });
    expect(await deliver()).toEqual([]);
  });

  it('41. the site mails a link to somebody who waits, also after posts that they were not mailed', async () => {
    const [s, admin] = await siteWithAdmin();
    const { deliver } = await withSmtp(s);
    await s.call(await post(s, 'signUp', account), 'setSubscription', { subscribed: true });
    expect(await deliver()).toHaveLength(1);
    for (let time = 0; time < 12; time += 1) {
      await publish(s, admin, shortPost(`Post ${time}`));
      expect(await deliver()).toEqual([]);
    }
    await s.call(null, 'requestPasswordReset', { email: account.email });
    expect(await deliver()).toHaveLength(1);
  });

  it('an author is mailed that they may write, unless they lose the role before', async () => {
    const [s, admin] = await siteWithAdmin();
    const { deliver } = await withSmtp(s);
    const lucy = await s.member([], 'lucy');
    await deliver();
    const setAuthor = (isAuthor: boolean) => s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor });
    await setAuthor(true);
    const [mail, ...others] = await deliver();
    expect([mail?.to, others]).toEqual(['lucy@example.com', []]);
    expect(mail?.text).toContain('You are an author now, lucy');
    expect(mail?.text).toContain('/admin/posts/new');
    await setAuthor(false);
    await setAuthor(true);
    await setAuthor(false);
    expect(await deliver()).toEqual([]);
  });

  it('44. the site mails admins about pending accounts, at most once an hour', async () => {
    const s = await site();
    await s.admin();
    const { deps, deliver } = await withSmtp(s);
    const digest = async () => {
      await queueAdminDigests(deps);
      await queueAdminDigests(deps);
      return await deliver();
    };
    expect(await digest()).toEqual([]);
    await s.signUp('lucy');
    await s.signUp('arthur');
    expect((await digest()).map(({ text }) => text)).toEqual([
      expect.stringContaining('2 people are waiting for approval'),
    ]);
    await s.signUp('quincey');
    await s.deps.db
      .updateTable('users')
      .set({ introduction: 'A <b>cowboy</b>.' })
      .where('username', '=', 'quincey')
      .execute();
    expect(await digest()).toEqual([]);
    s.wait(61 * 60_000);
    await s.signUp('van_helsing');
    const [told, ...others] = await digest();
    expect(others).toEqual([]);
    // What a stranger wrote is text, also in the form that is written in HTML.
    expect(told?.text).toContain('quincey writes: “A <b>cowboy</b>.”');
    expect(told?.html).toContain('quincey writes: “A &lt;b&gt;cowboy&lt;/b&gt;.”');
    s.wait(61 * 60_000);
    expect(await digest()).toEqual([]);
  });

  it('a site without a mail server writes mails to files, and says so', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(null, 'requestPasswordReset', { email: `${admin.username}@example.com` });
    await deliverDue(s.deps);
    const folder = join(s.config.dataDir, 'mail');
    const files = await readdir(folder);
    expect(files).toHaveLength(1);
    // As a file, people read it with any program: no encoding, and the link whole on a line.
    const file = await readFile(join(folder, files[0] ?? ''), 'utf8');
    expect(file).toContain('\r\nIf this wasn’t you, ignore this email. Your password stays the same.\r\n');
    expect(file).toMatch(/\r\nhttp:\S+\/reset-password\?token=\S+\r\n/);
    expect(await s.call(admin, 'getMailState', {})).toMatchObject({
      transport: 'folder',
      where: folder,
      sentLastDay: 1,
    });
    await s.call(admin, 'sendTestMail', {});
    expect(await readdir(folder)).toHaveLength(2);
  });
});
