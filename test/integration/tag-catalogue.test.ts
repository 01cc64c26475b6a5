import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadTagCatalogue } from '../../server/access/audience.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { listAllPosts } from '../../server/posts/list.ts';
import { listManagedPosts } from '../../server/posts/manage.ts';
import { getPost } from '../../server/posts/read.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';

describeEngines(({ site, engine }) => {
  it.runIf(engine === 'postgres')(
    'the catalogue of tags has no combination without its tags while one is made',
    async () => {
      const s = await site();
      await publish(s, await s.admin(), shortPost('shut', ['friends']));
      const { db } = s.deps;
      const friends = await db.selectFrom('tags').select('id').executeTakeFirstOrThrow();
      const waiting = async () => {
        const { rows } = await sql`
        select 1 from pg_locks where relation = 'tag_sets'::regclass and not granted`.execute(db);
        return rows.length;
      };
      const { made, loading } = await db.transaction().execute(async trx => {
        // The catalogue waits for the combinations. What it reads beside them, it reads before this one is
        // committed.
        await sql`lock table tag_sets in access exclusive mode`.execute(trx);
        const loading = loadTagCatalogue(db);
        await expect.poll(waiting).toBe(1);
        const made = await trx
          .insertInto('tag_sets')
          .values({ key: 'one that is made now' })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx.insertInto('tag_set_tags').values({ tag_set_id: made.id, tag_id: friends.id }).execute();
        return { made, loading };
      });
      expect((await loading).tagIdsIn(made.id)).toEqual([friends.id]);
    },
  );

  it('the catalogue of tags is completed for a post that has got a new combination since, which would look open to all', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member(['red', 'blue'])];
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    const { post } = await s.call(author, 'createPost', shortPost('here', ['red']));
    // As it was when they began to read.
    const before = await s.deps.catalogue();
    await s.call(author, 'updatePost', { ...shortPost('here', ['red', 'blue']), postId: post.id });
    const deps = { ...s.deps, catalogue: async () => before };
    for (const { id } of [author, admin]) {
      const viewer = await viewerOfUser(s.deps.db, id, before.defaultTagIds);
      const { tags, tagIds = [] } = await getPost(deps, viewer, post.id, { withContent: true });
      expect([tags, tagIds.map(tag => before.tags.get(tag)?.name)]).toEqual([['blue', 'red'], tags]);
      const managed = await listManagedPosts(deps, viewer, { filter: 'all', page: 1, search: '' });
      expect(managed.posts.map(found => found.tags)).toEqual([tags]);
      if (viewer.role !== 'admin') continue;
      const { shared } = await listAllPosts(deps, viewer, { page: 1 });
      expect(shared.posts.map(found => found.tags)).toEqual([tags]);
    }
  });
});
