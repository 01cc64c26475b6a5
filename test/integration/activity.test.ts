import { expect, it } from 'vitest';
import { activityPerPage } from '../../contract/constants.ts';
import { createId } from '../../server/base/id.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { joinAs, linkFor, newcomer } from '../support/invitations.ts';
import { changeUser } from '../support/rows.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

/** A comment as it stands in the table, a minute after the one before. */
async function comment(s: Site, who: NonNullable<Person>, postId: string, content: string): Promise<string> {
  s.wait(60_000);
  const id = createId();
  const row = { id, post_id: postId, user_id: who.id, content, created_at: s.deps.clock() };
  await s.deps.db.insertInto('comments').values(row).execute();
  return id;
}

async function like(s: Site, who: Person, ...postIds: string[]): Promise<void> {
  for (const postId of postIds) {
    s.wait(60_000);
    await s.call(who, 'setLike', { postId, liked: true });
  }
}

describeEngines(({ site }) => {
  it('the activity names an essay by its title and a short post by its first 100 characters', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    // One code point in two units each: cut between them, it would be broken.
    const long = '𝒜'.repeat(150);
    const ids = await publish(
      s,
      admin,
      essay({ title: 'On rivers' }),
      shortPost('a _brief_ **note**'),
      shortPost(long),
    );
    await like(s, member, ...ids);
    const { likes, nextCursor } = await s.call(member, 'getLikedPosts', {});
    expect(likes.map(({ postTitle, isCut }) => [postTitle, isCut])).toEqual([
      ['𝒜'.repeat(100), true],
      ['a brief note', false],
      ['On rivers', false],
    ]);
    expect(likes[0]?.likedAt).toBe(new Date(s.deps.clock()).toISOString());
    expect(nextCursor).toBeNull();
  });

  it('the activity lists only own comments, newest first, with the first 50 characters of the post', async () => {
    const s = await site();
    const [admin, member, other] = [await s.admin(), await s.member(), await s.member()];
    const [short = '', long = ''] = await publish(s, admin, shortPost('x'.repeat(51)), essay());
    await comment(s, member, short, 'first');
    await comment(s, other, short, 'of somebody else');
    await comment(s, member, long, 'second\n\nwith a line');
    const { comments } = await s.call(member, 'getOwnComments', {});
    expect(comments).toMatchObject([
      { content: 'second\n\nwith a line', postTitle: 'On rivers', isCut: false, postId: long },
      { content: 'first', postTitle: 'x'.repeat(50), isCut: true, postId: short },
    ]);
  });

  it('7. the activity leaves out posts that the reader may no longer see, and shows them again when they may', async () => {
    const s = await site();
    const [admin, friend] = [await s.admin(), await s.member(['friends'])];
    const [open = '', closed = '', gone = ''] = await publish(
      s,
      admin,
      shortPost('open'),
      shortPost('closed'),
      shortPost('gone'),
    );
    await like(s, friend, open, closed, gone);
    for (const id of [open, closed, gone]) await comment(s, friend, id, `about ${id}`);
    await s.call(admin, 'updatePost', { ...shortPost('closed', ['secret']), postId: closed });
    await s.call(admin, 'deletePost', { postId: gone });
    const titles = async (who: Person) => ({
      likes: (await s.call(who, 'getLikedPosts', {})).likes.map(each => each.postTitle),
      comments: (await s.call(who, 'getOwnComments', {})).comments.map(each => each.postTitle),
    });
    expect(await titles(friend)).toEqual({ likes: ['open'], comments: ['open'] });
    await s.call(admin, 'updatePost', { ...shortPost('closed', ['friends']), postId: closed });
    expect(await titles(friend)).toEqual({ likes: ['closed', 'open'], comments: ['closed', 'open'] });
    // Denied is a visitor's rights: comments are for the approved (decisions 9, 13).
    await changeUser(s, friend.id, { status: 'denied', denied_at: s.deps.clock() });
    expect(await titles(friend)).toEqual({ likes: ['open'], comments: [] });
  });

  it('the activity has full pages although some entries are left out, and all pages together equal the whole list', async () => {
    const s = await site();
    const [admin, friend] = [await s.admin(), await s.member(['friends'])];
    const posts = Array.from({ length: activityPerPage * 2 + 6 }, (_, n) =>
      shortPost(`post ${n}`, n % 3 === 0 ? ['friends'] : []),
    );
    const ids = await publish(s, admin, ...posts);
    await like(s, friend, ...ids);
    // All at one moment: only the id keeps them in order.
    await s.deps.db.updateTable('likes').set({ created_at: s.deps.clock() }).execute();
    for (const id of ids) await comment(s, friend, id, `about ${id}`);
    await s.deps.db.deleteFrom('approved_tags').execute();
    const readable = ids.filter((_, n) => n % 3 !== 0).sort();

    const pages = async (name: 'getLikedPosts' | 'getOwnComments') => {
      const found: string[] = [];
      const sizes: number[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof s.call<typeof name>>> = await s.call(friend, name, { after });
        const postIds = ('likes' in page ? page.likes : page.comments).map(each => each.postId);
        found.push(...postIds);
        sizes.push(postIds.length);
        after = page.nextCursor;
      } while (after !== null);
      return { found, sizes };
    };
    for (const name of ['getLikedPosts', 'getOwnComments'] as const) {
      const { found, sizes } = await pages(name);
      expect([...found].sort()).toEqual(readable);
      expect(sizes).toEqual([activityPerPage, readable.length - activityPerPage]);
    }
  });

  it('the activity is only for signed-in users, and refuses an invalid cursor', async () => {
    const s = await site();
    for (const name of ['getLikedPosts', 'getOwnComments', 'getSubscription'] as const) {
      expect(await refusal(s.call(null, name, {}))).toBe('unauthenticated');
    }
    const pending = await s.signUp();
    expect(await s.call(pending, 'getLikedPosts', {})).toEqual({ likes: [], nextCursor: null });
    expect(await refusal(s.call(pending, 'getLikedPosts', { after: "x' or 1" }))).toBe('invalid-argument');
  });
});

