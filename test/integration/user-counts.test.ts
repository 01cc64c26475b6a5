import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deleteAccount } from '../../server/accounts/profile/profile.ts';
import { describeEngines } from '../support/engines.ts';
import { changeUser } from '../support/rows.ts';
import type { Person, Site } from '../support/site.ts';

const names = ['a', 'b', 'c'];

/** What the site says about the accounts: from the counts, and computed from the accounts themselves. */
async function told(s: Site, admin: Person) {
  const [{ users: approved }, { users: denied }] = await Promise.all([
    s.call(admin, 'getUsers', { list: 'approved' }),
    s.call(admin, 'getUsers', { list: 'denied' }),
  ]);
  const audiences = await Promise.all(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(async tags => {
      const { memberCount, memberTotal } = await s.call(admin, 'describeAudience', { tags });
      const readers = approved.filter(user => tags.every(tag => user.approvedTags.includes(tag)));
      return {
        of: { memberCount, memberTotal },
        are: { memberCount: readers.length, memberTotal: approved.length },
      };
    }),
  );
  const { tags } = await s.call(admin, 'getManagedTags', {});
  const everybody = [...approved, ...denied];
  const holders = tags.map(({ name, userCount }) => ({
    of: { name, userCount },
    are: { name, userCount: everybody.filter(user => user.approvedTags.includes(name)).length },
  }));
  return [...audiences, ...holders];
}

describeEngines(({ siteWithAdmin }) => {
  it('counts of accounts are exact after every kind of change', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of names) await s.call(admin, 'addTag', { name });
    const people: Person[] = [];
    for (let index = 0; index < 4; index += 1) people.push(await s.member());
    const person = fc.integer({ min: 0, max: people.length - 1 });
    const change = fc.oneof(
      fc.record({ kind: fc.constant('tags' as const), person, tags: fc.subarray(names) }),
      fc.record({ kind: fc.constantFrom('approve' as const, 'deny' as const), person }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async changes => {
        for (const step of changes) {
          const userId = people[step.person]?.id ?? '';
          if (step.kind === 'tags') await s.call(admin, 'setApprovedTags', { userId, tags: step.tags });
          else await s.call(admin, step.kind === 'approve' ? 'approveUser' : 'denyUser', { userId });
        }
        for (const { of, are } of await told(s, admin)) expect(of).toEqual(are);
      }),
      { numRuns: 15 },
    );
  });

  it('counts of accounts leave out deleted accounts, and hold new ones immediately', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.member(['a']);
    const counted = async () => {
      const { memberCount, memberTotal } = await s.call(admin, 'describeAudience', { tags: ['a'] });
      return { memberCount, memberTotal };
    };
    expect(await counted()).toEqual({ memberCount: 1, memberTotal: 1 });
    await deleteAccount(s.deps, mina.id, 'delete');
    expect(await counted()).toEqual({ memberCount: 0, memberTotal: 0 });
    // Added by a statement alone, as an import or an invitation adds them.
    const { id, created_at, updated_at, ...row } = await s.deps.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', admin.id)
      .executeTakeFirstOrThrow();
    const dates = {
      created_at: new Date(created_at).toISOString(),
      updated_at: new Date(updated_at).toISOString(),
    };
    const lucy = {
      ...row,
      ...dates,
      id: 'lucy',
      username: 'lucy',
      email: 'lucy@example.org',
      is_admin: false,
    };
    await s.deps.db
      .insertInto('users')
      .values({ ...lucy, email_verified: true, is_author: false, is_muted: false })
      .execute();
    expect(await counted()).toEqual({ memberCount: 0, memberTotal: 1 });
  });

  it('counts of accounts leave out admins, whatever tags they hold', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.member(['a']);
    await s.member(['a', 'b']);
    await s.call(admin, 'setAdmin', { userId: mina.id, isAdmin: true });
    const { memberCount, memberTotal } = await s.call(admin, 'describeAudience', { tags: ['a'] });
    expect({ memberCount, memberTotal }).toEqual({ memberCount: 1, memberTotal: 1 });
    expect((await s.call(admin, 'getUsers', { list: 'approved' })).total).toBe(1);
    expect((await s.call(admin, 'getUsers', { list: 'admins' })).total).toBe(2);
  });
});

describeEngines(({ siteWithAdmin }) => {
  it('the search for accounts finds users by a part of username, name or address, in any case', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.member();
    await changeUser(s, mina.id, {
      username: 'mina_h',
      display_username: 'Mina_H',
      name: 'Ödön 李明 Οδυσσεύς Işık Straße',
      email: 'm.h%1@example.com',
    });
    const parts = [
      'm',
      'A_',
      'ina_',
      'ödön',
      'Ön 李',
      '明',
      'σσεύς',
      'ışık',
      'straße',
      'h%1@',
      'EXAMPLE.com',
      'mina_h',
    ];
    const others = ['mina%', 'inah', 'z', '明李', 'h_1'];
    const isFound = async (search: string) => {
      const { users, total } = await s.call(admin, 'getUsers', { list: 'approved', search });
      expect(total).toBe(users.length);
      return users.some(user => user.id === mina.id);
    };
    for (const part of parts) expect([part, await isFound(part)]).toEqual([part, true]);
    for (const other of others) expect([other, await isFound(other)]).toEqual([other, false]);
    await changeUser(s, mina.id, { name: 'Mina Harker' });
    expect([await isFound('ödön'), await isFound('harker')]).toEqual([false, true]);
  });

  it('the search for accounts counts what it finds, and continues after each page', async () => {
    const [s, admin] = await siteWithAdmin();
    const date = new Date(0).toISOString();
    const rows = Array.from({ length: 60 }, (_, index) => {
      const username = `person${String(index).padStart(2, '0')}`;
      return {
        ...{ id: username, username, display_username: username, name: 'A Person', approved_at: 1 },
        ...{ email: `${username}@example.org`, email_verified: true, status: 'approved' as const },
        ...{ created_at: date, updated_at: date },
      };
    });
    await s.deps.db.insertInto('users').values(rows).execute();
    const search = (text: string, after?: string | null) =>
      s.call(admin, 'getUsers', { list: 'approved', search: text, after });
    const first = await search('PERSON');
    expect(first.total).toBe(60);
    const second = await search('PERSON', first.nextCursor);
    expect(second).toMatchObject({ total: 60 });
    expect(second.users[0]?.username).toBe('person25');
    expect((await search('person5')).total).toBe(10);
    expect(await search('personage')).toMatchObject({ users: [], total: 0, nextCursor: null });
  });
});
