import { expect, it } from 'vitest';
import { approveUser } from '../../server/accounts/members/decide.ts';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import { mailOfKind } from '../support/rows.ts';
import { codeNow } from '../support/second-factor.ts';
import { confirmed, linkFor, mailingSite, minute, use, viewerName } from '../support/sign-in-links.ts';
import { type Person, post, refusal, type Site } from '../support/site.ts';

const { email, password } = account;

describeEngines(({ migrated }) => {
  it('42. an account whose address nobody has confirmed belongs to the owner of the mailbox once they sign in with a link, and no longer to a squatter', async () => {
    const s = await mailingSite(await migrated());
    const squatter = await post(s, 'signUp', account);
    await approveUser(s.deps, squatter.id);
    const { token: program } = await s.makeToken(squatter);
    const token = await linkFor(s);
    expect((await s.call(null, 'getSignInLink', { token })).link?.isFirstProof).toBe(true);
    const owner = await use(s, token);
    expect((await s.call(owner, 'getViewer', {})).user).toMatchObject({
      id: squatter.id,
      isEmailConfirmed: true,
    });
    expect(await viewerName(s, squatter)).toBeUndefined();
    expect(await refusal(s.call(null, 'signIn', { email, password }))).toBe('unauthenticated');
    const asProgram = await post(s, 'getViewer', {}, { headers: { authorization: `Bearer ${program}` } });
    expect(asProgram.status).toBe(401);
    expect(await s.call(owner, 'getAccount', {})).toMatchObject({ hasPassword: false, isConnected: false });
  });

  it('42. an account whose address nobody has confirmed gets no second factor, by which a squatter would keep the owner of the mailbox out, except for an admin', async () => {
    const s = await mailingSite(await migrated());
    const [squatter, admin] = [await post(s, 'signUp', account), await s.admin()];
    const secret = 'A'.repeat(32);
    const turnOn = (as: Person) => s.call(as, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    const refused = 'Confirm your email address first. Then you can set up a second factor.';
    await expect(s.call(squatter, 'requestSecondFactor', {})).rejects.toThrow(refused);
    await expect(turnOn(squatter)).rejects.toThrow(refused);
    const owner = await use(s, await linkFor(s));
    expect(await viewerName(s, owner)).toBe('mina');
    for (const as of [owner, admin]) {
      await s.call(as, 'requestSecondFactor', {});
      await turnOn(as);
      expect((await s.call(as, 'getSecondFactor', {})).isOn).toBe(true);
    }
  });

  it('an account whose address nobody has confirmed waits for approval from then on', async () => {
    const s = await mailingSite(await migrated());
    const admin = await s.admin();
    const { id } = await post(s, 'signUp', account);
    const waiting = async () =>
      (await s.call(admin, 'getUsers', { list: 'pending' })).users.map(user => user.id);
    expect(await waiting()).toEqual([]);
    await use(s, await linkFor(s));
    expect(await waiting()).toEqual([id]);
  });

  it('42. an account whose address nobody has confirmed keeps password, sessions and tokens where it had confirmed its address before', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    await approveUser(s.deps, mina.id);
    const { token: program } = await s.makeToken(mina);
    const token = await linkFor(s);
    expect((await s.call(null, 'getSignInLink', { token })).link?.isFirstProof).toBe(false);
    await use(s, token);
    expect(await viewerName(s, mina)).toBe('mina');
    expect((await post(s, 'signIn', { email, password })).status).toBe(200);
    const asProgram = await post(s, 'getViewer', {}, { headers: { authorization: `Bearer ${program}` } });
    expect(asProgram.status).toBe(200);
  });
});

describeEngines(({ migrated }) => {
  it.each([
    ['a link to log in', async (s: Site) => void (await use(s, await linkFor(s)))],
    ['a new password', resetByMail],
  ])('the first proof of an address by %s tells which passkeys it removes', async (_, prove) => {
    const s = await mailingSite(await migrated());
    const { id } = await post(s, 'signUp', account);
    await addPasskeys(s, id, 'phone', 'laptop');
    await prove(s);
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([]);
    const removals = async () =>
      (await noticesOf(s, { id })).filter(({ notice }) => notice === 'unproven-passkeys-removed');
    // The history names them; the mail does not, because somebody else may have chosen the names.
    expect(await removals()).toEqual([{ notice: 'unproven-passkeys-removed' }]);
    const history = await s.deps.db
      .selectFrom('history')
      .select(['user_id', 'detail'])
      .where('kind', '=', 'passkey-removed')
      .execute();
    expect(history.map(row => [row.user_id, JSON.parse(row.detail).thing.name]).sort()).toEqual([
      [id, 'laptop'],
      [id, 'phone'],
    ]);
    // Once the address is proven, what is added stays, and nobody is told of what is not.
    await addPasskeys(s, id, 'watch');
    await s.deps.db.deleteFrom('mails').where('kind', '<>', 'notice').execute();
    s.wait(10 * minute);
    await prove(s);
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([{ id: 'watch' }]);
    expect(await removals()).toHaveLength(1);
  });

  it('a new password by mail leaves an admin the passkeys, since nobody signs up as one', async () => {
    const s = await mailingSite(await migrated());
    const { id } = await post(s, 'signUp', account);
    await makeAdmin(s.deps, id);
    await addPasskeys(s, id, 'phone');
    await resetByMail(s);
    expect(await s.deps.db.selectFrom('passkeys').select('id').execute()).toEqual([{ id: 'phone' }]);
  });
});

/** Adds passkeys with these names, as an account's owner does with a device. */
async function addPasskeys({ deps }: Site, userId: string, ...names: string[]): Promise<void> {
  const key = { public_key: 'x', counter: 0, transports: '', is_synced: false, last_used_at: null };
  const rows = names.map(name => ({
    id: name,
    user_id: userId,
    name,
    credential_id: name,
    ...key,
    created_at: deps.clock(),
  }));
  await deps.db.insertInto('passkeys').values(rows).execute();
}

async function resetByMail(s: Site): Promise<void> {
  await s.call(null, 'requestPasswordReset', { email });
  const mail = await mailOfKind(s, 'reset');
  await s.call(null, 'resetPassword', { token: JSON.parse(mail.data).token, password: 'another one' });
}
