import { expect, it } from 'vitest';
import { importItems, person, post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { joinAs, linkFor, mailedToken, newcomer } from '../support/invitations.ts';
import { changeUser } from '../support/rows.ts';
import { mailingSite } from '../support/sign-in-links.ts';
import { refusal, type Site } from '../support/site.ts';

const usernames = async ({ deps }: Site) =>
  (await deps.db.selectFrom('users').select('username').orderBy('username').execute()).map(
    row => row.username,
  );

/** Somebody of a source, who wrote a post and commented on it and liked it there. */
const ofSource = (fields: Parameters<typeof person>[1] = {}) => [
  person('ann', { isEmailVerified: false, audience: ['family'], ...fields }),
  post({
    personId: 'ann',
    audience: ['family'],
    comments: [{ id: 'c', personId: 'ann', content: 'Mine.', time: 1 }],
    likes: [{ personId: 'ann', time: 1 }],
  }),
];

const ownersOf = async ({ deps: { db } }: Site) => [
  (await db.selectFrom('posts').select('author_id as id').execute())[0]?.id,
  (await db.selectFrom('comments').select('user_id as id').execute())[0]?.id,
  (await db.selectFrom('likes').select('user_id as id').execute())[0]?.id,
];
const countsOf = async ({ deps: { db } }: Site) =>
  await db.selectFrom('posts').select(['like_count', 'comment_count']).executeTakeFirst();

describeEngines(({ migrated }) => {
  it('42. an account that waits and was never confirmed gets nothing of an imported person with its address, who takes its place', async () => {
    const s = await mailingSite(await migrated());
    const squatter = await s.signUp('ann');
    const [dry] = await importItems(s, ofSource(), { isDryRun: true });
    expect(await usernames(s)).toEqual(['ann']);
    const [told] = await importItems(s, ofSource());
    for (const item of [dry, told]) {
      expect(item).toMatchObject({ kind: 'person', outcome: 'created' });
      expect(item?.notes.join()).toContain('it takes the place of ann, who had signed up');
    }
    expect((await s.call(squatter, 'getViewer', {})).user).toBeNull();
    const ann = await s.deps.db
      .selectFrom('users')
      .selectAll()
      .where('email', '=', 'ann@example.com')
      .executeTakeFirstOrThrow();
    expect(ann).toMatchObject({ username: 'ann2', status: 'approved' });
    expect(await ownersOf(s)).toEqual([ann.id, ann.id, ann.id]);
    // Another import finds the person that it has imported.
    expect((await importItems(s, ofSource()))[0]).toMatchObject({ outcome: 'unchanged' });
  });

  it('42. an account that waits and was never confirmed keeps its place by no address that the site makes itself', async () => {
    const s = await mailingSite(await migrated());
    const squatter = await s.signUp('ann');
    for (const email of [`${squatter.id}.replaced@no-address.invalid`, 'ann@No-Address.invalid']) {
      const another = s.call(null, 'signUp', { ...newcomer('second'), email });
      expect([email, await refusal(another)]).toEqual([email, 'invalid-argument']);
    }
    expect((await importItems(s, ofSource()))[0]).toMatchObject({ outcome: 'created' });
  });

  it('an account that waits and was never confirmed is left alone by an import where it has confirmed its address, or was decided about', async () => {
    const s = await mailingSite(await migrated());
    const confirmed = await s.signUp('ann');
    await changeUser(s, confirmed.id, { email_verified: true });
    await s.member([], 'bob');
    const items = [person('ann', {}), person('bob', {})];
    for (const item of await importItems(s, items)) expect(item).toMatchObject({ outcome: 'kept' });
    expect((await s.call(confirmed, 'getViewer', {})).user?.username).toBe('ann');
  });

  it('an account that waits and was never confirmed keeps what an import brought for it when its owner joins by an invitation', async () => {
    const s = await mailingSite(await migrated());
    const admin = await s.admin();
    await importItems(s, ofSource({ status: 'pending', isSubscribed: true }));
    const before = await countsOf(s);
    // A second source finds it, and neither takes its place nor doubles it.
    expect((await importItems(s, [person('ann', {})]))[0]).toMatchObject({ outcome: 'unchanged' });
    await s.call(admin, 'createInvitations', { tags: [], for: [{ email: 'ann@example.com' }] });
    const token = await mailedToken(s, 'ann@example.com');
    const ann = await joinAs(s, { token, username: 'ann', name: 'Ann Kay' });
    expect(ann.status).toBe(200);
    expect(await usernames(s)).toEqual(['ann', admin.username].sort());
    expect(await ownersOf(s)).toEqual([ann.id, ann.id, ann.id]);
    expect(await countsOf(s)).toEqual(before);
    expect(before).toEqual({ like_count: 1, comment_count: 1 });
    expect((await s.call(ann, 'getSubscription', {})).isSubscribed).toBe(true);
    expect((await importItems(s, ofSource()))[0]).toMatchObject({ outcome: 'unchanged' });
  });
});

describeEngines(({ migrated }) => {
  it('42. an account that joined by a link for several people gets nothing of an imported person with its address until it has confirmed that', async () => {
    const s = await mailingSite(await migrated());
    const { token } = await linkFor(s, await s.admin(), 5);
    const { id } = await joinAs(s, { token, ...newcomer('ann') });
    const [dry] = await importItems(s, ofSource(), { isDryRun: true });
    const [told] = await importItems(s, ofSource());
    for (const item of [dry, told])
      expect(item).toMatchObject({ outcome: 'kept', reason: expect.stringContaining('never confirmed') });
    expect(await ownersOf(s)).not.toContain(id);
    await changeUser(s, id, { email_verified: true });
    await importItems(s, ofSource());
    await importItems(s, [post({ id: 'two', personId: 'ann' })]);
    const posts = await s.deps.db.selectFrom('posts').select('author_id').execute();
    expect(posts.map(row => row.author_id)).toContain(id);
  });
});