describeEngines(({ site, siteWithAdmin }) => {
  it('a subscription says whether its mails wait for the owner of the address, as who came by a link or waits for approval', async () => {
    const [s, admin] = await siteWithAdmin();
    const waits = async (who: Person) => (await s.call(who, 'getSubscription', {})).waits;
    expect(await waits(await s.signUp())).toBe(true);
    expect(await waits(await s.member())).toBe(false);
    const { token } = await linkFor(s, admin, 2);
    const joined = await joinAs(s, { ...newcomer('joined'), token });
    expect((await s.call(joined, 'setSubscription', { subscribed: true })).waits).toBe(true);
    await changeUser(s, joined.id, { email_verified: true });
    expect(await waits(joined)).toBe(false);
  });

  it('19. a subscription is of the account’s own address, and is safe to repeat', async () => {
    const s = await site();
    const member = await s.member([], 'lucy');
    const email = 'lucy@example.com';
    expect(await s.call(member, 'getSubscription', {})).toMatchObject({ isSubscribed: false, email });
    for (const subscribed of [true, true, false, false, true]) {
      expect(await s.call(member, 'setSubscription', { subscribed })).toMatchObject({
        isSubscribed: subscribed,
        email,
      });
    }
    // An address of somebody else's choosing is not taken.
    const forged = { subscribed: true, email: 'x@example.com' };
    expect(await refusal(s.call(member, 'setSubscription', forged))).toBe('invalid-argument');
    expect(await s.deps.db.selectFrom('subscriptions').selectAll().execute()).toMatchObject([
      { user_id: member.id, email, created_at: s.deps.clock() },
    ]);
  });

  it('a subscription is stored once after many requests at once', async () => {
    const s = await site();
    const member = await s.member();
    await Promise.all(
      Array.from({ length: 20 }, () => s.call(member, 'setSubscription', { subscribed: true })),
    );
    expect(await s.deps.db.selectFrom('subscriptions').selectAll().execute()).toHaveLength(1);
  });

  it('a subscription refuses an account without an address', async () => {
    const s = await site();
    const member = await s.member();
    await changeUser(s, member.id, { email: '' });
    expect(await s.call(member, 'getSubscription', {})).toMatchObject({ isSubscribed: false, email: null });
    const attempt = s.call(member, 'setSubscription', { subscribed: true });
    await expect(attempt).rejects.toThrow('No email address associated with this account');
    expect(await refusal(s.call(member, 'setSubscription', { subscribed: true }))).toBe(
      'failed-precondition',
    );
  });
});
