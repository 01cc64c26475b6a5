import { expect, it } from 'vitest';
import type { Post } from '../../contract/post.ts';
import { type Viewer, viewerOfUser } from '../../server/access/viewer.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { createPost, updatePost } from '../../server/posts/write.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { recordQueries } from '../support/queries.ts';
import { changeUser } from '../support/rows.ts';
import { saveSettings } from '../support/save-settings.ts';
import type { Person, Site } from '../support/site.ts';

type Named = NonNullable<Person>;

/** Whether posts name their authors is one setting (docs/decisions/0027-names-of-authors.md). */
describeEngines(({ site, siteWithAdmin }) => {
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

  /** An admin's open post, and one of lucy's for friends, so that posts name their authors. */
  async function scene(s: Site) {
    const admin = await s.admin();
    const lucy = await author(s, admin, ['friends'], 'lucy');
    const [open = ''] = await publish(s, admin, essay({ title: 'Open' }));
    const [closed = ''] = await publish(s, lucy, shortPost('For friends', ['friends']));
    return { admin, lucy, open, closed, friend: await s.member(['friends']) };
  }

  it('posts name their authors to every reader once somebody besides the first admin has published', async () => {
    const [s, admin] = await siteWithAdmin();
    const lucy = await author(s, admin, ['friends'], 'lucy');
    const reader = await s.member();
    const [first = ''] = await publish(s, admin, essay());
    s.wait(1_000);
    const seen = async () => [
      await nameOn(s, null, first),
      await nameOn(s, reader, first),
      (await names(s, admin))[0],
      (await page(s, null, `/post/${first}`)).includes('byline'),
      (await page(s, null, '/')).includes('byline'),
      (await page(s, null, '/feed.xml')).includes(`<author><name>${admin.username}</name></author>`),
    ];
    const no = [null, null, null, false, false, false];
    const mina = admin.username;
    expect(await seen()).toEqual(no);
    const draft = { ...shortPost('For friends', ['friends']), isDraft: true };
    const { post } = await s.call(lucy, 'createPost', draft);
    expect(await seen()).toEqual(no);
    // An admin publishes it, but it is lucy's.
    await s.call(admin, 'updatePost', { ...draft, isDraft: false, postId: post.id });
    expect(await seen()).toEqual([mina, mina, 'lucy', true, true, true]);
    await s.call(lucy, 'deletePost', { postId: post.id });
    expect(await seen()).toEqual([mina, mina, mina, true, true, true]);
    expect(await page(s, null, `/post/${first}`)).toContain(`<meta name="author" content="${mina}">`);
  });

  it('an admin decides whether posts name their authors, and later posts do not change it', async () => {
    const s = await site();
    const { admin, lucy, open, friend } = await scene(s);
    const decide = (as: Person, namesAuthors: 'true' | 'false') => saveSettings(s, as, { namesAuthors });
    const { values } = await s.call(admin, 'getSiteSettings', {});
    expect(values.namesAuthors).toBe('true');
    await expect(decide(lucy, 'false')).rejects.toMatchObject({ code: 'permission-denied' });
    expect(await nameOn(s, friend, open)).toBe(admin.username);
    const { version } = await decide(admin, 'false');
    expect(await decide(admin, 'false')).toMatchObject({ values: { namesAuthors: 'false' }, version });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'setting-changed' });
    expect(entries).toMatchObject([{ thing: { name: 'Names of authors' }, before: 'true', after: 'false' }]);
    await publish(s, lucy, shortPost('One more'));
    expect(await names(s, friend)).toEqual([null, null, null]);
    expect(await page(s, null, '/')).not.toContain('byline');
    await s.call(admin, 'undoSiteSettings', { version });
    expect(await names(s, friend)).toEqual(['lucy', 'lucy', admin.username]);
  });

  it('a change before the first post of another author can be taken back, and posts still name their authors', async () => {
    const [s, admin] = await siteWithAdmin();
    await saveSettings(s, admin, { tagline: 'Letters' });
    const lucy = await author(s, admin, [], 'lucy');
    await publish(s, lucy, shortPost());
    const { version, values } = await s.call(admin, 'getSiteSettings', {});
    expect(values).toMatchObject({ tagline: 'Letters', namesAuthors: 'true' });
    const undone = await s.call(admin, 'undoSiteSettings', { version });
    expect(undone.values).toMatchObject({ tagline: '', namesAuthors: 'true' });
    expect(await names(s, null)).toEqual(['lucy']);
  });

  it('the first admin is the oldest account that is one', async () => {
    const [s, admin] = await siteWithAdmin();
    s.wait(1_000);
    const second = await s.member();
    await s.call(admin, 'setAdmin', { userId: second.id, isAdmin: true });
    await s.call(second, 'setAdmin', { userId: admin.id, isAdmin: false });
    await publish(s, second, essay());
    expect(await names(s, null)).toEqual([null]);
    await s.call(second, 'setAdmin', { userId: admin.id, isAdmin: true });
    await publish(s, second, essay());
    expect(await names(s, null)).toEqual([second.username, second.username]);
  });

  it('posts that do not name their authors tell readers no account either, only those who may edit them', async () => {
    const s = await site();
    const { admin, lucy, closed, friend } = await scene(s);
    await s.call(lucy, 'addComment', { postId: closed, content: 'Mine.' });
    const idOn = async (as: Person) => (await s.call(as, 'getPost', { postId: closed })).post.authorId;
    const idIn = async (as: Person, input = {}) => (await s.call(as, 'getPosts', input)).posts[0]?.authorId;
    const seen = async () => [
      await idOn(friend),
      await idIn(friend),
      await idOn(lucy),
      await idOn(admin),
      await idIn(admin, { isAdmin: true }),
    ];
    expect(await seen()).toEqual(Array(5).fill(lucy.id));
    await saveSettings(s, admin, { namesAuthors: 'false' });
    expect(await seen()).toEqual([null, null, lucy.id, lucy.id, lucy.id]);
    // Viewers share the timeline.
    expect([await idIn(lucy), await idIn(admin)]).toEqual([null, null]);
    const { post } = await s.call(lucy, 'createPost', shortPost('Another', ['friends']));
    expect(post.authorId).toBe(lucy.id);
  });

  it('lists of those who manage posts name authors who are not the caller', async () => {
    const s = await site();
    const { admin, lucy } = await scene(s);
    const listed = async (as: Person) =>
      (await s.call(as, 'listPosts', {})).posts.map(post => post.authorUsername);
    await saveSettings(s, admin, { namesAuthors: 'false' });
    expect(await listed(admin)).toEqual(['lucy', null]);
    expect(await listed(lucy)).toEqual([null]);
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
    const { plugin, queries } = recordQueries();
    const db = s.deps.db.withPlugin(plugin);
    const loadsOf = async (save: (context: typeof s.deps, viewer: Viewer) => Promise<Post>, as: Named) => {
      await s.deps.changes.caughtUp();
      const viewer = await viewerOfUser(s.deps.db, as.id, (await s.deps.catalogue()).defaultTagIds);
      queries.length = 0;
      const saved = await save({ ...s.deps, db }, viewer);
      const loads = queries.filter(
        node => node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('published_count'),
      ).length;
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
      updatePost(context, viewer, id, input('Changed', tags), {});
    const again = await loadsOf(creating(['friends']), lucy);
    expect(again.loads).toBe(0);
    expect((await loadsOf(creating(['friends']), admin)).loads).toBe(0);
    expect((await loadsOf(creating(['family']), admin)).loads).toBe(1);
    expect((await loadsOf(saving(again.id, ['friends']), admin)).loads).toBe(0);
    expect((await loadsOf(saving(again.id, ['family']), admin)).loads).toBe(0);
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
    await changeUser(s, lucy.id, renamed);
    expect(await seen()).toEqual([['Westenra', 'Westenra', mina], 'Westenra', mina, 'Westenra']);
    await s.deps.db.deleteFrom('users').where('id', '=', lucy.id).execute();
    expect(await seen()).toEqual([[null, null, mina], null, mina, mina]);
  });

  it('a mail about a new post names its author where posts do', async () => {
    const s = await site();
    const { admin, friend } = await scene(s);
    // Sends what was announced before there were subscribers.
    await deliverDue(s.deps);
    await s.deps.db
      .insertInto('subscriptions')
      .values({ user_id: friend.id, email: 'friend@example.com', created_at: s.deps.clock() })
      .execute();
    const { deliver } = await withSmtp(s);
    const bylines = async () => (await deliver()).map(({ text }) => /^By \w+/m.exec(text)?.[0]);
    await publish(s, admin, shortPost('One more'));
    expect(await bylines()).toEqual([`By ${admin.username}`]);
    await saveSettings(s, admin, { namesAuthors: 'false' });
    await publish(s, admin, shortPost('Without a name'));
    expect(await bylines()).toEqual([undefined]);
  });
});
