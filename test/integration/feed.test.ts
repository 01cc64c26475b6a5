import { expect, it } from 'vitest';
import { describeEngines } from '../engines.ts';
import { essay, publish, shortPost } from '../factories.ts';
import { holdAnswer } from '../hold-answer.ts';
import type { Site } from '../site.ts';

describeEngines('the feed', ({ site }) => {
  const textOf = async (opened: Site) => await (await opened.request('/feed.xml')).text();

  it('holds what visitors may read, newest first, in full and with addresses that work anywhere', async () => {
    const opened = await site();
    const admin = await opened.admin();
    const [teaId] = await publish(
      opened,
      admin,
      essay({ title: 'Tea & <biscuits>', content: 'See [the others](/tags/tea).' }),
      shortPost('The newer one'),
      shortPost('For friends', ['friends']),
    );
    const response = await opened.request('/feed.xml');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const feed = await response.text();
    expect(feed.match(/(?<=<entry>[\s\S]*?<title>).*?(?=<\/title>)/g)).toEqual([
      'The newer one',
      'Tea &amp; &lt;biscuits&gt;',
    ]);
    expect(feed).toContain(`<id>${opened.config.publicUrl}/post/${teaId}</id>`);
    expect(feed).toContain(`href=&quot;${opened.config.publicUrl}/tags/tea&quot;`);
    expect(feed).not.toContain('riends');
  });

  it('is found at the usual addresses', async () => {
    const s = await site();
    for (const path of ['/feed', '/rss.xml']) {
      const answer = await s.request(path, null, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([301, '/feed.xml']);
    }
  });

  it('1. never contains more than a visitor may read, and loses a post immediately when it is closed', async () => {
    const opened = await site();
    const admin = await opened.admin();
    const { post } = await opened.call(admin, 'createPost', shortPost('Open for now'));
    await opened.call(admin, 'createPost', shortPost('For friends', ['friends']));
    expect(await textOf(opened)).toContain('Open for now');
    const asAdmin = await opened.request('/feed.xml', admin);
    expect(await asAdmin.text()).not.toContain('For friends');
    expect(asAdmin.headers.get('cache-control')).toBe('private, no-cache');
    await opened.call(admin, 'deletePost', { postId: post.id });
    expect(await textOf(opened)).not.toContain('Open for now');
  });

  it('leaves out a post that is deleted while the feed is written', async () => {
    const opened = await site();
    const admin = await opened.admin();
    const [postId = ''] = await publish(opened, admin, essay({ title: 'Gone' }), essay({ title: 'Here' }));
    const listed = holdAnswer(opened, /sorted_at/);
    const asked = textOf(opened);
    await listed.isHeld;
    await opened.call(admin, 'deletePost', { postId });
    listed.goOn();
    const feed = await asked;
    expect([feed.includes('Here'), feed.includes('Gone')]).toEqual([true, false]);
  });
});
