import { expect, it } from 'vitest';
import { lockEditable, lockReadable, readingIn } from '../../server/access/posts.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { describeEngines } from '../support/engines.ts';

const short = { type: 'short' as const, content: 'A walk', isDraft: false };

describeEngines(({ siteWithAdmin }) => {
  it('a save that waited for one with new tags finds the post', async () => {
    const [s, admin] = await siteWithAdmin();
    const { post } = await s.call(admin, 'createPost', { ...short, tags: ['walks'] });
    const { defaultTagIds } = await s.deps.catalogue();
    const viewer = await viewerOfUser(s.deps.db, admin.id, defaultTagIds);
    // As one that loaded the tags, and then waited for another save.
    const within = await readingIn(s.deps);
    await s.call(admin, 'updatePost', { ...short, tags: ['sea', 'walks'], postId: post.id });
    const locked = s.deps.db
      .transaction()
      .execute(trx => lockEditable(within(trx), viewer, post.id).then(() => 'locked'));
    await expect(locked).resolves.toBe('locked');
  });

  it('a member whose like waited until the post was closed to them is refused', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['walks']);
    const { post } = await s.call(admin, 'createPost', { ...short, tags: ['walks'] });
    const { defaultTagIds } = await s.deps.catalogue();
    const viewer = await viewerOfUser(s.deps.db, member.id, defaultTagIds);
    const within = await readingIn(s.deps);
    await s.call(admin, 'updatePost', { ...short, tags: ['sea'], postId: post.id });
    const locked = s.deps.db.transaction().execute(trx => lockReadable(within(trx), viewer, post.id));
    await expect(locked).rejects.toMatchObject({ code: 'permission-denied' });
  });
});
