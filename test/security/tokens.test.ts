import { expect, it } from 'vitest';
import { type Operation, type Scope, scopes } from '../../contract/operation.ts';
import { type OperationName, operations } from '../../contract/operations.ts';
import { makeAccessToken } from '../../server/accounts/sessions/tokens.ts';
import { queueNotice } from '../../server/mail/write.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { noticesOf } from '../support/notices.ts';
import { ageSessions, openSite, post, refusal, type Site } from '../support/site.ts';

const day = 24 * 60 * 60_000;

async function answerOf(s: Site, token: string, name: string, data: unknown, peer?: string) {
  const response = await s.request(`/api/${name}`, null, {
    ...(peer !== undefined && { peer }),
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ data }),
  });
  return { status: response.status, text: await response.text() };
}

/** Accounts and tokens, but for when they were used. */
async function standOf({ deps: { db } }: Site) {
  return [
    await db.selectFrom('users').selectAll().orderBy('id').execute(),
    await db.selectFrom('access_tokens').select(['id', 'user_id', 'scopes']).execute(),
  ];
}

async function kindsOfHistory({ deps: { db } }: Site) {
  return await db.selectFrom('history').select(['kind', 'via', 'via_name']).orderBy('at').execute();
}

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it.each(scopes)(
    '38. access tokens made only for %s are refused every operation of another scope',
    async scope => {
      const [s, admin] = await siteWithAdmin();
      const { token } = await s.makeToken(admin, 'program', [scope]);
      const before = await standOf(s);
      for (const name of Object.keys(operations) as OperationName[]) {
        const needed = (operations[name] as Operation).scope;
        const { status, text } = await answerOf(s, token, name, { nonsense: true });
        const isRefused = status === 403 && /access token/.test(text);
        expect([name, isRefused]).toEqual([name, needed !== scope]);
      }
      expect(await standOf(s)).toEqual(before);
      // What is no operation: reading, and storing files.
      const headers = { authorization: `Bearer ${token}` };
      const isReading = scope === 'read';
      for (const path of ['/', '/live?post=x', '/v0/b/-/o', '/files/x', '/profile'])
        expect([path, (await s.request(path, null, { headers })).status === 403]).toEqual([path, !isReading]);
      const stored = await s.request('/v0/b/-/o?name=posts%2Fx', null, { method: 'POST', headers });
      expect(stored.status === 403).toBe(scope !== 'files');
      for (const method of ['PATCH', 'DELETE']) {
        const changed = await s.request('/v0/b/-/o/posts%2Fx', null, {
          method,
          headers,
          ...(method === 'PATCH' && { body: '{}' }),
        });
        expect([method, changed.status === 403]).toEqual([method, scope !== 'files']);
      }
    },
  );

  it('38. access tokens decide about accounts only with the scope for it, and make neither admins nor tokens nor passwords', async () => {
    const s = await site();
    const [admin, waiting] = [await s.admin(), await s.signUp()];
    const { token } = await s.makeToken(admin);
    expect((await answerOf(s, token, 'approveUser', { userId: waiting.id, tags: [] })).status).toBe(200);
    const before = await standOf(s);
    const inputs: Partial<Record<OperationName, unknown>> = {
      setAdmin: { userId: waiting.id, isAdmin: true },
      createAccessToken: { name: 'successor' },
      changePassword: { currentPassword: account.password, newPassword: 'another' },
      changeEmail: { email: 'mallory@example.com' },
      deleteAccount: { comments: 'delete' },
    };
    for (const [name, input] of Object.entries(inputs)) {
      const { status, text } = await answerOf(s, token, name, input);
      expect([name, status]).toEqual([name, 403]);
      expect(text).toContain('This is done on the site, not with an access token.');
    }
    expect(await standOf(s)).toEqual(before);
    expect(await kindsOfHistory(s)).toContainEqual({
      kind: 'user-approved',
      via: 'token',
      via_name: 'program',
    });
  });

  it('38. access tokens that may only read learn from mails that failed neither who has an account nor an address', async () => {
    const s = await site();
    const [admin, mina] = [await s.admin(), await s.signUp('mina')];
    await queueNotice(s.deps.db, s.deps.clock(), mina.id, 'second-factor-on');
    await s.deps.db.updateTable('mails').set({ error: '550 <mina@example.com> unknown' }).execute();
    const state = async (...scopes: Scope[]) =>
      (await answerOf(s, (await s.makeToken(admin, 'program', scopes)).token, 'getMailState', {})).text;
    expect(await state('read', 'write', 'files')).not.toContain('mina');
    expect(await state('members')).toContain('mina@example.com');
  });

  it('38. access tokens are valid no longer than the site allows, also existing ones, and show from where they were used', async () => {
    const opened = await openSite(await migrated(), { TOKEN_MAX_DAYS: '10' });
    try {
      const admin = await opened.admin();
      const { token } = await opened.makeToken(admin);
      await opened.deps.db.updateTable('access_tokens').set({ expires_at: null }).execute();
      const make = (expiresInDays: number | null) =>
        makeAccessToken(opened.deps, admin?.id ?? '', { name: 'long', scopes: ['read'], expiresInDays });
      expect(await refusal(make(null))).toBe('invalid-argument');
      expect(await refusal(make(11))).toBe('invalid-argument');
      const viewer = async (peer: string) => (await answerOf(opened, token, 'getViewer', {}, peer)).status;
      expect(await viewer('203.0.113.7')).toBe(200);
      const { tokens, maxDays } = await opened.call(admin, 'listAccessTokens', {});
      expect(maxDays).toBe(10);
      expect(tokens).toMatchObject([
        { lastUsedFrom: '203.0.113.7', expiresAt: new Date(opened.deps.clock() + 10 * day).toISOString() },
      ]);
      opened.wait(10 * day);
      // What a token opens is remembered for a minute at most, and forgotten with any change of it.
      await opened.deps.db.updateTable('access_tokens').set({ name: 'the same' }).execute();
      expect(await viewer('203.0.113.7')).toBe(401);
    } finally {
      await opened.close();
    }
  });

  it('38. access tokens are made after a recent sign-in, end after ninety days, and their owner is told', async () => {
    const s = await site();
    const mina = await post(s, 'signUp', account);
    await s.call(await s.admin(), 'approveUser', { userId: mina.id });
    await ageSessions(s);
    expect(await refusal(s.call(mina, 'createAccessToken', { name: 'program' }))).toBe('failed-precondition');
    await s.call(mina, 'confirmPassword', { currentPassword: account.password });
    const { token, accessToken } = await s.call(mina, 'createAccessToken', { name: 'program' });
    const ninetyDays = 90 * 24 * 60 * 60_000;
    expect(accessToken.expiresAt).toBe(new Date(s.deps.clock() + ninetyDays).toISOString());
    expect(await noticesOf(s, mina)).toEqual([{ notice: 'token-made', name: 'program' }]);
    const mails = await s.deps.db.selectFrom('mails').select('data').execute();
    expect(JSON.stringify(mails)).not.toContain(token);
    // Not asked before: what a token opens is remembered for a minute.
    s.wait(ninetyDays);
    expect((await answerOf(s, token, 'getSubscription', {})).status).toBe(401);
  });
});
