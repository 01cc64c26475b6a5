import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';

/** Everything here hides `secretword`, and shows the rest. */
const written =
  'Rain *falls*.\n\n<!-- secretword -->\n\n[secretword]: /secretword "secretword"\n\n[^secretword]: secretword';
const readable = 'Rain *falls*.\n';

async function publishAll(s: Site, admin: Person) {
  const long = await s.call(admin, 'createPost', essay({ content: written }));
  const short = await s.call(admin, 'createPost', {
    type: 'short',
    content: written,
    tags: [],
    isDraft: false,
  });
  await s.call(admin, 'saveAbout', { content: `<!-- secretword -->\n\n${written}` });
  return { long: long.post.id, short: short.post.id };
}

describeEngines(({ siteWithAdmin }) => {
  it('what an author hides in Markdown is sent only to those who may edit the text, whoever requests it first', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member();
    const { long, short } = await publishAll(s, admin);
    const contents = async (as: Person) => {
      const { posts } = await s.call(as, 'getPosts', {});
      const listed = posts.find(post => post.id === short);
      return [
        (await s.call(as, 'getPost', { postId: long })).post.content,
        (await s.call(as, 'getPost', { postId: short })).post.content,
        listed?.type === 'short' && listed.content,
        (await s.call(as, 'getSettings', {})).about.content,
      ];
    };
    const ofAdmin = [written, written, written, `<!-- secretword -->\n\n${written}`];
    // An admin and a member who reads everything share the pages of the timeline.
    expect(await contents(admin)).toEqual(ofAdmin);
    for (const reader of [member, null]) expect(await contents(reader)).toEqual(Array(4).fill(readable));
    expect(await contents(admin)).toEqual(ofAdmin);
  });

  it('what an author hides in Markdown is in no page, feed or description, and pages contain no Markdown at all', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member();
    const { long, short } = await publishAll(s, admin);
    for (const as of [null, member, admin]) {
      for (const path of ['/', `/post/${long}`, `/post/${short}`, '/feed.xml']) {
        const body = await (await s.request(path, as)).text();
        expect(body, path).toContain(path === '/feed.xml' ? '&lt;em&gt;falls&lt;/em&gt;' : '<em>falls</em>');
        expect(body, path).not.toContain('secretword');
        expect(body, path).not.toContain('*falls*');
      }
    }
    expect(await (await s.request('/')).text()).toContain('<meta name="description" content="Rain falls.">');
  });

  it('what an author hides in Markdown is not sent if no Markdown is requested', async () => {
    const [s, admin] = await siteWithAdmin();
    const { long } = await publishAll(s, admin);
    const answers = [
      await s.call(admin, 'getPosts', { withContent: false }),
      await s.call(admin, 'getPost', { postId: long, withContent: false }),
      await s.call(admin, 'getSettings', { withContent: false }),
    ];
    expect(JSON.stringify(answers)).not.toMatch(/"content"|secretword/);
  });

  it('what an author hides in Markdown is kept when a program saves the text again that it received', async () => {
    const [s, admin] = await siteWithAdmin();
    const { long } = await publishAll(s, admin);
    const { post } = await s.call(admin, 'getPost', { postId: long });
    await s.call(admin, 'updatePost', { ...essay({ content: `${post.content}\n\nMore.` }), postId: long });
    expect((await s.call(admin, 'getPost', { postId: long })).post.content).toBe(`${written}\n\nMore.`);
    expect((await s.call(null, 'getPost', { postId: long })).post.content).toBe(`${readable}\nMore.\n`);
  });
});
