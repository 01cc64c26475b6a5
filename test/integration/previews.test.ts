import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';

describeEngines('the preview of an essay', ({ site }) => {
  it('has the first picture of the text whose size is known, and how long reading takes', async () => {
    const s = await site();
    const admin = await s.admin();
    const words = 'A river is a road. '.repeat(400);
    await publish(s, admin, essay({ content: words }));
    const [plain] = (await s.call(null, 'getPosts', {})).posts;
    expect(plain).toMatchObject({ picture: null, minutes: 6 });
    const img = '<img width="400" height="300" src="/a.jpg" alt="a &#x3C;img b">';
    await s.deps.db
      .updateTable('posts')
      .set({ html: `<p title="<img src=&quot;x&quot;">${words}</p>${img}<img src="/b.jpg">`, version: 2 })
      .execute();
    // What stands within an attribute is no picture: then there is none, rather than a wrong one.
    expect((await s.call(null, 'getPosts', {})).posts[0]).toMatchObject({ picture: null });
    await s.deps.db
      .updateTable('posts')
      .set({ html: `<p>${words}</p>${img}`, version: 3 })
      .execute();
    const picture = { src: '/a.jpg', sources: null, width: 400, height: 300 };
    expect((await s.call(null, 'getPosts', {})).posts[0]).toMatchObject({ picture });
  });
});
