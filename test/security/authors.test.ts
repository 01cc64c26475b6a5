import { Client } from 'pg';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, shortPost } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';
import { objectPath } from '../support/multipart.ts';
import { type Person, refusal, type Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { waitingLocks } from '../support/waiting-locks.ts';

/**
 * Authors (issue 16, point 5; docs/decisions/0022): they write their own, with what they may read, and
 * nothing more.
 */

async function openScene(s: Site) {
  const admin = await s.admin();
  for (const name of ['friends', 'secret']) await s.call(admin, 'addTag', { name });
  const author = await s.member(['friends'], 'lucy');
  await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
  return { admin, author, member: await s.member(['friends']) };
}

const write = async (s: Site, by: Person, input: Parameters<typeof essay>[0] = {}) =>
  (await s.call(by, 'createPost', essay(input))).post.id;

describeEngines(({ site, engine }) => {
  it('authors announce sixty posts an hour at most; drafts and admins have no such limit', async () => {
    const s = await site();
    const { admin, author } = await openScene(s);
    for (let post = 0; post < 60; post += 1) await write(s, author);
    expect(await refusal(s.call(author, 'createPost', essay()))).toBe('resource-exhausted');
    const draft = await write(s, author, { isDraft: true });
    const publishing = s.call(author, 'updatePost', { ...essay(), postId: draft });
    expect(await refusal(publishing)).toBe('resource-exhausted');
    await write(s, admin);
    s.wait(3_600_000);
    await s.call(author, 'updatePost', { ...essay(), postId: draft });
  });

  it('authors write, edit and delete their own posts, and change nothing of others', async () => {
    const s = await site();
    const { admin, author, member } = await openScene(s);
    const own = await write(s, author, { tags: ['friends'], isDraft: true });
    for (const by of [member, null, await s.denied()]) {
      expect(await refusal(s.call(by, 'getPost', { postId: own }))).toBe('not-found');
    }
    const written = '<!-- a note to myself -->\n\nText.';
    await s.call(author, 'updatePost', { ...essay({ content: written, tags: ['friends'] }), postId: own });
    // Who may edit it is given what they wrote; a reader is not.
    expect((await s.call(author, 'getPost', { postId: own })).post.content).toBe(written);
    expect((await s.call(member, 'getPost', { postId: own })).post.content).not.toContain('note');

    const others = {
      open: await write(s, admin, { content: written }),
      closed: await write(s, admin, { tags: ['secret'] }),
      draft: await write(s, admin, { isDraft: true }),
    };
    expect((await s.call(author, 'getPost', { postId: others.open })).post.content).not.toContain('note');
    const refused = { open: 'permission-denied', closed: 'permission-denied', draft: 'not-found' } as const;
    for (const [name, postId] of Object.entries(others)) {
      const expected = refused[name as keyof typeof refused];
      expect(await refusal(s.call(author, 'updatePost', { ...essay(), postId }))).toBe(expected);
      expect(await refusal(s.call(author, 'deletePost', { postId }))).toBe(expected);
      expect(await refusal(s.call(author, 'listLikes', { postId }))).toBe(expected);
    }
    const { posts } = await s.call(author, 'listPosts', {});
    expect(posts.map(post => post.id)).toEqual([own]);
    expect((await s.call(author, 'listPosts', { search: 'Text' })).posts.map(post => post.id)).toEqual([own]);
    expect(await refusal(s.call(author, 'getPosts', { isAdmin: true }))).toBe('permission-denied');
    await s.call(author, 'deletePost', { postId: own });
    expect((await s.call(author, 'listPosts', {})).posts).toEqual([]);
  });

  it('authors use only tags that they may read, add none, and open nothing that an admin has closed', async () => {
    const s = await site();
    const { admin, author } = await openScene(s);
    // A tag that there is, and one that there is not: nothing tells them apart.
    const messages: string[] = [];
    for (const tag of ['secret', 'made up']) {
      const call = s.call(author, 'createPost', shortPost('x', [tag]));
      await expect(call).rejects.toThrow(tag);
      messages.push(await call.then(String, (error: Error) => error.message.replace(tag, '...')));
      for (const ask of ['describeAudience', 'previewPostTags'] as const) {
        const input = ask === 'describeAudience' ? { tags: [tag] } : { tags: [tag], seenTags: [] };
        expect(await refusal(s.call(author, ask, input as never))).toBe('invalid-argument');
      }
    }
    expect(messages[0]).toContain('only tags that you may read yourself');
    expect(messages[0]).toBe(messages[1]);
    const { tags } = await s.call(admin, 'getManagedTags', {});
    expect(tags.map(tag => tag.name)).toEqual(['friends', 'secret']);

    // An admin closes a post of theirs: they still read and edit it, and cannot open it again.
    const postId = await write(s, author, { tags: ['friends'] });
    await s.call(admin, 'updatePost', { ...essay({ tags: ['friends', 'secret'] }), postId });
    expect((await s.call(author, 'getPost', { postId })).post.tags).toEqual(['friends', 'secret']);
    expect(await refusal(s.call(author, 'updatePost', { ...essay({ tags: ['friends'] }), postId }))).toBe(
      'permission-denied',
    );
    await s.call(author, 'updatePost', { ...essay({ tags: ['secret'] }), postId });
    // How many may read it is told, for the tags that it has.
    expect((await s.call(author, 'describeAudience', { tags: ['secret'] })).memberCount).toBe(0);
    // Who they are is not: authors see no list of members.
    expect(await refusal(s.call(author, 'listReaders', { tags: ['friends'] }))).toBe('permission-denied');
    // A tag that was taken from them since is neither given nor taken by them.
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: [] });
    expect(await refusal(s.call(author, 'createPost', shortPost('x', ['friends'])))).toBe('invalid-argument');
    // One that was deleted is not put back on the list.
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: ['friends'] });
    const kept = await write(s, author, { tags: ['friends'] });
    await s.call(admin, 'deleteTag', { tagId: tags[0]?.id ?? '' });
    expect(await refusal(s.call(author, 'createPost', shortPost('x', ['friends'])))).toBe('invalid-argument');
    // Neither by a save of a post that keeps it.
    await s.call(author, 'updatePost', { ...essay({ title: 'New', tags: ['friends'] }), postId: kept });
    expect((await s.call(admin, 'getManagedTags', {})).tags.map(tag => tag.name)).toEqual(['secret']);
  });

  it.runIf(engine === 'postgres')('authors make no tag of one that is renamed while they save', async () => {
    const s = await site();
    const { author } = await openScene(s);
    const admin = new Client({ connectionString: s.config.databaseUrl });
    await admin.connect();
    const waiting = async () => (await admin.query(waitingLocks)).rows.length;
    await admin.query("begin; update tags set name = 'pals', key = 'pals' where key = 'friends'");
    const saving = refusal(write(s, author, { tags: ['friends'] }));
    await expect.poll(waiting).toBe(1);
    await admin.query('commit');
    await admin.end();
    expect(await saving).toBe('invalid-argument');
    const tags = await s.deps.db.selectFrom('tags').select('name').orderBy('name').execute();
    expect(tags.map(tag => tag.name)).toEqual(['pals', 'secret']);
  });

  it('authors learn nothing about accounts, and decide about nobody', async () => {
    const s = await site();
    const { author, member } = await openScene(s);
    const { id: userId } = member;
    const refused = [
      s.call(author, 'getUsers', { list: 'approved' }),
      s.call(author, 'approveUser', { userId }),
      s.call(author, 'denyUser', { userId }),
      s.call(author, 'decideUsers', { decisions: [{ userId, decision: 'deny' }] }),
      s.call(author, 'setApprovedTags', { userId, tags: [] }),
      s.call(author, 'setAuthor', { userId, isAuthor: true }),
      s.call(author, 'setAdmin', { userId: author.id, isAdmin: true }),
      s.call(author, 'previewApprovedTags', { userId, tags: [] }),
      s.call(author, 'getHistory', {}),
      s.call(author, 'getManagedTags', {}),
      s.call(author, 'addTag', { name: 'x' }),
      s.call(author, 'saveAbout', { content: 'x' }),
      s.call(author, 'createInvitations', { tags: [], for: { uses: 1 } }),
      s.call(author, 'getMailState', {}),
    ];
    for (const call of refused) expect(await refusal(call)).toBe('permission-denied');
    for (const path of ['/admin', '/admin/tags', '/admin/history', '/admin/invitations']) {
      expect((await s.request(path, author, { redirect: 'manual' })).status).toBe(302);
    }
    expect((await s.request('/admin/posts', author)).status).toBe(200);
  });

  it('authors delete comments on their own posts, and no others', async () => {
    const s = await site();
    const { admin, author, member } = await openScene(s);
    const [own, other] = [await write(s, author), await write(s, admin)];
    const comment = async (postId: string) =>
      (await s.call(member, 'addComment', { postId, content: 'A comment' })).comment.id;
    const [onOwn, onOther] = [await comment(own), await comment(other)];
    const { comments } = await s.call(author, 'listComments', { postId: own });
    expect(comments.map(({ can }) => can.delete)).toEqual([true]);
    expect(await refusal(s.call(author, 'deleteComment', { commentId: onOther }))).toBe('permission-denied');
    await s.call(author, 'deleteComment', { commentId: onOwn });
    await s.call(member, 'setLike', { postId: own, liked: true });
    expect((await s.call(author, 'listLikes', { postId: own })).likes).toMatchObject([
      { username: member.username },
    ]);
  });

  it('authors upload their own files, and neither see, change nor replace those of others', async () => {
    const s = await site();
    const { admin, author, member } = await openScene(s);
    const others = (await upload(s, admin, 'posts/others.txt', 'others')).name;
    const own = (await upload(s, author, 'posts/own.txt', 'own')).name;
    const listed = await (await s.request('/v0/b/coterie/o?prefix=posts/', author)).json();
    expect(listed.items.map(({ name }: { name: string }) => name)).toEqual([own]);
    const status = async (method: string, path: string, by: Person, body?: string) =>
      (
        await s.request(objectPath(path), by, {
          method,
          ...(body && { body, headers: { 'content-type': 'application/json' } }),
        })
      ).status;
    expect(await status('GET', others, author)).toBe(404);
    expect(await status('DELETE', others, author)).toBe(404);
    expect(await status('PATCH', others, author, '{}')).toBe(404);
    await expect(upload(s, author, 'posts/others.txt', 'mine')).rejects.toThrow();
    expect(await status('DELETE', own, author)).toBe(204);
    await expect(upload(s, member, 'posts/member.txt', 'x')).rejects.toThrow();
  });

  it('authors lose their drafts, lists, streams and cached pages immediately with the role', async () => {
    const s = await site();
    const { admin, author } = await openScene(s);
    const draft = await write(s, author, { isDraft: true, title: 'Secret title' });
    const closed = await write(s, author, { tags: ['friends'], title: 'Closed title' });
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: [] });
    // Somebody with the same tags asks between: what is kept for the author is nobody else's.
    const twin = await s.member();
    for (const postId of [draft, closed]) {
      expect((await s.request(`/post/${postId}`, author)).status).toBe(200);
      await s.call(author, 'getPost', { postId });
      expect(await refusal(s.call(twin, 'getPost', { postId }))).toMatch(/not-found|permission-denied/);
      const page = await s.request(`/post/${postId}`, twin, { redirect: 'manual' });
      expect(await page.text()).not.toMatch(/Secret title|Closed title/);
    }
    const stream = new LiveStream(await s.request(`/live?post=${draft}`, author));
    const events = await stream.take(2);
    expect(events.map(event => event.name)).toContain('state');
    // Entries of one moment have no order.
    s.wait(1_000);
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: false });
    const after = await stream.take(2);
    expect(after.map(event => event.name).sort()).toEqual(['gone', 'viewer']);
    await stream.close();
    expect(await refusal(s.call(author, 'getPost', { postId: draft }))).toBe('not-found');
    expect(await refusal(s.call(author, 'getPost', { postId: closed }))).toBe('permission-denied');
    expect(await refusal(s.call(author, 'listPosts', {}))).toBe('permission-denied');
    expect(await refusal(s.call(author, 'updatePost', { ...essay(), postId: draft }))).toBe(
      'permission-denied',
    );
    expect((await s.request('/admin/posts', author, { redirect: 'manual' })).status).toBe(302);
    // Revoked and approved again, nobody is an author by it.
    s.wait(1_000);
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await s.call(admin, 'denyUser', { userId: author.id });
    const { user } = await s.call(admin, 'approveUser', { userId: author.id });
    expect(user.isAuthor).toBe(false);
    const { entries } = await s.call(admin, 'getHistory', { kind: 'role-changed', person: 'lucy' });
    expect(entries.map(({ before, after: now }) => `${before} ${now}`)).toEqual([
      'member author',
      'author member',
      'member author',
    ]);
  });

  it('an author has three hundred drafts at most', async () => {
    const s = await site();
    const { admin, author } = await openScene(s);
    const first = await write(s, author, { isDraft: true });
    const drafts = s.deps.db.selectFrom('posts').selectAll().where('id', '=', first);
    const { is_pinned, comments_closed, mails_beginning, ...row } = await drafts.executeTakeFirstOrThrow();
    const flags = {
      is_pinned: Boolean(is_pinned),
      comments_closed: Boolean(comments_closed),
      mails_beginning: Boolean(mails_beginning),
    };
    for (let n = 1; n < 300; n += 1)
      await s.deps.db
        .insertInto('posts')
        .values({ ...row, ...flags, id: `draft${n}`, save_key: null })
        .execute();
    expect(await refusal(write(s, author, { isDraft: true }))).toBe('failed-precondition');
    await write(s, author);
    await write(s, admin, { isDraft: true });
    await s.call(author, 'deletePost', { postId: first });
    await write(s, author, { isDraft: true });
  });

  it('a token of an author writes only with the scope for it', async () => {
    const s = await site();
    const { author } = await openScene(s);
    const call = async (token: string) => {
      const response = await s.request('/api/createPost', null, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ data: shortPost('By a program') }),
      });
      return response.status;
    };
    expect(await call((await s.makeToken(author, 'reads', ['read'])).token)).toBe(403);
    expect(await call((await s.makeToken(author, 'writes', ['write'])).token)).toBe(200);
  });
});
