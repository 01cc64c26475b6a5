import { expect, it } from 'vitest';
import { examine } from '../../server/doctor.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';

describeEngines('at the same moment', ({ site }) => {
  it('60. counts one like of one member, and one of each of many', async () => {
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
});
