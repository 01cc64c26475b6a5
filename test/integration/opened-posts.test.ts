import { expect, it } from 'vitest';
import type { ReadContext } from '../../server/access/context.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { createId } from '../../server/base/id.ts';
import { unguarded } from '../../server/db/transaction.ts';
import { noteOpened } from '../../server/reading/opened.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { saveSettings } from '../support/save-settings.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';

const minute = 60_000;

async function comment(s: Site, who: NonNullable<Person>, postId: string): Promise<void> {
  s.wait(minute);
  await s.call(who, 'addComment', { postId, content: 'A comment.', key: createId() });
}

const marks = async (s: Site, who: Person, postIds: string[]) =>
  await s.call(who, 'getReadingMarks', { postIds });
const kept = async (s: Site) =>
  await s.deps.db.selectFrom('opened_posts').selectAll().orderBy('post_id').execute();

describeEngines(({ site, migrated }) => {
  it('a reader sees which posts they have opened, and where others have commented since', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [a = '', b = ''] = await publish(s, admin, essay(), shortPost());
    expect(await marks(s, member, [a, b])).toEqual({
      isKept: true,
      opened: [],
      openedNow: [],
      withNewComments: [],
    });
    await s.call(member, 'noteOpened', { postIds: [a] });
    expect(await marks(s, member, [a, b])).toEqual({
      isKept: true,
      opened: [a],
      openedNow: [a],
      withNewComments: [],
    });
    // One's own comment is no news.
    await comment(s, member, a);
    expect((await marks(s, member, [a])).withNewComments).toEqual([]);
    await comment(s, admin, a);
    await comment(s, admin, b);
    expect((await marks(s, member, [a, b])).withNewComments).toEqual([a]);
    // Nor is one that they cannot read.
    await s.deps.db.updateTable('comments').set({ hidden_at: 1 }).where('user_id', '=', admin.id).execute();
    expect((await marks(s, member, [a, b])).withNewComments).toEqual([]);
    await s.deps.db.updateTable('comments').set({ hidden_at: null }).execute();
    s.wait(minute);
    await s.call(member, 'noteOpened', { postIds: [a, b] });
    const known = await marks(s, member, [a, b]);
    expect([known.opened.sort(), known.withNewComments]).toEqual([[a, b].sort(), []]);
    // Nobody else has any.
    expect((await marks(s, admin, [a, b])).opened).toEqual([]);
    expect(await refusal(marks(s, null, [a]))).toBe('unauthenticated');
  });

  it('opening a post is noted once a minute at most, and only if the reader may read it', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [a = '', closed = ''] = await publish(s, admin, essay(), essay({ tags: ['friends'] }));
    const { post: draft } = await s.call(admin, 'createPost', { ...essay(), isDraft: true });
    await s.call(member, 'noteOpened', { postIds: [a, closed, draft.id, 'nothing'] });
    await s.call(admin, 'noteOpened', { postIds: [draft.id] });
    const first = s.deps.clock();
    expect(await kept(s)).toEqual([
      { user_id: member.id, post_id: a, opened_at: first, first_opened_at: first },
    ]);
    s.wait(minute / 2);
    await s.call(member, 'noteOpened', { postIds: [a] });
    expect(await kept(s)).toMatchObject([{ opened_at: first }]);
    s.wait(minute);
    await s.call(member, 'noteOpened', { postIds: [a, a] });
    expect(await kept(s)).toMatchObject([{ opened_at: first + 1.5 * minute, first_opened_at: first }]);
  });

  it('a reader sees nothing of an opened post that was closed to them, nor of its comments', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [a = ''] = await publish(s, admin, essay());
    await s.call(member, 'noteOpened', { postIds: [a] });
    await s.call(admin, 'updatePost', { ...essay({ tags: ['friends'] }), postId: a });
    await comment(s, admin, a);
    expect(await marks(s, member, [a])).toMatchObject({ opened: [], withNewComments: [] });
    await s.call(admin, 'updatePost', { ...essay(), postId: a });
    expect(await marks(s, member, [a])).toMatchObject({ opened: [a], withNewComments: [a] });
    // Somebody who waits for approval reads no comments.
    const pending = await s.signUp();
    await s.call(pending, 'noteOpened', { postIds: [a] });
    await comment(s, admin, a);
    expect(await marks(s, pending, [a])).toMatchObject({ opened: [a], withNewComments: [] });
  });

  it('opened posts are in one’s own data, can be forgotten or turned off, and go with the account and the post', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [a = '', b = ''] = await publish(s, admin, essay(), essay());
    const note = async (who: Person, ...postIds: string[]) => await s.call(who, 'noteOpened', { postIds });
    await note(member, a, b);
    const { data } = await s.call(member, 'exportAccount', {});
    const openedAt = new Date(s.deps.clock()).toISOString();
    expect(data.openedPosts).toEqual([
      { postId: expect.any(String), openedAt, firstOpenedAt: openedAt },
      { postId: expect.any(String), openedAt, firstOpenedAt: openedAt },
    ]);
    await s.call(member, 'forgetOpened', {});
    expect(await kept(s)).toEqual([]);
    await note(member, a, b);
    expect(await s.call(member, 'setReadingSettings', { keepsOpened: false })).toEqual({
      showsPast: false,
      keepsOpened: false,
    });
    await note(member, a);
    expect(await kept(s)).toEqual([]);
    expect(await marks(s, member, [a])).toMatchObject({ isKept: false, opened: [] });
    await s.call(member, 'setReadingSettings', { keepsOpened: true });
    await note(member, a, b);
    await s.call(admin, 'deletePost', { postId: b });
    expect(await kept(s)).toMatchObject([{ post_id: a }]);
    await s.call(member, 'deleteAccount', { comments: 'keep' });
    expect(await kept(s)).toEqual([]);
  });

  it('a site that does not want it does not note who opens what', async () => {
    await using s = await quiet();
    const member = await s.member();
    const [a = ''] = await publish(s, await s.admin(), essay());
    await s.call(member, 'noteOpened', { postIds: [a] });
    expect(await kept(s)).toEqual([]);
    expect(await s.call(member, 'getReadingSettings', {})).toMatchObject({ mayKeepOpened: false });
  });

  it('opening a post changes the cached page of its reader at once, and no other', async () => {
    const s = await site();
    const [admin, member, other] = [await s.admin(), await s.member(), await s.member()];
    const [old = '', fresh = ''] = await publish(
      s,
      admin,
      essay({ title: 'Old' }),
      essay({ title: 'Fresh' }),
    );
    const page = async (who: Person) => await (await s.request('/', who)).text();
    const [before, before2, beforeVisitor] = [await page(member), await page(other), await page(null)];
    expect(before).not.toContain('New since you were here');
    await s.call(member, 'noteOpened', { postIds: [old] });
    s.wait(61 * minute);
    expect(await page(member)).toContain('New since you were here');
    expect([await page(other), await page(null)]).toEqual([before2, beforeVisitor]);
    // For an hour, the post that is opened now counts as new: others above the line may not be opened yet.
    await s.call(member, 'noteOpened', { postIds: [fresh] });
    expect(await page(member)).toContain('New since you were here');
    s.wait(61 * minute);
    expect(await page(member)).not.toContain('New since you were here');
  });

  it('a post that an older program has noted counts as opened long ago', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [a = ''] = await publish(s, admin, essay());
    await s.call(member, 'noteOpened', { postIds: [a] });
    await s.deps.db.updateTable('opened_posts').set({ first_opened_at: null }).execute();
    expect(await marks(s, member, [a])).toMatchObject({ opened: [a], openedNow: [] });
    s.wait(2 * minute);
    await s.call(member, 'noteOpened', { postIds: [a] });
    expect(await marks(s, member, [a])).toMatchObject({ opened: [a], openedNow: [] });
  });

  it('an admin turns the marks off for the site, and what was kept is deleted', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, essay());
    await s.call(member, 'noteOpened', { postIds: [postId] });
    await saveSettings(s, admin, { keepsOpened: 'false' });
    expect((await s.call(member, 'getReadingSettings', {})).mayKeepOpened).toBe(false);
    await s.call(member, 'noteOpened', { postIds: [postId] });
    // A post that was opened at the moment of the change: the settings were read before it.
    const settings: ReadContext['settings'] = s.deps.settings;
    const read = { ...(await settings()), keepsOpened: 'true' as const };
    const during: typeof settings = async trx => (trx === undefined ? read : await settings(trx));
    const viewer = await viewerOfUser(s.deps.db, member.id, new Set());
    await noteOpened({ ...s.deps, ...unguarded, settings: during }, viewer, [postId]);
    expect(await kept(s)).toEqual([]);
    await saveSettings(s, admin, { keepsOpened: 'true' });
    expect(await s.call(member, 'getReadingMarks', { postIds: [postId] })).toMatchObject({ opened: [] });
  });

  async function quiet() {
    const s = await openSite(await migrated(), { KEEP_OPENED_POSTS: 'false' });
    return { ...s, [Symbol.asyncDispose]: s.close };
  }
});

