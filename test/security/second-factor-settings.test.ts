import { expect, it } from 'vitest';
import { turnOffFactor } from '../../server/accounts/second-factor/write.ts';
import { prepareMail } from '../../server/mail/prepare.ts';
import { queueMail } from '../../server/mail/write.ts';
import { describeEngines } from '../support/engines.ts';
import { codeNow, giveCode, minute, owner, password, signIn, step, whoIs } from '../support/second-factor.ts';
import { refusal } from '../support/site.ts';

describeEngines(({ site }) => {
  it('39. turning a second factor on or off and new recovery codes need a recent sign-in with the code, and no token can do it', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    await s.deps.db
      .updateTable('sessions')
      .set({ created_at: new Date(s.deps.clock() - 11 * minute).toISOString() })
      .execute();
    for (const name of ['requestSecondFactor', 'renewRecoveryCodes', 'turnOffSecondFactor'] as const) {
      expect([name, await refusal(s.call(lucy, name, {}))]).toEqual([name, 'failed-precondition']);
    }
    s.wait(step);
    const code = codeNow(s, lucy.secret);
    expect(await refusal(s.call(lucy, 'turnOnSecondFactor', { secret: lucy.secret, code }))).toBe(
      'failed-precondition',
    );
    expect(await refusal(s.call(lucy, 'confirmPassword', { currentPassword: password }))).toBe(
      'invalid-argument',
    );
    expect(await refusal(s.call(lucy, 'confirmPassword', { currentPassword: 'wrong', code }))).toBe(
      'invalid-argument',
    );
    expect(await refusal(s.call(lucy, 'turnOffSecondFactor', {}))).toBe('failed-precondition');
    const { token } = await s.makeToken(lucy);
    for (const name of ['getSecondFactor', 'turnOffSecondFactor', 'renewRecoveryCodes'] as const) {
      const response = await s.request(`/api/${name}`, null, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: '{"data":{}}',
      });
      expect([name, response.status]).toEqual([name, 403]);
    }
    await s.call(lucy, 'confirmPassword', { currentPassword: password, code });
    await s.call(lucy, 'turnOffSecondFactor', {});
    expect(await s.call(lucy, 'getSecondFactor', {})).toEqual({ isOn: false, recoveryCodesLeft: 0 });
    expect(await signIn(s, lucy)).toMatchObject({ status: 200, username: 'lucy' });
  });

  it('turning a second factor on needs the code of the app, and ends every other session', async () => {
    const s = await site();
    const lucy = await owner(s, 'lucy');
    s.wait(step);
    const begun = await signIn(s, lucy);
    const other = await giveCode(s, begun.cookie, codeNow(s, lucy.secret));
    const { secret } = await s.call(lucy, 'requestSecondFactor', {});
    expect(await refusal(s.call(lucy, 'turnOnSecondFactor', { secret, code: '000000' }))).toBe(
      'invalid-argument',
    );
    expect(await whoIs(s, other.cookie)).toBe('lucy');
    await s.call(lucy, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    expect(await whoIs(s, other.cookie)).toBeUndefined();
    expect(await whoIs(s, lucy.cookie)).toBe('lucy');
    // The secret of before makes no codes any more.
    s.wait(step);
    const again = await signIn(s, lucy);
    expect(await giveCode(s, again.cookie, codeNow(s, lucy.secret))).toMatchObject({ status: 400 });
    expect((await giveCode(s, again.cookie, codeNow(s, secret))).status).toBe(200);
    // The command line turns it off for who has lost everything.
    expect(await turnOffFactor(s.deps, lucy.id)).toBe(true);
    expect((await signIn(s, lucy)).status).toBe(200);
  });

  it('if a second factor is required of admins, an admin without one has no rights of an admin, with any session, token or open stream', async () => {
    const s = await site();
    const [mina, jonathan] = [await s.admin(), await s.admin()];
    const { token } = await s.makeToken(jonathan);
    const listUsers = async (headers: Record<string, string>) => {
      const response = await s.request('/api/getUsers', null, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"data":{"list":"approved"}}',
      });
      return response.status;
    };
    // Nobody locks themselves out.
    expect(await refusal(s.call(mina, 'setAdminFactor', { isRequired: true }))).toBe('failed-precondition');
    const { secret } = await s.call(mina, 'requestSecondFactor', {});
    await s.call(mina, 'turnOnSecondFactor', { secret, code: codeNow(s, secret) });
    expect(await listUsers({ cookie: jonathan.cookie })).toBe(200);
    expect(await listUsers({ authorization: `Bearer ${token}` })).toBe(200);
    await s.call(mina, 'setAdminFactor', { isRequired: true });
    expect(await listUsers({ cookie: mina.cookie })).toBe(200);
    expect(await listUsers({ cookie: jonathan.cookie })).toBe(403);
    expect(await listUsers({ authorization: `Bearer ${token}` })).toBe(403);
    const { user, can } = await s.call(jonathan, 'getViewer', {});
    expect([user?.needsSecondFactor, can.administer, can.like]).toEqual([true, false, true]);
    const page = await s.request('/admin', jonathan, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([302, '/account#second-factor']);
    await s.signUp();
    await queueMail(s.deps.db, s.deps.clock(), { kind: 'waiting', userId: jonathan.id });
    const waiting = s.deps.db.selectFrom('mails').selectAll().where('kind', '=', 'waiting');
    await expect(prepareMail(s.deps, await waiting.executeTakeFirstOrThrow())).rejects.toThrow(
      'The account has no rights of an admin.',
    );
    // Whoever is made an admin now is held to it, too.
    const lucy = await s.member();
    await s.call(mina, 'setAdmin', { userId: lucy.id, isAdmin: true });
    expect(await listUsers({ cookie: lucy.cookie })).toBe(403);

    const own = await s.call(jonathan, 'requestSecondFactor', {});
    await s.call(jonathan, 'turnOnSecondFactor', { secret: own.secret, code: codeNow(s, own.secret) });
    expect(await listUsers({ cookie: jonathan.cookie })).toBe(200);
    expect(await listUsers({ authorization: `Bearer ${token}` })).toBe(200);
    expect(await refusal(s.call(jonathan, 'turnOffSecondFactor', {}))).toBe('failed-precondition');
    expect(await s.call(jonathan, 'getSecondFactor', {})).toMatchObject({ isOn: true });
    // The command line may, and they are led to set it up again.
    await turnOffFactor(s.deps, jonathan.id);
    expect(await listUsers({ cookie: jonathan.cookie })).toBe(403);
    await s.call(mina, 'setAdminFactor', { isRequired: false });
    expect(await listUsers({ cookie: jonathan.cookie })).toBe(200);
  });
});
