import { expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { deleteAccount } from '../../server/accounts/profile/profile.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { changeUser } from '../support/rows.ts';
import type { Site } from '../support/site.ts';
import { refusal } from '../support/site.ts';

const usernames = ({ users }: { users: { username: string }[] }) => users.map(user => user.username);

/** Every other one waits for approval, with a minute between two sign-ups. */
async function fill({ deps: { db, clock } }: Site, count: number): Promise<void> {
  const now = clock();
  await db
    .insertInto('users')
    .values(
      Array.from({ length: count }, (_, index) => ({
        id: `id${index}`,
        name: `Ödön Nagy ${index}`,
        email: `user${index}@example.com`,
        email_verified: false,
        image: null,
        created_at: new Date(now + index * 60_000).toISOString(),
        updated_at: new Date(now + index * 60_000).toISOString(),
        username: `user${index}`,
        display_username: `user${index}`,
        is_admin: false,
        status: index % 2 === 0 ? ('pending' as const) : ('approved' as const),
        approved_at: index % 2 === 0 ? null : now,
        denied_at: null,
      })),
    )
    .execute();
}

describeEngines(({ site, siteWithAdmin }) => {
  it('the site allows every operation only to admins', async () => {
    const s = await site();
    const victim = await s.signUp();
    const tag = (await s.call(await s.admin(), 'addTag', { name: 'friends' })).tag;
    const calls: { [Name in OperationName]?: Input<Name> } = {
      getUsers: { list: 'pending' },
      approveUser: { userId: victim.id, tags: ['friends'] },
      denyUser: { userId: victim.id },
      setApprovedTags: { userId: victim.id, tags: ['friends'] },
      setAdmin: { userId: victim.id, isAdmin: true },
      describeAudience: { tags: [] },
      listReaders: { tags: [] },
      previewPostTags: { tags: [], seenTags: [] },
      previewDefaultTags: { tags: [] },
      previewApprovedTags: { userId: victim.id, tags: [] },
      previewNewMember: { tags: [] },
      getDefaultTags: {},
      setDefaultTags: { tags: ['friends'] },
      getManagedTags: {},
      addTag: { name: 'other' },
      renameTag: { tagId: tag.id, name: 'other' },
      deleteTag: { tagId: tag.id },
      previewTagMerge: { tagId: tag.id, intoId: tag.id },
      previewRetag: { postIds: ['post'], addedTagIds: [tag.id], removedTagIds: [] },
      saveAbout: { content: 'changed' },
    };
    // Denied, and signed in again since.
    const denied = await s.signUp();
    await changeUser(s, denied.id, { status: 'denied', denied_at: 0 });
    for (const person of [null, victim, denied, await s.member(['friends'])]) {
      for (const [name, input] of Object.entries(calls)) {
        const answer = await refusal(s.call(person, name as 'getUsers', input as Input<'getUsers'>));
        expect([name, answer]).toEqual([name, person === null ? 'unauthenticated' : 'permission-denied']);
      }
    }
    expect((await s.call(await s.admin(), 'getUsers', { list: 'pending' })).users).toMatchObject([
      {
        id: victim.id,
        status: 'pending',
        isApproved: false,
        pendingApproval: true,
        approvedTags: [],
        approvedAt: null,
        deniedAt: null,
      },
    ]);
  });

  it('the site denies no admin, who has to be made a member first', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const denied = s.call(admin, 'denyUser', { userId: other.id });
    expect(await refusal(denied)).toBe('failed-precondition');
    expect((await s.call(other, 'getUsers', { list: 'admins' })).total).toBe(2);
  });

  it('the list of users shows whether the address of an account is confirmed', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.signUp('mina');
    const isConfirmed = async () =>
      (await s.call(admin, 'getUsers', { list: 'pending' })).users.map(user => user.isEmailConfirmed);
    expect(await isConfirmed()).toEqual([false]);
    await changeUser(s, mina.id, { email_verified: true });
    expect(await isConfirmed()).toEqual([true]);
  });

  it('39. the list of users shows that an address was denied, also after its owner has deleted the account and signed up again', async () => {
    const [s, admin] = await siteWithAdmin();
    const pending = async () =>
      (await s.call(admin, 'getUsers', { list: 'pending' })).users.map(user => user.deniedBeforeAt);
    const first = await s.call(null, 'signUp', account);
    expect(await pending()).toEqual([null]);
    const deniedAt = new Date(s.deps.clock()).toISOString();
    await s.call(admin, 'denyUser', { userId: first.user?.id ?? '' });
    await deleteAccount(s.deps, first.user?.id ?? '', 'delete');
    s.wait(1_000);
    // A word after the mailbox leads to the same one.
    const again = await s.call(null, 'signUp', { ...account, email: 'mina+blog@example.com' });
    expect(await pending()).toEqual([deniedAt]);
    await s.signUp('lucy');
    expect((await pending()).filter(moment => moment !== null)).toEqual([deniedAt]);
    const kept = await s.deps.db.selectFrom('denials').selectAll().execute();
    expect(JSON.stringify(kept)).not.toContain('mina');
    // Whoever approves them has decided anew.
    const { user } = await s.call(admin, 'approveUser', { userId: again.user?.id ?? '' });
    expect(user.deniedBeforeAt).toBeNull();
    expect(await s.deps.db.selectFrom('denials').selectAll().execute()).toEqual([]);
  });

  it('39. the site remembers a denied address, also when its owner changes it and deletes the account', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.signUp('mina');
    await s.call(admin, 'denyUser', { userId: mina.id });
    await changeUser(s, mina.id, { email: 'other@example.com' });
    await deleteAccount(s.deps, mina.id, 'delete');
    const [one, two] = [await s.signUp('mina'), await s.signUp('other')];
    const { users } = await s.call(admin, 'getUsers', { list: 'pending' });
    const known = users.filter(user => user.deniedBeforeAt !== null).map(user => user.id);
    expect(known.sort()).toEqual([one.id, two.id].sort());
  });

  it('the search of users finds those who have a tag by its whole name in any case, also a deleted tag', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.member(['Friends', 'family'], 'mary');
    await s.member(['family'], 'lucy');
    await s.member([], 'friends_of_mina');
    const find = async (search: string) =>
      usernames(await s.call(admin, 'getUsers', { list: 'approved', search }));
    expect(await find('FAMILY')).toEqual(['lucy', 'mary']);
    expect(await find('friends')).toEqual(['friends_of_mina', 'mary']);
    expect(await find('famil')).toEqual([]);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    for (const tag of tags) await s.call(admin, 'deleteTag', { tagId: tag.id });
    expect(await find('family')).toEqual(['lucy', 'mary']);
  });

  it('the list of users lists each kind, found by username, name or address, page after page', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.denied();
    await fill(s, 120);
    expect(usernames(await s.call(admin, 'getUsers', { list: 'admins' }))).toEqual([admin.username]);
    expect((await s.call(admin, 'getUsers', { list: 'denied' })).total).toBe(1);
    const walk = async (list: 'pending' | 'approved', meanwhile: (last: string) => Promise<unknown>) => {
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page: Output<'getUsers'> = await s.call(admin, 'getUsers', { list, after });
        seen.push(...usernames(page));
        after = page.nextCursor;
        if (after !== null) await meanwhile(page.users.at(-1)?.id ?? '');
      } while (after !== null);
      return seen;
    };
    // A decision about the last of a page neither hides nor repeats another.
    const pending = await walk('pending', userId => s.call(admin, 'denyUser', { userId }));
    expect(pending).toEqual(Array.from({ length: 60 }, (_, index) => `user${2 * index}`));
    expect((await s.call(admin, 'getUsers', { list: 'pending' })).total).toBe(58);
    const approved = await walk('approved', userId => s.call(admin, 'denyUser', { userId }));
    expect(new Set(approved).size).toBe(60);
    const numberOf = (username: string) => Number(username.slice('user'.length));
    expect(approved).toEqual(approved.toSorted((a, b) => numberOf(a) - numberOf(b)));
    const find = async (search: string) =>
      usernames(await s.call(admin, 'getUsers', { list: 'approved', search }));
    expect(await find('USER11')).toEqual(['user11', 'user111', 'user113', 'user115', 'user117', 'user119']);
    expect(await find('user11@')).toEqual(['user11']);
    expect(await find('ödön')).toHaveLength(25);
    expect(await find('%')).toEqual([]);
    expect(await find('user_1')).toEqual([]);
    expect(await find("'; drop table users; --")).toEqual([]);
    expect(await refusal(s.call(admin, 'getUsers', { list: 'approved', after: 'nobody' }))).toBe(
      'invalid-argument',
    );
  });
});
