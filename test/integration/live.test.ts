import { expect, it } from 'vitest';
import { postAccesses } from '../../server/access/posts.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { readUpdates } from '../../server/live/post-updates.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { openLive } from '../support/live.ts';
import { recordQueries } from '../support/queries.ts';
import { openSite, type Person } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('the live stream is an event stream that nobody may store', async () => {
    const s = await site();
    const { status, headers, body } = await s.request('/live', await s.admin());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    await body?.cancel();
  });

  it('the live stream sends the state, then every comment that is added or deleted, and likes', async () => {
    const s = await site();
    const [admin, author, reader] = [await s.admin(), await s.member([], 'lucy'), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const first = (await s.call(author, 'addComment', { postId, content: 'first' })).comment;
    const streams = {
      admin: await openLive(s, admin, postId),
      author: await openLive(s, author, postId),
      reader: await openLive(s, reader, postId),
    };
    for (const stream of Object.values(streams)) {
      expect(await stream.take(2)).toMatchObject([
        { name: 'viewer' },
        { name: 'state', data: { postId, commentCount: 1 } },
      ]);
    }
    s.wait(1_000);
    const { comment } = await s.call(author, 'addComment', { postId, content: 'second' });
    const no = { delete: false, edit: false, report: false, moderate: false };
    const capabilities: Record<string, typeof no> = {
      admin: { ...no, delete: true, moderate: true },
      author: { ...no, delete: true, edit: true },
      reader: { ...no, report: true },
    };
    for (const [who, stream] of Object.entries(streams)) {
      expect(await stream.until('comments')).toEqual({
        postId,
        added: [{ ...comment, can: capabilities[who] }],
        removed: [],
        commentCount: 2,
        likeCount: 0,
        version: 2,
        closedAt: null,
      });
    }
    await s.call(admin, 'deleteComment', { commentId: first.id });
    expect(await streams.reader.until('comments')).toMatchObject({
      added: [],
      removed: [first.id],
      commentCount: 1,
    });
    await s.call(author, 'setLike', { postId, liked: true });
    expect(await streams.reader.until('comments')).toMatchObject({ added: [], removed: [], likeCount: 1 });
  });

  it('the live stream lets each of several admins change their own comments alone', async () => {
    const s = await site();
    const admins = [await s.admin(), await s.admin()];
    const [postId = ''] = await publish(s, admins[0] ?? null, shortPost());
    const streams = await Promise.all(admins.map(admin => openLive(s, admin, postId)));
    for (const stream of streams) await stream.take(2);
    for (const [writer, admin] of admins.entries()) {
      await s.call(admin, 'addComment', { postId, content: 'mine' });
      for (const [reader, stream] of streams.entries()) {
        const { added } = await stream.until('comments');
        expect(added.map(({ can }) => can.edit)).toEqual([reader === writer]);
      }
    }
  });

  it('70. the live stream sends comments with an older date than the newest, as after the clock was set back', async () => {
    const s = await site();
    const [admin, reader] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    await s.call(admin, 'addComment', { postId, content: 'first' });
    const stream = await openLive(s, reader, postId);
    await stream.until('state');
    s.wait(-3_600_000);
    await s.call(admin, 'addComment', { postId, content: 'earlier' });
    expect((await stream.until('comments')).added).toMatchObject([{ content: 'earlier' }]);
  });

  it('the live stream reads no comments of posts that no reader of a stream may read', async () => {
    const s = await site();
    const [admin, reader] = [await s.admin(), await s.member()];
    const [shared = '', friends = ''] = await publish(s, admin, shortPost(), shortPost('x', ['friends']));
    const { plugin, queries: asked } = recordQueries();
    const db = s.deps.db.withPlugin(plugin);
    const aboutComments = () =>
      asked.map(query => JSON.stringify(query)).filter(query => query.includes('"comments"'));
    const news = async (ids: string[], hasReader: (id: string) => boolean) => {
      asked.length = 0;
      const changed = new Map(ids.map(id => [id, new Set(['comment'])]));
      return await readUpdates({ ...s.deps, db }, changed, hasReader);
    };
    expect((await news([friends], () => false)).get(friends)).toMatchObject({
      hasReader: false,
      removed: ['comment'],
    });
    expect(aboutComments()).toEqual([]);
    expect([...(await news([friends, shared], id => id === shared)).keys()].sort()).toEqual(
      [friends, shared].sort(),
    );
    expect(aboutComments()).not.toEqual([]);
    expect(aboutComments().filter(query => query.includes(friends))).toEqual([]);
    const stream = await openLive(s, reader, friends, shared);
    expect(await stream.take(3)).toMatchObject([
      { name: 'viewer' },
      { name: 'gone', data: { postId: friends, reason: 'permission-denied' } },
      { name: 'state', data: { postId: shared } },
    ]);
    await stream.close();
  });

  it('the live stream sends nothing about posts that the reader may not read, and nothing to visitors', async () => {
    const [s, admin] = await siteWithAdmin();
    const [open1 = '', friends = ''] = await publish(s, admin, shortPost(), shortPost('shut', ['friends']));
    const { post: draft } = await s.call(admin, 'createPost', { ...shortPost('draft'), isDraft: true });
    expect((await s.request(`/live?post=${open1}`)).status).toBe(204);
    expect((await s.request(`/live?post=${open1}`, await s.denied())).status).toBe(204);
    const foreign = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await s.request(`/live?post=${open1}`, admin, foreign)).status).toBe(403);
    expect((await s.request('/live?post=%2e%2e', admin)).status).toBe(400);

    const refusals = async (person: Person) =>
      (await (await openLive(s, person, open1, friends, draft.id, 'nothing')).take(5))
        .slice(1)
        .map(event => (event.name === 'gone' ? event.data.reason : event.name));
    // A draft is what no post is, also for somebody who may read no comments.
    expect(await refusals(await s.signUp())).toEqual([
      'permission-denied',
      'permission-denied',
      'not-found',
      'not-found',
    ]);
    expect(await refusals(await s.member())).toEqual([
      'state',
      'permission-denied',
      'not-found',
      'not-found',
    ]);
    expect(await refusals(await s.member(['friends']))).toEqual(['state', 'state', 'not-found', 'not-found']);
    expect(await refusals(admin)).toEqual(['state', 'state', 'state', 'not-found']);
  });

  it('38. the live stream sends an approval to an open tab, and ends with a denial', async () => {
    const s = await site();
    const [admin, pending] = [await s.admin(), await s.signUp()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const waiting = await openLive(s, pending, postId);
    expect(await waiting.take(2)).toMatchObject([
      { name: 'viewer', data: { can: { comment: false } } },
      { name: 'gone', data: { reason: 'permission-denied' } },
    ]);
    await approveUser(s.deps, pending.id);
    expect(await waiting.next()).toMatchObject({ name: 'viewer', data: { can: { comment: true } } });

    const stream = await openLive(s, pending, postId);
    await stream.until('state');
    await denyUser(s.deps, pending.id);
    await s.call(admin, 'addComment', { postId, content: 'secret' });
    expect(await stream.next()).toMatchObject({ name: 'viewer', data: { user: null } });
    expect(await stream.take(5)).toMatchObject([]);
    expect(await waiting.take(5)).toMatchObject([{ name: 'viewer', data: { user: null } }]);
  });

  it('7. the live stream ends for a post when its reader loses a tag, when it is retagged or deleted, and with the session', async () => {
    const s = await site();
    const [admin, member, other] = [await s.admin(), await s.member(['friends']), await s.member()];
    const [friends = '', retagged = '', deleted = ''] = await publish(
      s,
      admin,
      shortPost('shut', ['friends']),
      shortPost('open'),
      shortPost('open'),
    );
    const stream = await openLive(s, member, friends);
    await stream.until('state');
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', member.id).execute();
    expect(await stream.until('gone')).toEqual({ postId: friends, reason: 'permission-denied' });
    await s.call(admin, 'addComment', { postId: friends, content: 'secret' });

    const others = await openLive(s, other, retagged, deleted);
    await others.take(3);
    await s.call(admin, 'updatePost', { ...shortPost('now shut', ['friends']), postId: retagged });
    expect(await others.until('gone')).toEqual({ postId: retagged, reason: 'permission-denied' });
    await s.call(admin, 'deletePost', { postId: deleted });
    expect(await others.until('gone')).toEqual({ postId: deleted, reason: 'not-found' });
    await s.call(other, 'signOut', {});
    expect(await others.take(5)).toMatchObject([{ name: 'viewer', data: { user: null } }]);
    // What came after the tag was lost never reached the first stream: the next thing it hears is its own
    // end.
    await s.call(member, 'signOut', {});
    expect(await stream.take(5)).toMatchObject([{ name: 'viewer', data: { user: null } }]);
  });

  it('the live stream does not end for a combination of tags that was added during an update', async () => {
    const s = await site();
    const [admin, reader, other] = [
      await s.admin(),
      await s.member(['red', 'blue']),
      await s.member(['red']),
    ];
    const [postId = ''] = await publish(s, admin, shortPost('here', ['red']));
    // As it was when the update began.
    const before = await s.deps.catalogue();
    await s.call(admin, 'updatePost', { ...shortPost('here', ['red', 'blue']), postId });
    const accesses = await postAccesses({ ...s.deps, catalogue: async () => before }, [postId]);
    const refusals = [admin, reader, other].map(async ({ id }) => {
      const viewer = await viewerOfUser(s.deps.db, id, new Set());
      return accesses.get(postId)?.decide(viewer).refusal;
    });
    expect(await Promise.all(refusals)).toEqual([undefined, undefined, 'permission-denied']);
  });

  it('the live stream sends what another process commits', async () => {
    const place = await migrated();
    const [one, two] = [await openSite(place), await openSite(place)];
    try {
      const [admin, reader] = [await one.admin(), await one.member()];
      const [postId = ''] = await publish(one, admin, shortPost());
      const stream = await openLive(one, reader, postId);
      await stream.until('state');
      await two.call(admin, 'addComment', { postId, content: 'from elsewhere' });
      expect((await stream.until('comments')).added).toMatchObject([{ content: 'from elsewhere' }]);
      await denyUser(two.deps, reader.id);
      expect(await stream.until('viewer')).toMatchObject({ user: null });
    } finally {
      await one.close();
      await two.close();
    }
  });
});
