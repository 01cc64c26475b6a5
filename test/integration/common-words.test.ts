import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';

describeEngines('a search for a word that most posts have', ({ site }) => {
  it('is answered from the newest posts, in their order, and one for a rare word with the index', async () => {
    const s = await site();
    const admin = await s.admin();
    for (let index = 0; index < 30; index += 1) {
      await publish(s, admin, shortPost(index % 3 === 0 ? `Sun ${index}` : `Rainy ${index}`));
      s.wait(1_000);
    }
    const found = async (search: string, page = 1) => {
      const { posts, hasNextPage } = await s.call(admin, 'listPosts', { search, page });
      return [...posts.map(post => post.title ?? post.excerpt), hasNextPage];
    };
    const rainy = Array.from({ length: 30 }, (_, index) => 29 - index)
      .filter(index => index % 3 !== 0)
      .map(index => `Rainy ${index}`);
    expect(await found('rain')).toEqual([...rainy.slice(0, 10), true]);
    expect(await found('rain', 2)).toEqual([...rainy.slice(10), false]);
    // Where its first words do not tell whether a post is found, more of it is read, and of a very long one
    // the index asked.
    await publish(s, admin, essay({ title: 'Long', content: `${'word '.repeat(500)} rain` }));
    expect(await found('rain')).toEqual(['Long', ...rainy.slice(0, 9), true]);
    s.wait(1_000);
    await publish(s, admin, essay({ title: 'Very long', content: `${'other '.repeat(15_000)} rain` }));
    expect(await found('rain')).toEqual(['Very long', 'Long', ...rainy.slice(0, 8), true]);
    await s.call(admin, 'deletePost', {
      postId: (await s.call(admin, 'listPosts', { search: 'other' })).posts[0]?.id ?? '',
    });
    expect(await found('word')).toEqual(['Long', false]);
    expect(await found('rain 29')).toEqual(['Rainy 29', false]);
    // Without the index what is common is found all the same, and what is rare is not.
    await s.call(admin, 'deletePost', {
      postId: (await s.call(admin, 'listPosts', { search: 'word' })).posts[0]?.id ?? '',
    });
    await sql`delete from post_search`.execute(s.deps.db);
    expect(await found('rain')).toEqual([...rainy.slice(0, 10), true]);
    expect(await found('rain 29')).toEqual([false]);
  });
});
