import { expect, it } from 'vitest';
import { postsPerPage } from '../../contract/constants.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';

/** Adds posts of the combinations of these posts, in turn, four at a time at the same moment. */
async function addPosts({ deps: { db } }: Site, like: readonly string[], count: number) {
  const rows = await db.selectFrom('posts').select(['id', 'tag_set_id']).execute();
  const sets = like.map(id => rows.find(row => row.id === id)?.tag_set_id ?? 0);
  const posts = Array.from({ length: count }, (_, index) => ({
    id: `made${(index * 7_919) % count}`,
    type: 'short' as const,
    tag_set_id: sets[index % sets.length] ?? 0,
    published_at: 1_000 + Math.floor(index / 4),
    created_at: 1_000,
    content: '',
    html: '',
    text: '',
  }));
  for (let from = 0; from < count; from += 500) {
    await db
      .insertInto('posts')
      .values(posts.slice(from, from + 500))
      .execute();
  }
  for (const set of new Set(sets)) {
    const added = posts.filter(post => post.tag_set_id === set).length;
    await db
      .updateTable('tag_sets')
      .set(eb => ({ published_count: eb('published_count', '+', added) }))
      .where('id', '=', set)
      .execute();
  }
}

/** The ids of all posts but those of one combination, newest first, as the database has them. */
async function timelineWithout({ deps: { db } }: Site, hidden: number) {
  const rows = await db.selectFrom('posts').select(['id', 'published_at', 'tag_set_id']).execute();
  return rows
    .filter(row => row.tag_set_id !== hidden)
    .toSorted((a, b) => Number(b.published_at) - Number(a.published_at) || (a.id < b.id ? 1 : -1))
    .map(row => row.id);
}

describeEngines(({ siteWithAdmin }) => {
  it('a page deep in a long timeline holds the posts that follow those of the page before, whatever was published, deleted or closed', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['family'], 'lucy');
    const [open = '', family = '', work = ''] = await publish(
      s,
      admin,
      shortPost('Open'),
      shortPost('Family', ['family']),
      shortPost('Work', ['work']),
    );
    await addPosts(s, [open, family, work, open, family], 3_000);
    const closed = await s.deps.db
      .selectFrom('posts')
      .select('tag_set_id')
      .where('id', '=', work)
      .executeTakeFirstOrThrow();
    const shown = async (who: Person, page: number) =>
      (await s.call(who, 'getPosts', { page })).posts.map(post => post.id);
    const holds = async () => {
      const expected = await timelineWithout(s, closed.tag_set_id);
      for (const page of [100, 101, 102, 140, 167, 180]) {
        const first = (page - 1) * postsPerPage;
        expect([page, await shown(member, page)]).toEqual([
          page,
          expected.slice(first, first + postsPerPage),
        ]);
      }
    };
    await holds();
    await publish(s, admin, shortPost('New'), shortPost('New for the family', ['family']));
    await holds();
    const [, , third = '', , fifth = ''] = await timelineWithout(s, closed.tag_set_id);
    await s.call(admin, 'deletePost', { postId: third });
    await holds();
    await s.deps.db
      .updateTable('posts')
      .set({ tag_set_id: closed.tag_set_id })
      .where('id', '=', fifth)
      .execute();
    await holds();
  });
});
