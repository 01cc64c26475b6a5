import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { refusal } from '../support/site.ts';

describeEngines(({ site }) => {
  it('a reader is told which of the posts that a browser keeps they may still read', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const [open = '', closed = ''] = await publish(s, admin, shortPost(), essay({ tags: ['friends'] }));
    const { post: draft } = await s.call(admin, 'createPost', { ...essay(), isDraft: true });
    const postIds = [open, closed, draft.id, 'missing'];
    const kept = async () => await s.call(member, 'getKeptPosts', { postIds });
    const before = await kept();
    expect(before.userId).toBe(member.id);
    expect(before.posts.map(({ postId }) => postId).sort()).toEqual([open, closed].sort());
    const { version = 0 } = before.posts.find(({ postId }) => postId === open) ?? {};
    await s.call(admin, 'updatePost', { ...shortPost('Other words.'), postId: open, version });
    await s.call(admin, 'setApprovedTags', { userId: member.id, tags: [] });
    expect((await kept()).posts).toEqual([{ postId: open, version: version + 1 }]);
    expect(await refusal(s.call(null, 'getKeptPosts', { postIds }))).toBe('unauthenticated');
    expect(await refusal(s.call(await s.signUp(), 'getKeptPosts', { postIds }))).toBe('permission-denied');
  });
});
