import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { expect, it } from 'vitest';
import { countChangedUsers, countSomeUsers } from '../../server/accounts/members/count-users.ts';
import { listManagedUsers } from '../../server/accounts/members/list.ts';
import { deleteAccount } from '../../server/accounts/profile/profile.ts';
import { examine } from '../../server/cli/examine.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { lettersOf } from '../../server/db/letters.ts';
import type { Tables } from '../../server/db/tables.ts';
import { inTransaction, unguarded } from '../../server/db/transaction.ts';
import { describeEngines } from '../support/engines.ts';
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

async function addMembers(db: Kysely<Tables>, name: string, count: number): Promise<void> {
  await sql`insert into users
    (id, username, display_username, name, email, email_verified, status, approved_at, created_at, updated_at)
    select ${sql.lit(name)} || i, ${sql.lit(name)} || i, ${sql.lit(name)} || i, 'Somebody',
      ${sql.lit(name)} || i || '@example.org', true, 'approved', 1,
      '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'
    from (with recursive numbers (i) as (
      select 1 union all select i + 1 from numbers where i < ${sql.lit(count)}
    ) select i from numbers) as numbers`.execute(db);
}

/** Makes these members findable by the letters of their names, and the others by none. */
async function indexMembers(db: Kysely<Tables>, name: string, count: number): Promise<void> {
  await inTransaction({ db, ...unguarded }, async trx => {
    await trx.deleteFrom('stale_users').execute();
    await sql`insert into counted_users (user_id, count_id)
      select id, 0 from users where id like ${`${name}%`}`.execute(trx);
    const ids = Array.from({ length: count }, (_, index) => `${name}${index + 1}`);
    await dialectOf(trx).userSearch.index(
      trx,
      ids.map(id => ({ id, letters: lettersOf([id]) })),
    );
  });
}

