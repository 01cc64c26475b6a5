import { Client } from 'pg';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import type { Person } from '../support/site.ts';
import { waitingLocks } from '../support/waiting-locks.ts';

describeEngines(({ site, siteWithAdmin, engine }) => {
  it('60. the site counts one like of one member, and one of each of many', async () => {
    const s = await site();
    const [postId = ''] = await publish(s, await s.admin(), essay());
    const member = await s.member();
    await Promise.all(Array.from({ length: 50 }, () => s.call(member, 'setLike', { postId, liked: true })));
    expect((await s.call(member, 'getPost', { postId })).post.likeCount).toBe(1);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => s.call(member, 'setLike', { postId, liked: index % 2 === 0 })),
    );
    const many = await Promise.all(Array.from({ length: 30 }, () => s.member()));
    await Promise.all(many.map(person => s.call(person, 'setLike', { postId, liked: true })));
    expect(await examine(s.deps)).toEqual([]);
  });

  it('the site lets admins move posts between the same tags in opposite directions', async () => {
    const [s, admin] = await siteWithAdmin();
    const tags = ['red', 'blue'];
    const one = (index: number) => ({ content: `${index}`, tags: [tags[index % 2] ?? ''] });
    const ids = await publish(s, admin, ...Array.from({ length: 8 }, (_, index) => essay(one(index))));
    for (let round = 1; round <= 3; round += 1) {
      await Promise.all(
        ids.map((postId, index) => s.call(admin, 'updatePost', { ...essay(one(index + round)), postId })),
      );
    }
    expect(await examine(s.deps)).toEqual([]);
  });

  it.runIf(engine === 'postgres')(
    'the site counts comments exactly when an author deletes one while its writer deletes the account with all of them',
    async () => {
      const s = await site();
      const [author, writer, other] = [await s.member(), await s.member(), await s.member()];
      await s.call(await s.admin(), 'setAuthor', { userId: author.id, isAuthor: true });
      const [postId = ''] = await publish(s, author, essay());
      const add = (by: Person) => s.call(by, 'addComment', { postId, content: 'x' });
      const [{ comment }] = [await add(writer), await add(writer), await add(other)];
      const holder = new Client({ connectionString: s.config.databaseUrl });
      await holder.connect();
      const waiting = async () => (await holder.query(waitingLocks)).rows.length;
      await holder.query('begin');
      await holder.query('select 1 from posts where id = $1 for update', [postId]);
      const deleted = s.call(author, 'deleteComment', { commentId: comment.id });
      await expect.poll(waiting).toBe(1);
      const left = s.call(writer, 'deleteAccount', { comments: 'delete' });
      await expect.poll(waiting).toBe(2);
      await holder.query('commit');
      await Promise.all([deleted, left]);
      await holder.end();
      expect(await examine(s.deps)).toEqual([]);
    },
  );
});
