import { TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { currentVisitor } from '../../server/access/viewer.ts';
import { connectPerson } from '../../server/accounts/openid/accounts.ts';
import { signInByProvider } from '../../server/accounts/openid/sign-in-by-provider.ts';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { internalInvocation } from '../../server/operations.ts';
import { describeEngines } from '../support/engines.ts';
import { shortPost } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import { insertSession } from '../support/people.ts';
import { atProvider, codeNow, giveCode, owner, step } from '../support/second-factor.ts';
import { ageSessions, openSite, type Person, refusal, type Site } from '../support/site.ts';

const password = 'quincey1';
const minute = 60_000;

/** An admin with a password, whose session began so long ago. */
async function adminWithPassword(s: Site, ago: number): Promise<NonNullable<Person>> {
  const admin = (await s.admin()) ?? { id: '', username: '', cookie: '' };
  const method = signInMethod({
    userId: admin.id,
    passwordHash: await s.deps.hashing.hash(password),
    createdAt: 0,
  });
  await s.deps.db.insertInto('sign_in_methods').values(method).execute();
  await s.deps.db
    .updateTable('sessions')
    .set({ created_at: new Date(s.deps.clock() - ago).toISOString() })
    .where('user_id', '=', admin.id)
    .execute();
  return admin;
}

/** Another session of an account. */
const cookieFor = async ({ deps }: Site, userId: string) =>
  `coterie-session=${await insertSession(deps, userId)}`;

const asksOf = async (call: Promise<unknown>) =>
  await call.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? (error.details?.asks ?? error.code) : error),
  );