describeEngines('counts of accounts', ({ site, engine }) => {
  it('are exact whatever has changed, counted or not', async () => {
    const s = await site();
    const admin = await s.admin();
    for (const name of names) await s.call(admin, 'addTag', { name });
    const people: Person[] = [];
    for (let index = 0; index < 4; index += 1) people.push(await s.member());
    const person = fc.integer({ min: 0, max: people.length - 1 });
    const change = fc.oneof(
      fc.record({ kind: fc.constant('tags' as const), person, tags: fc.subarray(names) }),
      fc.record({ kind: fc.constantFrom('approve' as const, 'deny' as const), person }),
      fc.record({ kind: fc.constant('count' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async changes => {
        for (const step of changes) {
          if (step.kind === 'count') await countChangedUsers(s.deps);
          else {
            const userId = people[step.person]?.id ?? '';
            if (step.kind === 'tags') await s.call(admin, 'setApprovedTags', { userId, tags: step.tags });
            else await s.call(admin, step.kind === 'approve' ? 'approveUser' : 'denyUser', { userId });
          }
        }
        for (const { of, are } of await told(s, admin)) expect(of).toEqual(are);
        expect(await examine(s.deps)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('leave out deleted accounts', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.member(['a']);
    await countChangedUsers(s.deps);
    await deleteAccount(s.deps, mina.id, 'delete');
    const counted = async () => (await s.call(admin, 'describeAudience', { tags: ['a'] })).memberCount;
    expect(await counted()).toBe(0);
    await countChangedUsers(s.deps);
    expect(await counted()).toBe(0);
    expect(await examine(s.deps)).toEqual([]);
    expect(await s.deps.db.selectFrom('counted_users').select('user_id').execute()).toEqual([
      { user_id: admin.id },
    ]);
  });

  it.runIf(engine === 'postgres')('take up a change that is committed after them', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.member(['a']);
    await countChangedUsers(s.deps);
    await s.deps.db.transaction().execute(async trx => {
      await trx.deleteFrom('approved_tags').where('user_id', '=', mina.id).execute();
      await countSomeUsers(s.deps.db);
    });
    const counted = async () => (await s.call(admin, 'describeAudience', { tags: ['a'] })).memberCount;
    expect(await counted()).toBe(0);
    await countChangedUsers(s.deps);
    expect(await counted()).toBe(0);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('are reported by the doctor if they are wrong', async () => {
    const s = await site();
    const mina = await s.member(['a']);
    await countChangedUsers(s.deps);
    const { count_id } = await s.deps.db
      .selectFrom('counted_users')
      .select('count_id')
      .where('user_id', '=', mina.id)
      .executeTakeFirstOrThrow();
    await s.deps.db
      .updateTable('user_counts')
      .set({ users: 7, list: 'denied' })
      .where('id', '=', count_id)
      .execute();
    await sql`insert into counted_users (user_id, count_id) values ('gone', -1)`.execute(s.deps.db);
    expect((await examine(s.deps)).map(finding => finding.rule)).toEqual([
      'Counts of accounts match the counted accounts.',
      'Accounts are counted as they are.',
      'Accounts that are gone are not counted.',
    ]);
  });
});

describeEngines('the search for accounts', ({ site }) => {
  it('finds users by a part of username, name or address, before and after they are indexed', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.member();
    await s.deps.db
      .updateTable('users')
      .set({
        username: 'mina_h',
        display_username: 'Mina_H',
        name: 'Ödön 李明 Οδυσσεύς Işık Straße',
        email: 'm.h%1@example.com',
      })
      .where('id', '=', mina.id)
      .execute();
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
    for (let round = 0; round < 2; round += 1) {
      for (const part of parts) expect([part, await isFound(part)]).toEqual([part, true]);
      for (const other of others) expect([other, await isFound(other)]).toEqual([other, false]);
      await countChangedUsers(s.deps);
    }
    await s.deps.db.updateTable('users').set({ name: 'Mina Harker' }).where('id', '=', mina.id).execute();
    expect([await isFound('ödön'), await isFound('harker')]).toEqual([false, true]);
    await countChangedUsers(s.deps);
    expect([await isFound('ödön'), await isFound('harker')]).toEqual([false, true]);
  });

  it('says that there are more if it finds very many, on every page, and counts few exactly', async () => {
    const s = await site();
    const admin = await s.admin();
    const count = 5_100;
    const date = new Date(0).toISOString();
    const rows = Array.from({ length: count }, (_, index) => {
      const username = `person${String(index).padStart(4, '0')}`;
      const common = { id: username, username, display_username: username, name: 'A Person', approved_at: 1 };
      return {
        ...common,
        email: `${username}@example.org`,
        email_verified: true,
        status: 'approved' as const,
      };
    });
    for (let at = 0; at < count; at += 1_700) {
      const some = rows.slice(at, at + 1_700).map(row => ({ ...row, created_at: date, updated_at: date }));
      await s.deps.db.insertInto('users').values(some).execute();
    }
    await countChangedUsers(s.deps);
    const first = await s.call(admin, 'getUsers', { list: 'approved', search: 'PERSON' });
    expect(first).toMatchObject({ total: 25, isTotalExact: false });
    const second = await s.call(admin, 'getUsers', {
      list: 'approved',
      search: 'PERSON',
      after: first.nextCursor,
    });
    expect(second.users[0]?.username).toBe('person0025');
    const few = await s.call(admin, 'getUsers', { list: 'approved', search: 'person12' });
    expect(few).toMatchObject({ total: 100, isTotalExact: true });
    const page = await s.call(admin, 'getUsers', {
      list: 'approved',
      search: 'person12',
      after: few.nextCursor,
    });
    expect(page.users.map(user => user.username).slice(0, 2)).toEqual(['person1225', 'person1226']);
    expect((await s.call(admin, 'getUsers', { list: 'approved' })).total).toBe(count);
    expect(await s.call(admin, 'getUsers', { list: 'approved', search: 'personage' })).toMatchObject({
      users: [],
      total: 0,
      isTotalExact: true,
    });
  });

  it('finds many who stand late in a list, without walking past all before them', async () => {
    const s = await site();
    await s.admin();
    const { db } = s.deps;
    const [before, found] = [5_200, 5_100];
    await addMembers(db, 'early', before);
    await addMembers(db, 'zebra', found);
    await indexMembers(db, 'zebra', found);
    const searches: string[] = [];
    const watched = db.withPlugin({
      transformQuery: ({ node }) => {
        const text = JSON.stringify(node);
        if (node.kind === 'SelectQueryNode' && text.includes("escape '")) searches.push(text);
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const list = (after?: string | null) =>
      listManagedUsers({ ...s.deps, db: watched }, { list: 'approved', search: 'Zebra', after });
    const names = Array.from({ length: found }, (_, index) => `zebra${index + 1}`).sort();
    const first = await list();
    expect(first).toMatchObject({ total: 25, isTotalExact: false });
    const second = await list(first.nextCursor);
    const usernames = [...first.users, ...second.users].map(user => user.username);
    expect(usernames).toEqual(names.slice(0, 50));
    // Each looks at the next of the list alone, or at those that hold the letters.
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches)
      expect(search).toMatch(/\(users\.username, users\.id\) <= \(|user_search|users_with_letters/);
  });
});
