import sharp from 'sharp';
import { expect, it } from 'vitest';
import { feedIds } from '../../server/settings/feed-ids.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { holdAnswer } from '../support/hold-answer.ts';
import { openSite, type Person, type Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';

describeEngines(({ site, siteWithAdmin, migrated }) => {
  const textOf = async (opened: Site) => await (await opened.request('/feed.xml')).text();

  it('the feed holds what visitors may read, newest first, in full and with addresses that work anywhere', async () => {
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
    // The first strong letter of a post decides in which direction it is read.
    expect(feed).toContain('<content type="html">&lt;div dir=&quot;auto&quot;&gt;');
    expect(feed).not.toContain('riends');
  });

  it('the feed has the beginning of texts that are too long together, however they are escaped', async () => {
    const [s, admin] = await siteWithAdmin();
    // Each sign takes eleven bytes in the feed.
    const long = (title: string) => essay({ title, content: `${title} begins. ${'<& '.repeat(60_000)}` });
    const [old = ''] = await publish(
      s,
      admin,
      long('The old one'),
      shortPost('A short one'),
      long('The new one'),
    );
    const feed = await textOf(s);
    expect(Buffer.byteLength(feed)).toBeLessThan(2_200_000);
    expect(feed.match(/The (?:old|new) one begins\./g)).toHaveLength(2);
    expect(feed).toContain(`href=&quot;${s.config.publicUrl}/post/${old}&quot;&gt;Read it&lt;`);
    expect(feed.match(/Read it/g)).toHaveLength(1);
    expect(feed).toContain('A short one');
  });

  it('the feed makes every address absolute, also of smaller pictures, of places in a post and of a query', async () => {
    const [s, admin] = await siteWithAdmin();
    const bytes = await sharp({ create: { width: 1_000, height: 500, channels: 3, background: '#333' } })
      .jpeg()
      .toBuffer();
    const { url } = await upload(s, admin, 'bay.jpg', bytes);
    const content = `![A bay](${url})\n\nSee [below](#below), [page two](?page=2), [mail](mailto:a@b.example), [it](//c.example/x).\n\n## Below`;
    const [id] = await publish(s, admin, essay({ content }));
    const feed = (await textOf(s)).replaceAll('&quot;', '"');
    const { publicUrl } = s.config;
    const links = [...feed.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual(
      expect.arrayContaining([
        `${publicUrl}/post/${id}#user-content-${id}-below`,
        `${publicUrl}/post/${id}?page=2`,
        'mailto:a@b.example',
      ]),
    );
    expect(links.filter(href => !/^(?:[a-z]+:|\/\/)/.test(href ?? ''))).toEqual([]);
    const sources = / srcset="([^"]*)"/.exec(feed)?.[1]?.split(', ') ?? [];
    expect(sources.length).toBeGreaterThan(1);
    for (const source of sources) expect(source).toMatch(new RegExp(`^${publicUrl}${url}`));
  });

  it('the feed keeps the ids of its entries when the site moves to another address', async () => {
    const place = await migrated();
    const idsAt = async (publicUrl: string, act?: (s: Site) => Promise<void>) => {
      const s = await openSite(place, { PUBLIC_URL: publicUrl });
      await act?.(s);
      const ids = [...(await textOf(s)).matchAll(/<id>(.*?)<\/id>/g)].map(([, id]) => id);
      await s.close();
      return ids;
    };
    const posts: string[] = [];
    let author: Person | undefined;
    const day = 24 * 60 * 60_000;
    const write = async (s: Site) => {
      author ??= await s.admin();
      posts.push(...(await publish(s, author, essay())));
    };
    // Without a host of its own the site has no lasting ids yet.
    expect(await idsAt('http://localhost:3000', write)).toEqual([
      'http://localhost:3000/',
      `http://localhost:3000/post/${posts[0]}`,
    ]);
    // The clock of each of these sites begins at the same time.
    await idsAt('http://localhost:3000', async ({ deps }) => {
      await feedIds(deps.db, { publicUrl: 'http://old.example' }, deps.clock() + day);
    });
    const before = await idsAt('http://old.example', async s => {
      s.wait(2 * day);
      await write(s);
    });
    expect(before).toEqual([
      'http://old.example/',
      `tag:old.example,2026-01-02:post/${posts[1]}`,
      `http://old.example/post/${posts[0]}`,
    ]);
    expect(await idsAt('http://new.example')).toEqual(before);
  });

  it('the feed has tag URIs alone where the site begins with a host of its own', async () => {
    const s = await openSite(await migrated(), { PUBLIC_URL: 'https://blog.example' });
    const [id] = await publish(s, await s.admin(), essay());
    expect([...(await textOf(s)).matchAll(/<id>(.*?)<\/id>/g)].map(([, found]) => found)).toEqual([
      'tag:blog.example,2026-01-01:feed',
      `tag:blog.example,2026-01-01:post/${id}`,
    ]);
    await s.close();
  });

  it('the feed is found at the usual addresses', async () => {
    const s = await site();
    for (const path of ['/feed', '/rss.xml']) {
      const answer = await s.request(path, null, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([301, '/feed.xml']);
    }
  });

  it('1. the feed never contains more than a visitor may read, and loses a post immediately when it is restricted', async () => {
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

  it('the feed leaves out a post that is deleted while the feed is written', async () => {
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