describeEngines(({ site, migrated }) => {
  it('a recent sign-in is required before what cannot be undone, and entering the password again counts as one', async () => {
    const s = await site();
    const admin = await adminWithPassword(s, 11 * minute);
    const other = await s.admin();
    const { post } = await s.call(other, 'createPost', shortPost());
    const { post: quiet } = await s.call(other, 'createPost', shortPost());
    await s.call(other, 'addComment', { postId: post.id, content: 'Hm.' });
    const demotion = { userId: other?.id ?? '', isAdmin: false };
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('recent-sign-in');
    expect(await asksOf(s.call(admin, 'setAdmin', demotion))).toBe('recent-sign-in');
    expect((await s.call(other, 'getPost', { postId: post.id })).post.commentCount).toBe(1);
    const { id: userId } = await s.member();
    expect(await asksOf(s.call(admin, 'setAdmin', { userId, isAdmin: true }))).toBe('recent-sign-in');
    // Nothing of others goes with it.
    expect(await asksOf(s.call(admin, 'deletePost', { postId: quiet.id }))).toBe('done');
    expect(await refusal(s.call(admin, 'confirmPassword', { currentPassword: 'wrong' }))).toBe(
      'invalid-argument',
    );
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('recent-sign-in');
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    expect(await asksOf(s.call(admin, 'deletePost', { postId: post.id }))).toBe('done');
    expect(await asksOf(s.call(admin, 'setAdmin', demotion))).toBe('done');
  });

  it('a recent sign-in is required before an invitation is made, and before somebody becomes an author or no longer is one', async () => {
    const s = await site();
    const admin = await adminWithPassword(s, 11 * minute);
    const { id: userId } = await s.member();
    const acts = [
      () => s.call(admin, 'createInvitations', { tags: [], for: { uses: 3 } }),
      () => s.call(admin, 'createInvitations', { tags: [], for: [{ email: 'ann@example.com' }] }),
      () => s.call(admin, 'setAuthor', { userId, isAuthor: true }),
    ];
    for (const act of acts) expect(await asksOf(act())).toBe('recent-sign-in');
    expect((await s.call(admin, 'listInvitations', {})).invitations).toEqual([]);
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    for (const act of acts) expect(await asksOf(act())).toBe('done');
    await ageSessions(s);
    expect(await asksOf(s.call(admin, 'setAuthor', { userId, isAuthor: false }))).toBe('recent-sign-in');
  });

  it('a recent sign-in counts for ten minutes, and for no other session of the account', async () => {
    const s = await site();
    const [admin, other] = [await adminWithPassword(s, 11 * minute), await s.admin()];
    const commented = async () => {
      const { post } = await s.call(other, 'createPost', shortPost());
      await s.call(other, 'addComment', { postId: post.id, content: 'Hm.' });
      return { postId: post.id };
    };
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    await s.deps.db
      .updateTable('sessions')
      .set({ password_given_at: s.deps.clock() - 9 * minute })
      .where('user_id', '=', admin.id)
      .execute();
    expect(await asksOf(s.call(admin, 'deletePost', await commented()))).toBe('done');
    await s.deps.db
      .updateTable('sessions')
      .set({ password_given_at: s.deps.clock() - 10 * minute })
      .where('user_id', '=', admin.id)
      .execute();
    expect(await asksOf(s.call(admin, 'deletePost', await commented()))).toBe('recent-sign-in');
    // The password of one account says nothing of the session of another.
    expect(await asksOf(s.call(other, 'deletePost', await commented()))).toBe('done');
  });

  it('a recent sign-in is required before an address is made that reads or writes for its owner until it is ended', async () => {
    const s = await openSite(await migrated(), { MAIL_REPLY_ADDRESS: 'reply+{}@blog.example' });
    const admin = await adminWithPassword(s, 11 * minute);
    const acts = [
      () => s.call(admin, 'makePersonalFeed', {}),
      () => s.call(admin, 'makePostAddress', { publishes: true }),
    ];
    for (const act of acts) expect(await asksOf(act())).toBe('recent-sign-in');
    for (const table of ['personal_feeds', 'post_addresses'] as const)
      expect(await s.deps.db.selectFrom(table).select('user_id').execute()).toEqual([]);
    await s.call(admin, 'confirmPassword', { currentPassword: password });
    for (const act of acts) expect(await asksOf(act())).toBe('done');
  });

  it('39. a recent sign-in is required for all that opens or ends an account, and the password alone is not enough with a second factor', async () => {
    const s = await site();
    const admin = await adminWithPassword(s, 0);
    const { secret } = await s.call(admin, 'requestSecondFactor', {});
    const code = () => new TOTP({ secret }).generate({ timestamp: s.deps.clock() });
    await s.call(admin, 'turnOnSecondFactor', { secret, code: code() });
    const passwords = { currentPassword: password, newPassword: 'another1' };
    await ageSessions(s);
    expect((await s.call(admin, 'getAccount', {})).hasRecentSignIn).toBe(false);
    const before = await s.deps.db.selectFrom('history').select('id').execute();
    const asked = await Promise.all(
      [
        s.call(admin, 'changeEmail', { email: 'mallory@example.com' }),
        s.call(admin, 'changePassword', passwords),
        s.call(admin, 'createAccessToken', { name: 'mine now' }),
        s.call(admin, 'deleteAccount', { comments: 'keep' }),
        s.call(admin, 'disconnectOpenid', {}),
        s.call(admin, 'requestPasskey', {}),
        s.call(admin, 'requestSecondFactor', {}),
      ].map(asksOf),
    );
    expect(new Set(asked)).toEqual(new Set(['recent-sign-in']));
    expect(await s.deps.db.selectFrom('history').select('id').execute()).toEqual(before);
    expect(await s.deps.db.selectFrom('email_links').select('digest').execute()).toEqual([]);
    s.wait(30_000);
    await s.call(admin, 'confirmPassword', { currentPassword: password, code: code() });
    expect((await s.call(admin, 'getAccount', {})).hasRecentSignIn).toBe(true);
    expect(await asksOf(s.call(admin, 'createAccessToken', { name: 'mine' }))).toBe('done');
    expect(await asksOf(s.call(admin, 'changePassword', { ...passwords, currentPassword: 'wrong' }))).toBe(
      'invalid-argument',
    );
    expect(await asksOf(s.call(admin, 'changePassword', { newPassword: 'another1' }))).toBe(
      'invalid-argument',
    );
    expect(await asksOf(s.call(admin, 'changePassword', passwords))).toBe('done');
  });

  it('39. a password is not changed if its owner has changed it or signed out while the new one was hashed', async () => {
    const s = await site();
    const admin = await adminWithPassword(s, 0);
    const { hashing } = s.deps;
    const { hash } = hashing;
    const change = (as: Person, newPassword: string) =>
      s.call(as, 'changePassword', { currentPassword: password, newPassword });
    for (const act of [
      (owner: Person) => s.call(owner, 'signOutEverywhere', {}),
      (owner: Person) => change(owner, 'the owner’s'),
    ]) {
      const intruder = { ...admin, cookie: await cookieFor(s, admin.id) };
      const owner = { ...admin, cookie: await cookieFor(s, admin.id) };
      hashing.hash = async text => {
        hashing.hash = hash;
        await act(owner);
        return await hash(text);
      };
      expect(await refusal(change(intruder, 'a stranger’s'))).toBe('unauthenticated');
    }
    const { password: kept } = await s.deps.db
      .selectFrom('sign_in_methods')
      .select('password')
      .where('user_id', '=', admin.id)
      .executeTakeFirstOrThrow();
    expect(await hashing.verify({ hash: kept ?? '', password: 'the owner’s' })).toBe(true);
  });

  it('39. an account without a password gets its first one, only once', async () => {
    const s = await site();
    const member = await s.member([], 'lucy');
    const other = { ...member, cookie: await cookieFor(s, member.id) };
    await ageSessions(s);
    const first = { newPassword: 'westenra' };
    const hashed = s.hashing.count;
    expect(await asksOf(s.call(member, 'changePassword', first))).toBe('recent-sign-in');
    // An old session could keep the processors busy with passwords that nobody gets.
    expect(s.hashing.count).toBe(hashed);
    await s.deps.db.updateTable('sessions').set({ password_given_at: s.deps.clock() }).execute();
    const both = await Promise.all([
      asksOf(s.call(member, 'changePassword', first)),
      asksOf(s.call(other, 'changePassword', first)),
    ]);
    expect(both.filter(answer => answer === 'done')).toHaveLength(1);
    const credentials = { email: 'lucy@example.com', password: 'westenra' };
    expect((await s.call(null, 'signIn', credentials)).user?.id).toBe(member.id);
    expect(await noticesOf(s, member)).toContainEqual(
      expect.objectContaining({ notice: 'password-changed' }),
    );
  });

  it('a recent sign-in is not made by a code after an old log-in at an OpenID provider, neither of an open session nor of a new one', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    const hourAgo = s.deps.clock() - 60 * minute;
    const person = atProvider(lucy, hourAgo);
    await connectPerson({ ...s.deps, providerName: 'Provider' }, lucy.id, person);
    await s.deps.db.updateTable('sessions').set({ password_given_at: hourAgo }).execute();
    for (const held of [lucy.cookie, '']) {
      const invocation = {
        ...internalInvocation(s.deps, await currentVisitor(s.deps)),
        requestHeaders: new Headers({ cookie: held }),
      };
      await expect(signInByProvider(invocation, person, { isLong: true })).rejects.toMatchObject({
        details: { asks: 'code' },
      });
      const [pending = ''] = invocation.replyHeaders.getSetCookie()[0]?.split(';') ?? [];
      s.wait(step);
      const done = await giveCode(s, `${held}; ${pending}`, codeNow(s, lucy.secret));
      expect(done).toMatchObject({ status: 200, username: 'lucy' });
      const cookie = held || done.cookie;
      expect((await s.call({ ...lucy, cookie }, 'getAccount', {})).hasRecentSignIn).toBe(false);
    }
  });

  it('a recent sign-in is asked for by exactly the operations that the contract names', () => {
    const asking = (Object.keys(operations) as OperationName[]).filter(
      name => (operations[name] as Operation).asksAgain,
    );
    expect(asking.sort()).toEqual([
      'acceptProposal',
      'addPasskey',
      'changeEmail',
      'changePassword',
      'connectOpenid',
      'createAccessToken',
      'createInvitations',
      'deleteAccount',
      'deletePost',
      'disconnectOpenid',
      'makePersonalFeed',
      'makePostAddress',
      'openExport',
      'removePasskey',
      'renewRecoveryCodes',
      'requestPasskey',
      'requestSecondFactor',
      'setAdmin',
      'setAdminFactor',
      'setAuthor',
      'startExport',
      'startImport',
      'turnOffSecondFactor',
      'turnOnSecondFactor',
    ]);
  });
});
