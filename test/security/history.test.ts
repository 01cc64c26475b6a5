import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { resetLink } from '../../server/accounts/sign-in/password-reset.ts';
import { setupLink } from '../../server/accounts/sign-in/setup.ts';
import { sweepHistory } from '../../server/history/write.ts';
import { describeEngines } from '../support/engines.ts';
import { changeUser } from '../support/rows.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';

const day = 86_400_000;
const mina = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'wilhelmina' };

/** The history as an admin reads it, the oldest entry first, without that of the scene before it. */
async function historyOf(s: Site, admin: Person, input = {}) {
  const { entries } = await s.call(admin, 'getHistory', input);
  return entries.reverse();
}

async function kindsOf(s: Site): Promise<string[]> {
  const rows = await s.deps.db.selectFrom('history').select('kind').execute();
  return rows.map(row => row.kind).sort();
}

/** Calls an operation over a connection from an address. */
async function callFrom(s: Site, peer: string, as: Person, name: string, data: object, token?: string) {
  return await s.request(`/api/${name}`, as, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ data }),
    peer,
  });
}

const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('the history of rights says who decided what about whom, when, from where and how', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.signUp('lucy')];
    await s.call(admin, 'addTag', { name: 'friends' });
    s.wait(1_000);
    await callFrom(s, '203.0.113.7', admin, 'approveUser', { userId: member.id, tags: ['friends'] });
    s.wait(1_000);
    await s.call(admin, 'setApprovedTags', { userId: member.id, tags: [] });
    s.wait(1_000);
    await s.call(admin, 'setAdmin', { userId: member.id, isAdmin: true });
    s.wait(1_000);
    const { token } = await s.makeToken(admin, 'a script');
    s.wait(1_000);
    await callFrom(s, '2001:db8::1', null, 'addTag', { name: 'family' }, token);
    const by = { id: admin?.id, name: admin?.username };
    const about = { id: member.id, name: 'lucy' };
    expect((await historyOf(s, admin)).slice(-5)).toMatchObject([
      {
        kind: 'user-approved',
        actor: by,
        user: about,
        gave: [{ name: 'friends' }],
        before: 'pending',
        via: 'browser',
        address: '203.0.113.7',
        at: '2026-01-01T00:00:01.000Z',
      },
      { kind: 'tags-changed', actor: by, user: about, gave: [], took: [{ name: 'friends' }] },
      { kind: 'role-changed', actor: by, user: about, before: 'member', after: 'admin' },
      { kind: 'token-made', via: 'server', thing: { name: 'a script' } },
      {
        kind: 'tag-added',
        actor: by,
        thing: { name: 'family' },
        via: 'token',
        viaName: 'a script',
        address: '2001:db8::/56',
      },
    ]);
  });

  it('the history of rights cannot be changed or deleted by anybody, except for entries that are older than the retention time', async () => {
    const s = await openSite(await migrated(), { HISTORY_DAYS: '30' });
    try {
      const { db, clock } = s.deps;
      await s.admin();
      const count = async () => (await kindsOf(s)).length;
      const before = await count();
      expect(before).toBeGreaterThan(0);
      await expect(sql`update history set kind = 'user-denied'`.execute(db)).rejects.toThrow(/history/);
      await expect(sql`update history set at = 0`.execute(db)).rejects.toThrow(/history/);
      await expect(sql`delete from history`.execute(db)).rejects.toThrow(/history/);
      s.wait(20 * day);
      await s.member();
      const both = await count();
      await sweepHistory(s.deps);
      expect(await count()).toBe(both);
      s.wait(10 * day + 1);
      await sweepHistory(s.deps);
      expect(await count()).toBe(both - before);
      // The database itself refuses to delete entries that are younger than the sweep's limit.
      await expect(sql`delete from history`.execute(db)).rejects.toThrow(/history/);
      await sweepHistory({
        ...s.deps,
        clock: () => clock() + 1_000 * day,
        config: { historyDays: undefined },
      });
      expect(await count()).toBe(both - before);
    } finally {
      await s.close();
    }
  });

  it('the history of rights still has the old names when accounts and tags are deleted', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(null, 'signUp', mina);
    const { id } = await s.deps.db
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'mina')
      .executeTakeFirstOrThrow();
    const { tag } = await s.call(admin, 'addTag', { name: 'friends' });
    await s.call(admin, 'approveUser', { userId: id, tags: ['friends'] });
    await s.call(admin, 'renameTag', { tagId: tag.id, name: 'strangers' });
    await s.call(admin, 'deleteTag', { tagId: tag.id });
    await s.deps.db.deleteFrom('users').where('id', '=', id).execute();
    const entries = await historyOf(s, admin, { person: 'MINA' });
    expect(entries).toMatchObject([
      { kind: 'user-approved', user: { id, name: 'mina' }, gave: [{ id: tag.id, name: 'friends' }] },
    ]);
    expect(await historyOf(s, admin, { kind: 'tag-renamed' })).toMatchObject([
      { before: 'friends', after: 'strangers' },
    ]);
  });

  it('the history of rights has an entry for each way to an account, and none for what was refused', async () => {
    const s = await site();
    const link = tokenOf((await setupLink(s.deps)) ?? '');
    await s.call(null, 'setUpSite', { token: link, account: mina });
    const { id } = await s.deps.db.selectFrom('users').select('id').executeTakeFirstOrThrow();
    const me = { user: { id, name: 'mina' } };
    const signIn = async (password: string, email = mina.email) => {
      const response = await callFrom(s, '203.0.113.7', null, 'signIn', { email, password });
      return { id, username: 'mina', cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
    };
    s.wait(1);
    await signIn('not this one');
    let admin = await signIn(mina.password);
    s.wait(1);
    const wrong = { currentPassword: 'wrong one', newPassword: 'another1' };
    expect(await refusal(s.call(admin, 'changePassword', wrong))).toBe('invalid-argument');
    await s.call(admin, 'changePassword', { currentPassword: mina.password, newPassword: 'another1' });
    s.wait(1);
    const reset = tokenOf(await resetLink(s.deps, id));
    s.wait(1);
    await s.call(null, 'resetPassword', { token: reset, password: 'wilhelmina' });
    expect(await refusal(s.call(null, 'resetPassword', { token: reset, password: 'wilhelmina' }))).toBe(
      'failed-precondition',
    );
    s.wait(1);
    admin = await signIn('wilhelmina');
    await s.call(admin, 'changeEmail', { email: 'new@example.com' });
    const { data } = await s.deps.db
      .selectFrom('mails')
      .select('data')
      .where('kind', '=', 'confirm')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    s.wait(1);
    await s.call(null, 'confirmEmail', { token: JSON.parse(data).token });
    s.wait(1);
    const { accessToken } = await s.call(admin, 'createAccessToken', { name: 'script' });
    s.wait(1);
    await s.call(admin, 'revokeAccessToken', { tokenId: accessToken.id });
    await s.call(admin, 'revokeAccessToken', { tokenId: accessToken.id });
    s.wait(1);
    await s.call(admin, 'signOutEverywhere', {});
    s.wait(1);
    admin = await signIn('wilhelmina', 'new@example.com');
    const entries = await historyOf(s, admin);
    expect(entries).toMatchObject([
      { kind: 'role-changed', ...me, actor: me.user, before: 'pending', after: 'admin' },
      { kind: 'admin-signed-in', ...me, actor: me.user, address: '203.0.113.7' },
      { kind: 'password-changed', ...me, actor: me.user },
      { kind: 'reset-link-made', ...me, via: 'server', actor: null },
      { kind: 'password-reset', ...me, actor: null },
      { kind: 'admin-signed-in' },
      { kind: 'address-changed', ...me, actor: null },
      { kind: 'token-made', ...me, actor: me.user, thing: { name: 'script' } },
      { kind: 'token-revoked', ...me, thing: { name: 'script' } },
      { kind: 'sessions-ended', ...me },
      { kind: 'admin-signed-in' },
    ]);
    // Neither a password nor a token nor an address of mail.
    expect(JSON.stringify(entries)).not.toMatch(/wilhelmina|another1|coterie_|@/);
    expect(JSON.stringify((await s.call(admin, 'exportAccount', {})).data.history)).toContain(
      'address-changed',
    );
  });

  it('the history of rights is found by a part of a username or of a name, in any case', async () => {
    const s = await site();
    const admin = await s.admin();
    const lucy = await s.signUp('lucy_w');
    await changeUser(s, lucy.id, { name: 'Lucy Örtel' });
    await s.call(admin, 'approveUser', { userId: lucy.id });
    const kinds = async (person: string) => (await historyOf(s, admin, { person })).map(({ kind }) => kind);
    for (const person of ['lucy_w', 'Cy_W', 'lucy ört', 'ÖRTEL', 'örtel']) {
      expect([person, await kinds(person)]).toEqual([person, ['user-approved']]);
    }
    for (const person of ['lucy%', 'luc__w', 'mina'])
      expect([person, await kinds(person)]).toEqual([person, []]);
  });

  it('the history of rights names a nameless invitation by its address while the list of invitations has it', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'createInvitations', {
      tags: [],
      for: [{ email: 'tom@example.com' }, { email: 'ruth@example.com', name: 'Ruth Berg' }],
    });
    await s.call(admin, 'createInvitations', { tags: [], for: { uses: 3 } });
    const things = async () =>
      (await historyOf(s, admin, { kind: 'invitation-made' })).map(({ thing }) => thing?.name).sort();
    expect(await things()).toEqual(['Ruth Berg', 'for 3 people', 'tom@example.com']);
    const stored = await s.deps.db.selectFrom('history').select('detail').execute();
    expect(JSON.stringify(stored)).not.toContain('@');
    const { data } = await s.call(admin, 'exportAccount', {});
    expect(JSON.stringify(data.history)).not.toContain('tom@');
    await s.deps.db.deleteFrom('invitations').execute();
    expect(await things()).toEqual(['Ruth Berg', 'for 3 people', 'for one person']);
  });

  it('the history of rights has no entry for a decision that was not carried out', async () => {
    const s = await site();
    const [admin, user] = [await s.admin(), await s.signUp()];
    const before = await kindsOf(s);
    const stale = { userId: user.id, version: 'denied.' };
    expect(await refusal(s.call(admin, 'approveUser', stale))).toBe('aborted');
    expect(await refusal(s.call(admin, 'setAdmin', { userId: admin?.id ?? '', isAdmin: false }))).toBe(
      'failed-precondition',
    );
    await s.call(admin, 'approveUser', { userId: user.id });
    // The same decision again decides nothing.
    await s.call(admin, 'approveUser', { userId: user.id });
    await s.call(admin, 'setDefaultTags', { tags: [] });
    expect(await kindsOf(s)).toEqual([...before, 'user-approved'].sort());
  });

  it('the history of rights is found by person, kind and day, and read page after page without gaps', async () => {
    const s = await openSite(await migrated(), { SITE_TIMEZONE: 'Pacific/Auckland' });
    try {
      const admin = await s.admin();
      for (let index = 0; index < 60; index += 1) {
        // Several at one moment, so that ties are broken.
        if (index % 3 === 0) s.wait(1);
        await s.call(admin, 'addTag', { name: `tag ${index}` });
      }
      const first = await s.call(admin, 'getHistory', { kind: 'tag-added' });
      expect(first.entries).toHaveLength(50);
      await s.call(admin, 'addTag', { name: 'come meanwhile' });
      const second = await s.call(admin, 'getHistory', { kind: 'tag-added', after: first.nextCursor });
      expect(second.nextCursor).toBeNull();
      const names = [...first.entries, ...second.entries].map(entry => entry.thing?.name);
      expect(new Set(names)).toEqual(new Set(Array.from({ length: 60 }, (_, index) => `tag ${index}`)));
      expect(names).toHaveLength(60);
      expect(await historyOf(s, admin, { person: 'nobody' })).toEqual([]);
      // Midnight of 1 January in UTC is past noon in Auckland.
      const on = async (from: string | null, to: string | null) =>
        (await historyOf(s, admin, { kind: 'role-changed', from, to })).length;
      expect(await on('2026-01-01', '2026-01-01')).toBe(1);
      s.wait(12 * 60 * 60_000);
      await s.admin();
      expect([await on('2026-01-01', '2026-01-01'), await on('2026-01-02', null)]).toEqual([1, 1]);
      expect([await on(null, '2025-12-31'), await on(null, '9999-12-31')]).toEqual([0, 2]);
    } finally {
      await s.close();
    }
  });

  it('the history of rights is shown only to admins', async () => {
    const s = await site();
    for (const person of [null, await s.signUp(), await s.member(['friends']), await s.denied()]) {
      const code = person === null ? 'unauthenticated' : 'permission-denied';
      const asked = await refusal(s.call(person, 'getHistory', {}));
      expect([person?.username, ['unauthenticated', code].includes(asked)]).toEqual([person?.username, true]);
    }
  });
});