describeEngines(({ site }) => {
  it('members who want it see the last post of this day in each earlier year that they may read', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const dates = [
      '2025-01-01T05:00',
      '2025-01-01T09:00',
      '2024-01-01T23:59',
      '2023-01-02T00:00',
      '2020-01-01T00:00',
    ];
    const tags = [[], [], ['friends'], [], []];
    const ids = await publish(
      s,
      admin,
      ...dates.map((date, index) => essay({ title: date, tags: tags[index] ?? [] })),
    );
    for (const [index, postId] of ids.entries()) {
      const published_at = Date.parse(`${dates[index]}Z`);
      await s.deps.db.updateTable('posts').set({ published_at }).where('id', '=', postId).execute();
    }
    expect(await s.call(member, 'getOnThisDay', {})).toEqual({ isShown: false, posts: [] });
    const page = async (who: Person) => await (await s.request('/', who)).text();
    expect(await page(member)).not.toContain('On this day');
    for (const who of [admin, member]) await s.call(who, 'setReadingSettings', { showsPast: true });
    const titles = async (who: Person) =>
      (await s.call(who, 'getOnThisDay', {})).posts.map(({ year, title }) => [year, title]);
    const friendly = [
      [2025, dates[1]],
      [2024, dates[2]],
      [2020, dates[4]],
    ];
    expect(await titles(member)).toEqual(friendly);
    expect(await titles(admin)).toEqual(friendly);
    expect(await page(member)).toContain('On this day');
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', member.id).execute();
    expect(await titles(member)).toEqual([friendly[0], friendly[2]]);
    expect(await page(member)).not.toContain(dates[2]);
    // The next day is another one, although nothing has changed.
    s.wait(24 * 60 * minute);
    expect(await titles(member)).toEqual([[2023, dates[3]]]);
    expect(await page(member)).toContain(`>2023<`);
  });
});
