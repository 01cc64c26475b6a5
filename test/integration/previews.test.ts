import sharp from 'sharp';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { upload } from '../support/storage.ts';

describeEngines(({ siteWithAdmin }) => {
  it('the preview of an essay has the first picture of the text whose size is known, and how long reading takes', async () => {
    const [s, admin] = await siteWithAdmin();
    const words = 'A river is a road. '.repeat(400);
    await publish(s, admin, essay({ content: words }));
    const [plain] = (await s.call(null, 'getPosts', {})).posts;
    expect(plain).toMatchObject({ picture: null, minutes: 6 });
    const img = '<img width="400" height="300" src="/a.jpg" alt="a &#x3C;img b">';
    await s.deps.db
      .updateTable('posts')
      .set({ html: `<p title="<img src=&quot;x&quot;">${words}</p>${img}<img src="/b.jpg">`, version: 2 })
      .execute();
    // A tag inside an attribute is text. No picture is better than a wrong one.
    expect((await s.call(null, 'getPosts', {})).posts[0]).toMatchObject({ picture: null });
    await s.deps.db
      .updateTable('posts')
      .set({ html: `<p>${words}</p>${img}`, version: 3 })
      .execute();
    const picture = { src: '/a.jpg', sources: null, width: 400, height: 300 };
    expect((await s.call(null, 'getPosts', {})).posts[0]).toMatchObject({ picture });
  });

  it('the preview of an essay has the picture that its author has chosen, or none, in lists and link previews', async () => {
    const [s, admin] = await siteWithAdmin();
    const made = async (background: string) => {
      const picture = sharp({ create: { width: 40, height: 30, channels: 3, background } }).png();
      return (await upload(s, admin, `${background}.png`, await picture.toBuffer())).url;
    };
    const [first, second] = [await made('teal'), await made('tan')];
    const words = 'A river is a road. '.repeat(900);
    const content = `![one](${first})\n\n${words}\n\n![two](${second})`;
    const [postId = ''] = await publish(s, admin, essay({ content, cardPicture: second }));
    const shown = async () => {
      const [listed] = (await s.call(null, 'getPosts', {})).posts;
      const { post } = await s.call(null, 'getPost', { postId });
      const [, preview] =
        /og:image" content="[^"]*(\/files\/[\w-]+)/.exec(await (await s.request(`/post/${postId}`)).text()) ??
        [];
      const sources = [listed, post].map(each => each?.type === 'essay' && each.picture?.src);
      return { sources, preview };
    };
    const [, file = ''] = /^(\/files\/[\w-]+)/.exec(second) ?? [];
    expect(await shown()).toEqual({ sources: [second, second], preview: file });
    expect((await s.call(null, 'getPost', { postId })).post.cardPicture).toBeUndefined();
    expect((await s.call(admin, 'getPost', { postId })).post.cardPicture).toBe(second);
    const save = (cardPicture?: string | null, text = content) =>
      s.call(admin, 'updatePost', { ...essay({ content: text, cardPicture }), postId });
    // Left out, it stays; one that the text has lost makes room for the first.
    await save(undefined);
    expect((await shown()).sources).toEqual([second, second]);
    await save(undefined, `![one](${first})\n\n${words}`);
    expect((await shown()).sources).toEqual([first, first]);
    await save('none');
    expect(await shown()).toEqual({ sources: [undefined, undefined], preview: undefined });
    await save(null);
    expect((await shown()).sources).toEqual([first, first]);
  });
});
