import { expect, it } from 'vitest';
import type { Input } from '../../contract/operations.ts';
import { approveUser, denyUser, setApprovedTags } from '../../server/accounts/members/decide.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  /** The version of an account as this list shows it. */
  const versionIn = async (s: Site, admin: Person, list: Input<'getUsers'>['list'], userId: string) =>
    (await s.call(admin, 'getUsers', { list })).users.find(({ id }) => id === userId)?.version ?? 'none';

  it('an admin approves with tags in one step, revokes, and approves after all, with the dates of each', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.signUp('Mina');
    const [id = ''] = await publish(s, admin, shortPost('for friends', ['friends', 'family']));
    const at = () => new Date(s.deps.clock()).toISOString();
    const approved = await s.call(admin, 'approveUser', {
      userId: mina.id,
      tags: ['Family', 'friends'],
      version: await versionIn(s, admin, 'pending', mina.id),
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

  it('a decision is safe to repeat, and is refused if somebody else has decided meanwhile', async () => {
    const [s, admin] = await siteWithAdmin();
    const mina = await s.signUp();
    await s.call(admin, 'addTag', { name: 'friends' });
    const version = await versionIn(s, admin, 'pending', mina.id);
    const approve = { userId: mina.id, tags: ['friends'], version };
    const first = await s.call(admin, 'approveUser', approve);
    s.wait(1_000);
    expect(await s.call(admin, 'approveUser', approve)).toEqual(first);
    expect(await refusal(s.call(admin, 'approveUser', { ...approve, tags: [] }))).toBe('aborted');
    expect(await refusal(s.call(admin, 'denyUser', { userId: mina.id, version }))).toBe('aborted');
    await s.call(admin, 'addTag', { name: 'family' });
    expect(
      await refusal(s.call(admin, 'setApprovedTags', { userId: mina.id, tags: ['family'], version })),
    ).toBe('aborted');
    const changed = { userId: mina.id, tags: [], version: first.user.version };
    expect((await s.call(admin, 'setApprovedTags', changed)).user.approvedTags).toEqual([]);
  });

  it('a decision approves nobody with tags that somebody else has taken since the admin saw them', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['friends', 'family']) await s.call(admin, 'addTag', { name });
    const mina = await s.signUp('mina');
    await s.call(admin, 'setApprovedTags', { userId: mina.id, tags: ['friends'] });
    const { user: denied } = await s.call(admin, 'denyUser', { userId: mina.id });
    const seen = { userId: mina.id, version: denied.version };
    const { user: now } = await s.call(admin, 'setApprovedTags', { userId: mina.id, tags: [] });
    const refused = 'Somebody else has changed the tags of mina in the meantime.';
    for (const tags of [['friends'], ['family'], undefined]) {
      await expect(s.call(admin, 'approveUser', { ...seen, tags })).rejects.toThrow(refused);
      const { results } = await s.call(admin, 'decideUsers', {
        decisions: [{ ...seen, decision: 'approve', tags }],
      });
      expect(results[0]).toMatchObject({ failure: refused, user: { status: 'denied', approvedTags: [] } });
    }
    const approval = { ...seen, tags: ['family'], version: now.version };
    const first = await s.call(admin, 'approveUser', approval);
    expect(first.user).toMatchObject({ status: 'approved', approvedTags: ['family'] });
    expect(await s.call(admin, 'approveUser', approval)).toEqual(first);
  });

  it('an admin decides about many together, each with its own tags and its own entry in the history', async () => {
    const [s, admin] = await siteWithAdmin();
    const [mina, lucy, arthur, quincey] = [
      await s.signUp('mina'),
      await s.signUp('lucy'),
      await s.signUp('arthur'),
      await s.signUp('quincey'),
    ];
    for (const name of ['friends', 'family']) await s.call(admin, 'addTag', { name });
    const version = await versionIn(s, admin, 'pending', quincey.id);
    await s.call(admin, 'denyUser', { userId: quincey.id });
    const { results } = await s.call(admin, 'decideUsers', {
      decisions: [
        { userId: mina.id, decision: 'approve', tags: ['friends'], version },
        { userId: quincey.id, decision: 'approve', tags: ['friends'], version },
        { userId: lucy.id, decision: 'approve', tags: ['Family', 'friends'], version },
        { userId: arthur.id, decision: 'deny', version },
        { userId: 'nobody', decision: 'deny' },
      ],
    });
    expect(
      results.map(({ user, failure }) => [user?.username, user?.status, user?.approvedTags, failure]),
    ).toEqual([
      ['mina', 'approved', ['friends'], null],
      ['quincey', 'denied', [], 'Somebody else has denied quincey in the meantime.'],
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
    // An unknown tag refuses the whole request, before anything is written.
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

  it('when two admins decide about the same people at once, each is decided once', async () => {
    const s = await site();
    const admins = [await s.admin(), await s.admin()];
    const people: string[] = [];
    for (let index = 0; index < 12; index += 1) people.push((await s.signUp()).id);
    // All are in the same state.
    const version = await versionIn(s, admins[0] ?? null, 'pending', people[0] ?? '');
    const answers = await Promise.all(
      admins.map((admin, index) =>
        s.call(admin, 'decideUsers', {
          decisions: (index === 0 ? people : people.toReversed()).map(userId => ({
            userId,
            decision: index === 0 ? 'approve' : 'deny',
            version,
          })),
        }),
      ),
    );
    const done = answers.flatMap(({ results }) => results.filter(({ failure }) => failure === null));
    expect(done.map(({ userId }) => userId).sort()).toEqual(people.sort());
  });

  it('62. after an approval and a denial at once, one of them holds', async () => {
    const [s, admin] = await siteWithAdmin();
    for (let round = 0; round < 10; round += 1) {
      const user = await s.signUp();
      s.wait(1);
      const version = await versionIn(s, admin, 'pending', user.id);
      const results = await Promise.allSettled([
        s.call(admin, 'approveUser', { userId: user.id, version }),
        s.call(admin, 'denyUser', { userId: user.id, version }),
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

  it('the dates of decisions are in order also when they race', async () => {
    const s = await site();
    // Each reads its own clock: the one that waits for the other must not date its decision before it.
    let time = s.deps.clock();
    const clock = () => {
      time += 1;
      return time;
    };
    const deps = { ...s.deps, clock };
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

  it('62. when tags are edited during an approval, one of the two sets holds', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('21. the site refuses to deny an admin and to remove the last one, also when requests race', async () => {
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

  it('15. a decision has no other fields, and no unknown tags', async () => {
    const [s, admin] = await siteWithAdmin();
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
});
