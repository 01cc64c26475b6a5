import { expect, it } from 'vitest';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { approveUser, denyUser, setApprovedTags } from '../../server/accounts/decisions.ts';
import { deleteAccount } from '../../server/accounts/profile.ts';
import { sweepUndoable } from '../../server/accounts/undo.ts';
import { describeEngines } from '../engines.ts';
import { publish, shortPost } from '../factories.ts';
import { refusal, type Site } from '../site.ts';

const usernames = ({ users }: { users: { username: string }[] }) => users.map(user => user.username);

describeEngines('users', ({ site }) => {
  it('refuses every operation to all but admins', async () => {
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
      saveAbout: { content: 'changed' },
    };
    // Denied, and signed in again since.
    const denied = await s.signUp();
    await s.deps.db
      .updateTable('users')
      .set({ status: 'denied', denied_at: 0 })
      .where('id', '=', denied.id)
      .execute();
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

  it('says whether the address of an account is confirmed', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.signUp('mina');
    const isConfirmed = async () =>
      (await s.call(admin, 'getUsers', { list: 'pending' })).users.map(user => user.isEmailConfirmed);
    expect(await isConfirmed()).toEqual([false]);
    await s.deps.db.updateTable('users').set({ email_verified: true }).where('id', '=', mina.id).execute();
    expect(await isConfirmed()).toEqual([true]);
  });

  it('39. says that an address was denied, also once its account has deleted itself and signed up again', async () => {
    const s = await site();
    const admin = await s.admin();
    const account = { username: 'mina', name: 'Mina Harker', email: 'mina@example.com', password: 'quincey' };
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

  it('39. remembers the address from before, when a denied account changes it and goes', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.signUp('mina');
    await s.call(admin, 'denyUser', { userId: mina.id });
    await s.deps.db
      .updateTable('users')
      .set({ email: 'other@example.com' })
      .where('id', '=', mina.id)
      .execute();
    await deleteAccount(s.deps, mina.id, 'delete');
    const [one, two] = [await s.signUp('mina'), await s.signUp('other')];
    const { users } = await s.call(admin, 'getUsers', { list: 'pending' });
    const known = users.filter(user => user.deniedBeforeAt !== null).map(user => user.id);
    expect(known.sort()).toEqual([one.id, two.id].sort());
  });

  it('approves with tags in one step, revokes, and approves after all, with the dates of each', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.signUp('Mina');
    const [id = ''] = await publish(s, admin, shortPost('for friends', ['friends', 'family']));
    const at = () => new Date(s.deps.clock()).toISOString();
    const approved = await s.call(admin, 'approveUser', {
      userId: mina.id,
      tags: ['Family', 'friends'],
      seenStatus: 'pending',
    });
    const approvedAt = at();
    expect(approved.user).toMatchObject({
      username: 'Mina',
      status: 'approved',
      approvedTags: ['family', 'friends'],
      approvedAt,
      deniedAt: null,
    });
    expect((await s.call(mina, 'getPost', { postId: id })).post.content).toBe('for friends');
    s.wait(1_000);
    const denied = await s.call(admin, 'denyUser', { userId: mina.id });
    expect(denied.user).toMatchObject({ status: 'denied', approvedAt, deniedAt: at() });
    // The session ended with the decision.
    expect((await s.call(mina, 'getViewer', {})).user).toBeNull();
    expect(await refusal(s.call(mina, 'getPost', { postId: id }))).toBe('permission-denied');
    s.wait(1_000);
    const again = await s.call(admin, 'approveUser', { userId: mina.id });
    expect(again.user).toMatchObject({
      status: 'approved',
      approvedAt: at(),
      deniedAt: denied.user.deniedAt,
    });
    expect(again.user.approvedTags).toEqual(['family', 'friends']);
  });

  it('is safe to repeat, and refuses who has not seen another decision', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.signUp();
    await s.call(admin, 'addTag', { name: 'friends' });
    const approve = { userId: mina.id, tags: ['friends'], seenStatus: 'pending' as const };
    const first = await s.call(admin, 'approveUser', approve);
    s.wait(1_000);
    expect(await s.call(admin, 'approveUser', approve)).toEqual(first);
    expect(await refusal(s.call(admin, 'approveUser', { ...approve, tags: [] }))).toBe('aborted');
    expect(await refusal(s.call(admin, 'denyUser', { userId: mina.id, seenStatus: 'pending' }))).toBe(
      'aborted',
    );
    await s.call(admin, 'addTag', { name: 'family' });
    expect(
      await refusal(s.call(admin, 'setApprovedTags', { userId: mina.id, tags: ['family'], seenTags: [] })),
    ).toBe('aborted');
    expect(
      (await s.call(admin, 'setApprovedTags', { userId: mina.id, tags: [], seenTags: ['friends'] })).user
        .approvedTags,
    ).toEqual([]);
  });

  it('decides about many at once, each with its own tags and its own entry in the history', async () => {
    const s = await site();
    const admin = await s.admin();
    const [mina, lucy, arthur, quincey] = [
      await s.signUp('mina'),
      await s.signUp('lucy'),
      await s.signUp('arthur'),
      await s.signUp('quincey'),
    ];
    for (const name of ['friends', 'family']) await s.call(admin, 'addTag', { name });
    await s.call(admin, 'denyUser', { userId: quincey.id });
    const seenStatus = 'pending' as const;
    const { results } = await s.call(admin, 'decideUsers', {
      decisions: [
        { userId: mina.id, decision: 'approve', tags: ['friends'], seenStatus },
        { userId: quincey.id, decision: 'approve', tags: ['friends'], seenStatus },
        { userId: lucy.id, decision: 'approve', tags: ['Family', 'friends'], seenStatus },
        { userId: arthur.id, decision: 'deny', seenStatus },
        { userId: 'nobody', decision: 'deny' },
      ],
    });
    expect(
      results.map(({ user, failure }) => [user?.username, user?.status, user?.approvedTags, failure]),
    ).toEqual([
      ['mina', 'approved', ['friends'], null],
      ['quincey', 'denied', [], 'quincey has been denied in the meantime by somebody else.'],
      ['lucy', 'approved', ['family', 'friends'], null],
      ['arthur', 'denied', [], null],
      [undefined, undefined, undefined, 'User not found.'],
    ]);
    const { entries } = await s.call(admin, 'getHistory', {});
    const decided = entries.filter(({ kind }) => kind === 'user-approved' || kind === 'user-denied');
    expect(decided.map(({ kind, user }) => `${kind} ${user?.name}`).sort()).toEqual([
      'user-approved lucy',
      'user-approved mina',
      'user-denied arthur',
      'user-denied quincey',
    ]);
    const mails = await s.deps.db
      .selectFrom('mails')
      .select('user_id')
      .where('kind', '=', 'approved')
      .execute();
    expect(mails.map(row => row.user_id).sort()).toEqual([mina.id, lucy.id].sort());
    // A tag that is none refuses all of it, before anything is written.
    const wrong = { decision: 'approve' as const, tags: ['nothing'] };
    const late = await s.signUp('late');
    expect(await refusal(s.call(admin, 'decideUsers', { decisions: [{ ...wrong, userId: late.id }] }))).toBe(
      'invalid-argument',
    );
    const twice = { userId: late.id, decision: 'deny' as const };
    expect(await refusal(s.call(admin, 'decideUsers', { decisions: [twice, twice] }))).toBe(
      'invalid-argument',
    );
  });

  it('many decisions of two admins about the same people at once leave each decided once', async () => {
    const s = await site();
    const admins = [await s.admin(), await s.admin()];
    const people: string[] = [];
    for (let index = 0; index < 12; index += 1) people.push((await s.signUp()).id);
    const answers = await Promise.all(
      admins.map((admin, index) =>
        s.call(admin, 'decideUsers', {
          decisions: (index === 0 ? people : people.toReversed()).map(userId => ({
            userId,
            decision: index === 0 ? 'approve' : 'deny',
            seenStatus: 'pending',
          })),
        }),
      ),
    );
    const done = answers.flatMap(({ results }) => results.filter(({ failure }) => failure === null));
    expect(done.map(({ userId }) => userId).sort()).toEqual(people.sort());
  });

  it('takes a decision back: who was approved waits again, with what they had', async () => {
    const s = await site();
    const admin = await s.admin();
    const [id = ''] = await publish(s, admin, shortPost('for friends', ['friends']));
    const mina = await s.signUp('mina');
    await s.deps.db
      .updateTable('users')
      .set({ introduction: 'Your cousin.' })
      .where('id', '=', mina.id)
      .execute();
    const waiting = (await s.call(admin, 'getUsers', { list: 'pending' })).users[0];
    expect(waiting?.introduction).toBe('Your cousin.');
    const { user } = await s.call(admin, 'approveUser', { userId: mina.id, tags: ['friends'] });
    // What they wrote is forgotten with the decision, but for taking it back.
    expect(user.introduction).toBeNull();
    await s.call(mina, 'getPost', { postId: id });
    const { token } = await s.makeToken(mina);
    const undone = await s.call(admin, 'undoDecision', { userId: mina.id, seenStatus: 'approved' });
    expect(undone.user).toEqual(waiting);
    expect(await refusal(s.call(mina, 'getPost', { postId: id }))).toBe('permission-denied');
    // They are still signed in; what being a member has made possible is over.
    expect((await s.call(mina, 'getViewer', {})).user?.pendingApproval).toBe(true);
    const byToken = await s.request('/api/getViewer', null, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"data": {}}',
    });
    expect(byToken.status).toBe(401);
    expect(await refusal(s.call(admin, 'undoDecision', { userId: mina.id }))).toBe('failed-precondition');
    const { entries } = await s.call(admin, 'getHistory', { kind: 'decision-undone' });
    expect(entries).toMatchObject([{ user: { name: 'mina' }, before: 'approved', after: 'pending' }]);
  });

  it('takes back a denial and an approval after all, with the memory of the denial', async () => {
    const s = await site();
    const admin = await s.admin();
    const mina = await s.signUp('mina');
    const denials = () => s.deps.db.selectFrom('denials').selectAll().execute();
    await s.call(admin, 'denyUser', { userId: mina.id });
    const remembered = await denials();
    expect(remembered).toHaveLength(1);
    await s.call(admin, 'approveUser', { userId: mina.id });
    expect(await denials()).toEqual([]);
    expect((await s.call(admin, 'undoDecision', { userId: mina.id })).user.status).toBe('denied');
    expect(await denials()).toEqual(remembered);
    await s.call(admin, 'approveUser', { userId: mina.id });
    await s.call(admin, 'denyUser', { userId: mina.id });
    expect((await s.call(admin, 'undoDecision', { userId: mina.id })).user.status).toBe('approved');
    expect(await denials()).toEqual([]);
  });

  it('takes nothing back after another decision, after a day, and from an admin', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'addTag', { name: 'friends' });
    const [one, two, three] = [await s.signUp(), await s.signUp(), await s.signUp()];
    for (const { id: userId } of [one, two, three]) await s.call(admin, 'approveUser', { userId });
    await s.call(admin, 'setApprovedTags', { userId: one.id, tags: ['friends'] });
    await s.call(admin, 'setAdmin', { userId: two.id, isAdmin: true });
    s.wait(24 * 60 * 60_000 + 1);
    for (const { id: userId } of [one, two, three]) {
      expect(await refusal(s.call(admin, 'undoDecision', { userId }))).toBe('failed-precondition');
    }
    await sweepUndoable(s.deps);
    expect(await s.deps.db.selectFrom('undoable_decisions').selectAll().execute()).toEqual([]);
  });

  it('62. ends an approval and a denial at once in one clear state', async () => {
    const s = await site();
    const admin = await s.admin();
    for (let round = 0; round < 10; round += 1) {
      const user = await s.signUp();
      s.wait(1);
      const results = await Promise.allSettled([
        s.call(admin, 'approveUser', { userId: user.id, seenStatus: 'pending' }),
        s.call(admin, 'denyUser', { userId: user.id, seenStatus: 'pending' }),
      ]);
      expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
      const row = await s.deps.db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow();
      expect([row.status, row.approved_at !== null, row.denied_at !== null]).toEqual(
        row.status === 'approved' ? ['approved', true, false] : ['denied', false, true],
      );
    }
  });

  it('keeps both dates in order when decisions race unseen', async () => {
    const s = await site();
    // Each reads its own clock: the one that waits for the other must not date its decision before it.
    let time = s.deps.clock();
    const clock = () => {
      time += 1;
      return time;
    };
    const deps = { db: s.deps.db, clock };
    for (let round = 0; round < 10; round += 1) {
      const user = await s.signUp();
      await Promise.all([
        approveUser(deps, user.id),
        denyUser(deps, user.id),
        approveUser(deps, user.id),
        denyUser(deps, user.id),
      ]);
      const row = await s.deps.db
        .selectFrom('users')
        .selectAll()
        .where('id', '=', user.id)
        .executeTakeFirstOrThrow();
      const isLaterApproval = (row.approved_at ?? 0) > (row.denied_at ?? 0);
      expect(row.status).toBe(isLaterApproval ? 'approved' : 'denied');
    }
  });

  it('62. leaves one of two sets of tags when they are edited while approving', async () => {
    const s = await site();
    const admin = await s.admin();
    const ids = await Promise.all(
      ['one', 'two', 'three'].map(async name => (await s.call(admin, 'addTag', { name })).tag.id),
    );
    const [one = '', two = '', three = ''] = ids;
    for (let round = 0; round < 10; round += 1) {
      const user = await s.signUp();
      await Promise.all([
        approveUser(s.deps, user.id, { tagIds: [one, two] }),
        setApprovedTags(s.deps, user.id, [three]),
        setApprovedTags(s.deps, user.id, [two, three]),
      ]);
      const { users } = await s.call(admin, 'getUsers', { list: 'approved', search: user.username });
      const found = users.find(candidate => candidate.id === user.id);
      expect([['one', 'two'], ['three'], ['three', 'two']]).toContainEqual(found?.approvedTags);
    }
  });

  it('21. denies no admin, and keeps the last one, whoever races', async () => {
    const s = await site();
    const [one, two] = [await s.admin(), await s.admin()];
    expect(await refusal(s.call(one, 'denyUser', { userId: two.id }))).toBe('failed-precondition');
    expect(await refusal(s.call(one, 'denyUser', { userId: one.id }))).toBe('failed-precondition');
    const results = await Promise.allSettled([
      s.call(one, 'setAdmin', { userId: two.id, isAdmin: false }),
      s.call(two, 'setAdmin', { userId: one.id, isAdmin: false }),
    ]);
    expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    const admins = await s.deps.db.selectFrom('users').select('id').where('is_admin', '=', true).execute();
    expect(admins).toHaveLength(1);
    const last = admins[0]?.id === one.id ? one : two;
    expect(await refusal(s.call(last, 'setAdmin', { userId: last.id, isAdmin: false }))).toBe(
      'failed-precondition',
    );
    const pending = await s.signUp();
    expect(await refusal(s.call(last, 'setAdmin', { userId: pending.id, isAdmin: true }))).toBe(
      'failed-precondition',
    );
    const member = await s.member();
    expect((await s.call(last, 'setAdmin', { userId: member.id, isAdmin: true })).user.isAdmin).toBe(true);
    expect((await s.call(member, 'getViewer', {})).can.administer).toBe(true);
  });

  it('15. takes no other field than the decision, and no tag that is none', async () => {
    const s = await site();
    const admin = await s.admin();
    const user = await s.signUp();
    const forged = { userId: user.id, isAdmin: true, approvedAt: 0, id: admin.id } as Input<'approveUser'>;
    expect(await refusal(s.call(admin, 'approveUser', forged))).toBe('invalid-argument');
    for (const tags of [['nothing'], ['__proto__'], ['toString']]) {
      expect(await refusal(s.call(admin, 'setApprovedTags', { userId: user.id, tags }))).toBe(
        'invalid-argument',
      );
    }
    expect(await refusal(s.call(admin, 'approveUser', { userId: 'nobody' }))).toBe('not-found');
    expect(await refusal(s.call(admin, 'denyUser', { userId: 'nobody' }))).toBe('not-found');
    expect(await refusal(s.call(admin, 'setAdmin', { userId: 'nobody', isAdmin: true }))).toBe('not-found');
  });

  it('lists each kind, found by username, name or address, page after page', async () => {
    const s = await site();
    const admin = await s.admin();
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
    expect(approved).toEqual(approved.toSorted());
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
