import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import { migrations } from '../../server/db/migrations/index.ts';
import { startJobs } from '../../server/jobs.ts';
import { indexWaiting } from '../../server/search/index-posts.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { merging } from '../support/merging.ts';
import { openSite, type Person, type Site } from '../support/site.ts';

/** How many posts the page of a search shows. */
const found = async (s: Site, q: string, as: Person = null) => {
  const page = await s.request(`/search?q=${q}`, as);
  return (await page.text()).match(/href="\/post\//g)?.length ?? 0;
};

const merge = async (s: Site, admin: Person, from: string, into: string) => {
  const { merge, seen } = await merging(s, admin)(from, into);
  await s.call(admin, 'mergeTag', { ...merge, seen });
};

const waiting = async ({ deps: { db } }: Site) =>
  (await db.selectFrom('posts_to_index').select('post_id').execute()).length;

describeEngines(({ siteWithAdmin, location, engine }) => {
  /** A site with posts of the tag boats, and an empty tag ships, both open to visitors. */
  const siteWithBoats = async (posts = 1) => {
    const [s, admin] = await siteWithAdmin();
    for (const name of ['boats', 'ships']) await s.call(admin, 'addTag', { name });
    await s.call(admin, 'setDefaultTags', { tags: ['boats', 'ships'] });
    for (let at = 0; at < posts; at += 1)
      await publish(s, admin, shortPost(`A walk by river ${at}.`, ['boats']));
    return [s, admin] as const;
  };

  it('a visitor finds the posts of a merged tag all the time, and by the name of the other once they are indexed again', async () => {
    const [s, admin] = await siteWithBoats();
    await merge(s, admin, 'boats', 'ships');
    // Each of these pages is cached.
    expect([await found(s, 'river'), await found(s, 'ships'), await found(s, 'boats')]).toEqual([1, 0, 0]);
    expect(await examine(s.deps)).toEqual([]);
    await indexWaiting(s.deps);
    expect([await found(s, 'river'), await found(s, 'ships'), await found(s, 'boats')]).toEqual([1, 1, 0]);
    expect(await waiting(s)).toBe(0);
  });

  it('who may no longer read posts after a merge finds none of them, and who now may finds them, before they are indexed again', async () => {
    const [s, admin] = await siteWithBoats();
    await s.call(admin, 'setDefaultTags', { tags: ['boats'] });
    const member = await s.member(['ships']);
    expect(await found(s, 'river')).toBe(1);
    await merge(s, admin, 'boats', 'ships');
    expect([await found(s, 'river'), await found(s, 'river', member)]).toEqual([0, 1]);
    await s.call(admin, 'setDefaultTags', { tags: ['ships'] });
    expect(await found(s, 'river')).toBe(1);
  });

  it('a failure to index posts again fails no merge, and the next run completes it', async () => {
    const [s, admin] = await siteWithBoats(45);
    const { db } = s.deps;
    const failing =
      engine === 'sqlite'
        ? ["create trigger failing before insert on post_search_rows begin select raise(abort, 'full'); end"]
        : [
            "create function failing() returns trigger language plpgsql as $$ begin raise 'full'; end $$",
            'create trigger failing before insert on post_search for each row execute function failing()',
          ];
    for (const statement of failing) await sql.raw(statement).execute(db);
    await merge(s, admin, 'boats', 'ships');
    await expect(indexWaiting(s.deps)).rejects.toThrow('full');
    expect([await waiting(s), await found(s, 'river')]).toEqual([45, 10]);
    const mended = engine === 'sqlite' ? 'drop trigger failing' : 'drop function failing cascade';
    await sql.raw(mended).execute(db);
    await indexWaiting(s.deps);
    expect([await waiting(s), await found(s, 'ships')]).toEqual([0, 10]);
  });

  it('others go on between two posts that are indexed, and no two long posts share a transaction', async () => {
    const [s, admin] = await siteWithBoats(21);
    const { db } = s.deps;
    const content = 'river '.repeat(10_000);
    const essays = Array.from({ length: 3 }, () => essay({ content, tags: ['boats'] }));
    const long = await publish(s, admin, ...essays);
    await merge(s, admin, 'boats', 'ships');
    const { postSearch } = dialectOf(db);
    const write = postSearch.write.bind(postSearch);
    let turn = 0;
    let immediate = setImmediate(function next() {
      turn += 1;
      immediate = setImmediate(next);
    });
    // What waits is counted outside of the transaction, so it changes with the next one.
    const indexed: { turn: number; ids: string[]; left: number }[] = [];
    const spy = vi.spyOn(postSearch, 'write').mockImplementation(async (trx, entries) => {
      indexed.push({ turn, ids: entries.map(entry => entry.post_id), left: await waiting(s) });
      await write(trx, entries);
    });
    await indexWaiting(s.deps);
    spy.mockRestore();
    clearImmediate(immediate);
    expect(indexed.map(({ ids }) => ids.length)).toEqual(Array(24).fill(1));
    expect(new Set(indexed.map(one => one.turn)).size).toBe(24);
    const transactionOf = (post: string) => indexed.find(({ ids }) => ids.includes(post))?.left;
    expect(new Set(long.map(transactionOf)).size).toBe(3);
    expect(new Set(indexed.map(({ left }) => left)).size).toBeLessThan(8);
    expect([await waiting(s), await found(s, 'ships')]).toEqual([0, 10]);
  });

  it('a server indexes by itself what a merge has left to it', async () => {
    const [s, admin] = await siteWithBoats();
    await merge(s, admin, 'boats', 'ships');
    const stop = startJobs(s.deps);
    await expect.poll(() => waiting(s), { timeout: 60_000 }).toBe(0);
    await stop();
    expect(await found(s, 'ships')).toBe(1);
  });

  it('posts that an earlier version has indexed are found after a merge', async () => {
    const place = await location();
    const name = '0093-posts-to-index';
    const added = migrations[name];
    if (added === undefined) throw new Error('There is no such migration.');
    const later = Object.entries(migrations).filter(([other]) => other >= name);
    for (const [other] of later) delete migrations[other];
    let admin: Person = null;
    try {
      const before = await openSite(place);
      admin = await before.admin();
      await before.setDefaultTags(['boats', 'ships']);
      await publish(before, admin, shortPost('A walk by river.', ['boats']));
      await before.close();
    } finally {
      Object.assign(migrations, Object.fromEntries(later));
    }
    const s = await openSite(place);
    await merge(s, admin, 'boats', 'ships');
    expect([await found(s, 'river'), await found(s, 'ships')]).toEqual([1, 0]);
    await indexWaiting(s.deps);
    expect(await found(s, 'ships')).toBe(1);
    await s.close();
  });

  // The other engine keeps the words of a post in its row.
  if (engine === 'postgres') return;

  it('no word of deleted posts stays in the index after a merge', async () => {
    const [s, admin] = await siteWithBoats();
    await publish(s, admin, shortPost('Another walk.', ['boats']), shortPost('A third.', ['ships']));
    const { db } = s.deps;
    // All files of an archive may have the same time.
    await db.updateTable('posts').set({ published_at: 1_700_000_000_000 }).execute();
    const remove = async (most: number) => {
      const { posts } = await s.call(admin, 'getPosts', {});
      for (const post of posts.slice(0, most)) await s.call(admin, 'deletePost', { postId: post.id });
    };
    await merge(s, admin, 'boats', 'ships');
    await remove(1);
    await indexWaiting(s.deps);
    await remove(2);
    const { rows } = await sql`select id from post_search_docsize`.execute(db);
    expect(rows).toEqual([]);
    const walks = await sql`select rowid from post_search where post_search match '"walk"'`.execute(db);
    expect(walks.rows).toEqual([]);
  });
});
