import { expect, it } from 'vitest';
import type { Operation } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { describeEngines } from '../engines.ts';
import { refusal, type Site } from '../site.ts';

const account = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'quincey' };

async function statusOf(s: Site, token: string, name: OperationName, data: unknown): Promise<number> {
  const response = await s.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ data }),
  });
  return response.status;
}

describeEngines('access tokens', ({ site }) => {
  it("38. decide about nobody's account or rights, whatever an admin may", async () => {
    const s = await site();
    const admin = await s.admin();
    const [waiting, member] = [await s.signUp(), await s.member()];
    const { token } = await s.makeToken(admin);
    const current = { currentPassword: account.password };
    const inputs: Partial<Record<OperationName, unknown>> = {
      approveUser: { userId: waiting.id, tags: [] },
      denyUser: { userId: member.id },
      setApprovedTags: { userId: member.id, tags: [] },
      setAdmin: { userId: member.id, isAdmin: true },
      createAccessToken: { ...current, name: 'successor' },
      changePassword: { ...current, newPassword: 'another' },
      changeEmail: { ...current, email: 'mallory@example.com' },
      deleteAccount: { ...current, comments: 'delete' },
    };
    const refusing = (Object.keys(operations) as OperationName[]).filter(
      name => (operations[name] as Operation).refusesTokens,
    );
    expect(refusing.sort()).toEqual(Object.keys(inputs).sort());
    const stand = async () => [
      await s.deps.db.selectFrom('users').selectAll().orderBy('id').execute(),
      await s.deps.db.selectFrom('access_tokens').select(['id', 'user_id']).execute(),
    ];
    const before = await stand();
    for (const name of refusing)
      expect([name, await statusOf(s, token, name, inputs[name])]).toEqual([name, 403]);
    expect(await stand()).toEqual(before);
    expect(await statusOf(s, token, 'getUsers', { list: 'pending' })).toBe(200);
  });

  it('38. are made with the password, end after ninety days, and their owner is told', async () => {
    const s = await site();
    const response = await s.request('/api/signUp', null, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: account }),
    });
    const { result } = await response.json();
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const mina = { id: result.user.id, username: 'mina', cookie };
    await s.call(await s.admin(), 'approveUser', { userId: mina.id });
    const wrong = { name: 'program', currentPassword: 'found an open session' };
    expect(await refusal(s.call(mina, 'createAccessToken', wrong))).toBe('invalid-argument');
    const right = { name: 'program', currentPassword: account.password };
    const { token, accessToken } = await s.call(mina, 'createAccessToken', right);
    const ninetyDays = 90 * 24 * 60 * 60_000;
    expect(accessToken.expiresAt).toBe(new Date(s.deps.clock() + ninetyDays).toISOString());
    const mails = await s.deps.db.selectFrom('mails').select(['kind', 'user_id', 'data']).execute();
    expect(mails.filter(mail => mail.kind === 'token')).toEqual([
      { kind: 'token', user_id: mina.id, data: JSON.stringify({ name: 'program' }) },
    ]);
    expect(JSON.stringify(mails)).not.toContain(token);
    // Not asked before: what a token opens is remembered for a minute.
    s.wait(ninetyDays);
    expect(await statusOf(s, token, 'getSubscription', {})).toBe(401);
  });
});
