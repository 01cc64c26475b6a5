import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { usersPerPage } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { approveUser } from '../../server/accounts/members/decide.ts';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { limitSignIn } from '../../server/accounts/sign-in/sign-in-limits.ts';
import { networkOf } from '../../server/base/networks.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import { changeUser, mailOfKind } from '../support/rows.ts';
import { signIn } from '../support/signed-up.ts';
import { post, refusal } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('21. the site keeps the last admin, and deletes another account with its likes', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const mina = await signIn(s);
    await s.deps.db
      .updateTable('users')
      .set({ is_admin: true, status: 'approved', approved_at: 1 })
      .execute();
    const leave = { comments: 'delete' } as const;
    expect(await refusal(s.call(mina, 'deleteAccount', leave))).toBe('failed-precondition');
    const other = await s.admin();
    const [postId = ''] = await publish(s, other, essay());
    await s.call(mina, 'setLike', { postId, liked: true });
    await s.deps.db
      .insertInto('comments')
      .values({ id: 'c1', post_id: postId, user_id: mina.id, content: 'Hm.', created_at: 1 })
      .execute();
    await s.deps.db.updateTable('posts').set({ comment_count: 1 }).execute();
    const { token } = await s.makeToken(mina, 'reader', ['read']);
    const connection = signInMethod({
      userId: mina.id,
      issuer: 'https://id.example',
      subject: 'm1',
      createdAt: 1,
    });
    await s.deps.db.insertInto('sign_in_methods').values(connection).execute();
    await post(
      s,
      'listAccessTokens',
      {},
      { headers: { authorization: `Bearer ${token}` }, peer: '203.0.113.9' },
    );
    const exported = await s.call(mina, 'exportAccount', {});
    expect(exported.data).toMatchObject({
      account: { username: 'mina', isAdmin: true, isAuthor: false, isEmailConfirmed: false, deniedAt: null },
      likes: [{ postId }],
      comments: [{ content: 'Hm.' }],
      accessTokens: [{ name: 'reader', scopes: 'read', lastUsedFrom: '203.0.113.9' }],
      connections: [{ provider: 'https://id.example', subject: 'm1' }],
    });
    expect(JSON.stringify(exported)).not.toContain('password');
    expect(JSON.stringify(exported)).not.toContain(token);
    expect((await s.call(mina, 'deleteAccount', leave)).user).toBeNull();
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    expect((await s.call(null, 'getPost', { postId })).post).toMatchObject({ likeCount: 0, commentCount: 0 });
  });

  it('the site tells nobody the names of tags that they no longer see by their own data', async () => {
    const s = await site();
    const [admin, dave] = [await s.admin(), await s.member(['vip', 'unused'])];
    await publish(s, admin, essay({ tags: ['vip'] }));
    const given = async () => {
      const { account: own } = (await s.call(dave, 'exportAccount', {})).data;
      return own as { approvedTags: string[]; approvedTagIds: string[] };
    };
    expect(await given()).toMatchObject({ approvedTags: ['vip'] });
    const { tags } = await s.call(admin, 'getManagedTags', {});
    expect((await given()).approvedTagIds).toEqual(tags.map(({ id }) => id).sort());
    const id = tags.find(({ name }) => name === 'vip')?.id ?? '';
    await changeUser(s, dave.id, { status: 'denied', denied_at: s.deps.clock() });
    await s.call(admin, 'renameTag', { tagId: id, name: 'Surprise' });
    expect(await given()).toMatchObject({ approvedTags: [] });
  });

  it('40. the site counts attempts by account and connection, whatever else is sent', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const guess = async (path: string, index: number, email: string, peer: string) =>
      (
        await s.request(path, null, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${index}` },
          body: JSON.stringify({ data: { email, password: 'wrong' } }),
          peer,
        })
      ).status;
    // Without a hash for each: what counts is counted before the password is looked at.
    const wrong = (email: string, peer: string) =>
      limitSignIn({ ...s.deps, network: peer }, email, () => Promise.reject(new Error('wrong'))).catch(
        () => undefined,
      );
    const network = networkOf('2001:db8:0:1::99');
    for (let index = 0; index < 7; index += 1) await wrong(account.email, network);
    const paths = ['/api/signIn', '/api//signIn', '/project/region/signIn', '/api/signIn'];
    const spellings = ['mina@example.com', ' MINA@example.com ', 'Mina@Example.com', 'mina@example.com'];
    const statuses: number[] = [];
    for (const [index, path] of paths.entries())
      statuses.push(await guess(path, index, spellings[index] ?? '', `2001:db8:0:1::${index + 1}`));
    expect(statuses).toEqual([401, 401, 401, 429]);
    // One password over many accounts: 50 tries from a network.
    for (let index = 0; index < 49; index += 1) await wrong(`user${index}@example.com`, '203.0.113.9');
    const sprayed = ['u1@example.com', 'u2@example.com', account.email].map(async (email, index) =>
      guess('/api/signIn', index, email, '203.0.113.9'),
    );
    expect((await Promise.all(sprayed)).sort()).toEqual([401, 429, 429]);
    // Its owner, at home, is not locked out by any of it.
    const owner = { email: account.email, password: account.password };
    expect((await s.call(null, 'signIn', owner)).user).not.toBeNull();
  });

  it('40. the site counts no attempt that was refused because too many wait for their turn', async () => {
    const s = await site();
    const busy = () => Promise.reject(new AppError('unavailable', 'Too many people are logging in.'));
    const attempt = () => refusal(limitSignIn({ ...s.deps, network: '203.0.113.9' }, account.email, busy));
    for (let count = 0; count < 12; count += 1) expect(await attempt()).toBe('unavailable');
  });

  it('41. the site hashes as often, and pauses as long, for an unknown address as for a known one', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const hashedFor = async (email: string) => {
      const before = s.hashing.count;
      expect(await refusal(s.call(null, 'signIn', { email, password: 'wrong' }))).toBe('unauthenticated');
      return s.hashing.count - before;
    };
    expect(await hashedFor(account.email)).toBe(1);
    expect(await hashedFor('nobody@example.com')).toBe(1);
    // The hash of an import is compared faster than one of ours is made: that alone would tell its members.
    const md5 = `$md5$${createHash('md5').update(account.password).digest('hex')}`;
    await s.deps.db.updateTable('sign_in_methods').set({ password: md5 }).execute();
    expect(await hashedFor(account.email)).toBe(1);
    const reset = (email: string) => s.call(null, 'requestPasswordReset', { email });
    expect(await reset(account.email)).toEqual(await reset('nobody@example.com'));
    // Longer than it takes to queue a mail.
    expect(s.pauses).toEqual([200, 200]);
  });

  it('42. the site gives an account to the owner of its address, with nothing left of somebody who took it first', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const squatter = await signIn(s);
    await approveUser(s.deps, squatter.id);
    const { token } = await s.makeToken(squatter, 'left behind');
    await s.call(null, 'requestPasswordReset', { email: account.email });
    const mail = await mailOfKind(s, 'reset');
    const link = (JSON.parse(mail.data) as { token: string }).token;
    await s.call(null, 'resetPassword', { token: link, password: 'my own one' });
    expect((await s.call(squatter, 'getViewer', {})).user).toBeNull();
    expect((await s.request('/', null, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
    expect((await signIn(s)).id).toBe('');
  });

  it('42. the site notifies the old address of a new one, and changes it only with the link from the new mailbox', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const mina = await signIn(s);
    const change = { email: 'new@example.com' };
    await s.call(mina, 'changeEmail', change);
    const mails = () =>
      s.deps.db.selectFrom('mails').select(['kind', 'data']).orderBy('created_at').orderBy('kind').execute();
    const asked = (await mails()).map(mail => JSON.parse(mail.data)).find(data => data.to === change.email);
    const email = async () => (await s.call(mina, 'getAccount', {})).email;
    expect(await email()).toBe(account.email);
    const link = new URL(await resetLink(s.deps, mina.id)).searchParams.get('token') ?? '';
    await s.call(null, 'confirmEmail', { token: asked.token });
    expect(await email()).toBe(change.email);
    const told = (await noticesOf(s, mina)).filter(({ notice }) => notice.startsWith('address-'));
    expect(told).toEqual([
      { notice: 'address-change-requested', to: account.email },
      { notice: 'address-changed', to: change.email },
      { notice: 'address-left', to: account.email },
    ]);
    // What was mailed to the old address before opens nothing any more.
    expect(await refusal(s.call(null, 'resetPassword', { token: link, password: 'stolen it' }))).toBe(
      'failed-precondition',
    );
  });

  it('43. the site limits the length of what is hashed, and distinguishes all passwords', async () => {
    const s = await site();
    const long = '😀'.repeat(10);
    await s.call(null, 'signUp', { ...account, password: long });
    expect((await signIn(s, undefined, long)).id).not.toBe('');
    for (const wrong of [
      long.slice(0, -1),
      `${long.slice(0, -2)}\u0000`,
      long.slice(0, 10),
      'x'.repeat(1_000_000),
    ]) {
      expect((await signIn(s, undefined, wrong)).id).toBe('');
    }
  });

  it('44. the site limits a flood of sign-ups over the whole site, and the mails about it to admins', async () => {
    const [s, admin] = await siteWithAdmin();
    const date = new Date(s.deps.clock()).toISOString();
    const flood = Array.from({ length: 1_000 }, (_, index) => ({
      id: `flood${index}`,
      name: 'Flood',
      email: `flood${index}@example.com`,
      email_verified: false,
      image: null,
      created_at: date,
      updated_at: date,
      username: `flood${index}`,
      display_username: `flood${index}`,
      is_admin: false,
      approved_at: null,
      denied_at: null,
    }));
    for (let index = 0; index < flood.length; index += 200)
      await s.deps.db
        .insertInto('users')
        .values(flood.slice(index, index + 200))
        .execute();
    expect(await refusal(s.call(null, 'signUp', account))).toBe('resource-exhausted');
    const page = await s.call(admin, 'getUsers', { list: 'pending' });
    expect([page.users.length, page.total]).toEqual([usersPerPage, 1_000]);
    await queueAdminDigests(s.deps);
    await queueAdminDigests(s.deps);
    const digests = s.deps.db.selectFrom('mails').select('id').where('kind', '=', 'waiting');
    expect(await digests.execute()).toHaveLength(1);
  });

  it('70. a clock that is set back locks nobody out', async () => {
    const s = await site();
    await s.call(null, 'signUp', account);
    const wrong = () => Promise.reject(new Error('wrong'));
    for (let index = 0; index < 10; index += 1)
      await limitSignIn({ ...s.deps, network: null }, account.email, wrong).catch(() => undefined);
    expect((await signIn(s)).id).toBe('');
    // A process that takes it to be a little earlier lets nobody try again.
    s.wait(-500);
    expect((await signIn(s)).id).toBe('');
    s.wait(-60 * 60_000);
    expect((await signIn(s)).id).not.toBe('');
  });
});
