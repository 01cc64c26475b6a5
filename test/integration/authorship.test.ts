import { expect, it } from 'vitest';
import type { Post } from '../../contract/posts.ts';
import { type Viewer, viewerOfUser } from '../../server/access/viewer.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { createPost, updatePost } from '../../server/posts/write.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Person, Site } from '../support/site.ts';

type Named = NonNullable<Person>;

/** Posts name their authors to readers of several authors (docs/decisions/0022-authors.md). */
describeEngines('authorship', ({ site }) => {
  const author = async (s: Site, admin: Named, tags: readonly string[], name: string) => {
    const person = await s.member(tags, name);
    await s.call(admin, 'setAuthor', { userId: person.id, isAuthor: true });
    return person;
  };
  /** What the timeline calls the authors of its posts, newest first. */
  const names = async (s: Site, as: Person, filtTags: string[] = []) =>
    (await s.call(as, 'getPosts', { filtTags })).posts.map(post => post.authorUsername);
  const nameOn = async (s: Site, as: Person, postId: string) =>
    (await s.call(as, 'getPost', { postId })).post.authorUsername;
  const page = async (s: Site, as: Person, path: string) => await (await s.request(path, as)).text();

  /** An admin's open post, and one of lucy's for friends. */
  async function scene(s: Site) {
    const admin = await s.admin();
    const lucy = await author(s, admin, ['friends'], 'lucy');
    const [open = ''] = await publish(s, admin, essay({ title: 'Open' }));
    const [closed = ''] = await publish(s, lucy, shortPost('For friends', ['friends']));
    return { admin, lucy, open, closed, friend: await s.member(['friends']), stranger: await s.member() };
  }

  it('each post names its author to readers who may read posts of several authors', async () => {
    const s = await site();
    const { admin, open, closed, friend } = await scene(s);
    expect(await names(s, friend)).toEqual(['lucy', admin.username]);
    expect(await names(s, friend, ['friends'])).toEqual(['lucy']);
    expect([await nameOn(s, friend, open), await nameOn(s, friend, closed)]).toEqual([
      admin.username,
      'lucy',
    ]);
    const article = await page(s, friend, `/post/${closed}`);
    expect(article).toContain('<meta name="author" content="lucy">');
    expect(article).toContain('class="byline">by <!-- -->lucy<');
    expect(await page(s, friend, '/')).toContain('class="byline">by <!-- -->lucy<');
    const { posts } = await s.call(admin, 'listPosts', {});
    expect(posts.map(post => post.authorUsername)).toEqual(['lucy', admin.username]);
  });

  it('a post may be edited by its author and by admins, and says so to each', async () => {
    const s = await site();
    const { admin, lucy, open, closed, friend } = await scene(s);
    const mayEdit = async (as: Person, postId: string) =>
      (await s.call(as, 'getPost', { postId })).post.can.edit;
    for (const [person, ...expected] of [
      [admin, true, true],
      [lucy, false, true],
      [friend, false, false],
    ] as const) {
      expect([await mayEdit(person, open), await mayEdit(person, closed)]).toEqual(expected);
    }
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: false });
    expect(await mayEdit(lucy, closed)).toBe(false);
  });

  it('the answer to a save names its author as later ones do, and loads all tags only where they may change', async () => {
    const s = await site();
    const { admin, lucy } = await scene(s);
    let loads = 0;
    const db = s.deps.db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('published_count')) loads += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const loadsOf = async (save: (context: typeof s.deps, viewer: Viewer) => Promise<Post>, as: Named) => {
      await s.deps.changes.caughtUp();
      const viewer = await viewerOfUser(s.deps.db, as.id, (await s.deps.catalogue()).defaultTagIds);
      loads = 0;
      const saved = await save({ ...s.deps, db }, viewer);
      expect(saved.authorUsername).toBe(await nameOn(s, as, saved.id));
      return { id: saved.id, loads };
    };
    const input = (content: string, tags: string[]) => ({
      type: 'short' as const,
      content,
      tags,
      isDraft: false,
    });
    const creating = (tags: string[]) => (context: typeof s.deps, viewer: Viewer) =>
      createPost(context, viewer, input('New', tags));
    const saving = (id: string, tags: string[]) => (context: typeof s.deps, viewer: Viewer) =>
      updatePost(context, viewer, id, input('Changed', tags), undefined);
    const again = await loadsOf(creating(['friends']), lucy);
    expect(again.loads).toBe(0);
    expect((await loadsOf(creating(['friends']), admin)).loads).toBe(1);
    expect((await loadsOf(creating(['friends']), admin)).loads).toBe(0);
    expect((await loadsOf(creating(['family']), admin)).loads).toBe(1);
    expect((await loadsOf(saving(again.id, ['friends']), admin)).loads).toBe(0);
    expect((await loadsOf(saving(again.id, ['family']), admin)).loads).toBe(1);
  });

  it('a reader who may read only one author does not learn of another', async () => {
    const s = await site();
    const { lucy, open, stranger } = await scene(s);
    for (const reader of [stranger, null]) {
      expect(await names(s, reader)).toEqual([null]);
      expect(await nameOn(s, reader, open)).toBeNull();
      expect(await page(s, reader, `/post/${open}`)).not.toContain('byline');
    }
    const { posts } = await s.call(lucy, 'listPosts', {});
    expect(posts.map(post => post.authorUsername)).toEqual([null]);
    expect(await (await s.request('/feed.xml')).text()).not.toContain('<entry><author>');
  });

  it('the same page of a tag names its authors to one reader and not to another', async () => {
    const s = await site();
    const { admin, stranger, friend } = await scene(s);
    await s.setDefaultTags(['news']);
    await publish(s, admin, shortPost('News', ['news']));
    expect(await names(s, stranger, ['news'])).toEqual([null]);
    expect(await names(s, friend, ['news'])).toEqual([admin.username]);
    expect(await names(s, stranger, ['news'])).toEqual([null]);
  });

  it('cached answers name authors from the first post of a second author until the last one is deleted', async () => {
    const s = await site();
    const admin = await s.admin();
    const lucy = await author(s, admin, [], 'lucy');
    const reader = await s.member();
    const [first = ''] = await publish(s, admin, essay());
    const seen = async () => [
      await nameOn(s, null, first),
      await nameOn(s, reader, first),
      (await page(s, null, `/post/${first}`)).includes('byline'),
      (await page(s, null, '/')).includes('byline'),
      (await page(s, null, '/feed.xml')).includes(`<author><name>${admin.username}</name></author>`),
    ];
    const no = [null, null, false, false, false];
    const yes = [admin.username, admin.username, true, true, true];
    expect(await seen()).toEqual(no);
    const { post } = await s.call(lucy, 'createPost', { ...essay(), isDraft: true });
    expect(await seen()).toEqual(no);
    await s.call(lucy, 'updatePost', { ...essay(), postId: post.id });
    expect(await seen()).toEqual(yes);
    await s.call(admin, 'updatePost', { ...essay({ tags: ['secret'] }), postId: post.id });
    expect(await seen()).toEqual(no);
    await s.call(admin, 'updatePost', { ...essay(), postId: post.id });
    expect(await seen()).toEqual(yes);
    await s.call(lucy, 'deletePost', { postId: post.id });
    expect(await seen()).toEqual(no);
  });

  it('a renamed author has the new name immediately, and one whose account is deleted has none', async () => {
    const s = await site();
    const { admin, lucy, open, closed, friend } = await scene(s);
    await publish(s, lucy, shortPost('Open, too'));
    const seen = async () => [
      await names(s, friend),
      await nameOn(s, friend, closed),
      await nameOn(s, null, open),
      /by <!-- -->(\w+)</.exec(await page(s, null, '/'))?.[1],
    ];
    const mina = admin.username;
    expect(await seen()).toEqual([['lucy', 'lucy', mina], 'lucy', mina, 'lucy']);
    const renamed = { username: 'westenra', display_username: 'Westenra' };
    await s.deps.db.updateTable('users').set(renamed).where('id', '=', lucy.id).execute();
    expect(await seen()).toEqual([['Westenra', 'Westenra', mina], 'Westenra', mina, 'Westenra']);
    await s.deps.db.deleteFrom('users').where('id', '=', lucy.id).execute();
    // Of those whose accounts are there, one alone is left.
    expect(await seen()).toEqual([[null, null, null], null, null, undefined]);
  });

  it('an admin sees the authors of all drafts', async () => {
    const s = await site();
    const { admin, lucy } = await scene(s);
    const mary = await author(s, admin, [], 'mary');
    const { post } = await s.call(mary, 'createPost', { ...essay(), isDraft: true });
    expect(await nameOn(s, admin, post.id)).toBe('mary');
    expect((await s.call(admin, 'listPosts', { filter: 'drafts' })).posts).toMatchObject([
      { authorUsername: 'mary' },
    ]);
    await expect(nameOn(s, lucy, post.id)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('a mail about a new post names its author only to readers of several authors', async () => {
    const s = await site();
    const { admin, lucy, friend, stranger } = await scene(s);
    // What was published before there were subscribers is not the subject.
    await deliverDue(s.deps);
    for (const { id, username } of [friend, stranger]) {
      await s.deps.db
        .insertInto('subscriptions')
        .values({ user_id: id, email: `${username}@example.com`, created_at: s.deps.clock() })
        .execute();
    }
    const { smtp, deps } = await withSmtp(s);
    const bylines = () => new Map(smtp.mails.map(({ to, text }) => [to, /^By \w+/m.exec(text)?.[0]]));
    await publish(s, admin, shortPost('One more'));
    await deliverDue(deps);
    const [toFriend, toStranger] = [friend, stranger].map(({ username }) => `${username}@example.com`);
    expect(bylines()).toEqual(
      new Map([
        [toFriend, `By ${admin.username}`],
        [toStranger, undefined],
      ]),
    );
    await publish(s, lucy, essay({ title: 'All may read it' }));
    await deliverDue(deps);
    expect(bylines()).toEqual(
      new Map([
        [toFriend, 'By lucy'],
        [toStranger, 'By lucy'],
      ]),
    );
    expect(smtp.mails).toHaveLength(4);
  });
});
