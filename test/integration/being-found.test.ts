import { expect, it } from 'vitest';
import { countSitemaps, listSitemap } from '../../server/reading/sitemap.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { saveSettings } from '../support/save-settings.ts';
import { openSite, type Person, refusal, type Site } from '../support/site.ts';

const textOf = async (s: Site, path: string, as: Person = null) => await (await s.request(path, as)).text();

/** The data for search engines on a page. */
async function dataOn(s: Site, path: string, as: Person = null): Promise<unknown> {
  const json = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(await textOf(s, path, as))?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('the sitemap lists what is open to all, and not a byte differs by what is not', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const [a = '', b = ''] = await publish(s, admin, essay(), shortPost());
    const before = await textOf(s, '/sitemap.xml');
    const day = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
    expect(before).toBe(`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://localhost:3000/</loc></url>
<url><loc>http://localhost:3000/archive</loc></url>
<url><loc>http://localhost:3000/post/${a}</loc><lastmod>${day(1)}</lastmod></url>
<url><loc>http://localhost:3000/post/${b}</loc><lastmod>${day(2)}</lastmod></url>
</urlset>
`);
    const [closed = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    await s.call(admin, 'createPost', { ...essay(), isDraft: true });
    for (const who of [null, member, admin]) expect(await textOf(s, '/sitemap.xml', who)).toBe(before);
    await s.call(admin, 'updatePost', { ...essay(), postId: closed });
    expect(await textOf(s, '/sitemap.xml')).toContain(closed);
    await s.call(admin, 'updatePost', { ...essay({ tags: ['friends'] }), postId: closed });
    s.wait(60_000);
    await s.call(admin, 'updatePost', { ...essay({ title: 'Edited' }), postId: a });
    expect(await textOf(s, '/sitemap.xml')).toContain(`${a}</loc><lastmod>${day(4)}`);
    expect(await textOf(s, '/sitemap.xml')).not.toContain(closed);
  });

  it('the sitemap is split into files that together hold each open post once', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(
      s,
      admin,
      essay(),
      essay({ tags: ['friends'] }),
      essay(),
      essay(),
      essay(),
      essay(),
    );
    const open = ids.filter((_, index) => index !== 1);
    expect(await countSitemaps(s.deps, 2)).toBe(3);
    const files = await Promise.all([1, 2, 3, 4].map(file => listSitemap(s.deps, file, () => {}, 2)));
    expect(files.map(posts => posts.map(post => post.id))).toEqual([
      open.slice(0, 2),
      open.slice(2, 4),
      open.slice(4),
      [],
    ]);
    expect(await textOf(s, '/sitemap-1.xml')).toContain(open[4]);
    expect((await s.request('/sitemap-2.xml')).status).toBe(404);
  });

  it('the sitemap of more than 10,000 posts names its files', async () => {
    const s = await site();
    const [first = ''] = await publish(s, await s.admin(), shortPost());
    const { db } = s.deps;
    const { tag_set_id } = await db
      .selectFrom('posts')
      .select('tag_set_id')
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    await db.updateTable('tag_sets').set({ published_count: 10_001 }).where('id', '=', tag_set_id).execute();
    const index = await textOf(s, '/sitemap.xml');
    expect(index.match(/<loc>.*?<\/loc>/g)).toEqual([
      '<loc>http://localhost:3000/sitemap-1.xml</loc>',
      '<loc>http://localhost:3000/sitemap-2.xml</loc>',
    ]);
    expect(await textOf(s, '/sitemap-1.xml')).toContain(first);
  });

  it('robots.txt names the sitemap; a site that does not want to be found has none, and says so with its pages and feeds', async () => {
    const s = await site();
    expect(await textOf(s, '/robots.txt')).toContain('\nSitemap: http://localhost:3000/sitemap.xml\n');
    expect((await s.request('/')).headers.get('x-robots-tag')).toBeNull();
    const hidden = await openSite(await migrated(), { NOINDEX: 'true' });
    try {
      expect(await textOf(hidden, '/robots.txt')).not.toContain('Sitemap');
      expect((await hidden.request('/sitemap.xml')).status).toBe(404);
      for (const path of ['/', '/feed.xml', '/robots.txt', '/favicon.svg', '/api/getPosts'])
        expect([path, (await hidden.request(path)).headers.get('x-robots-tag')]).toEqual([path, 'noindex']);
    } finally {
      await hidden.close();
    }
  });

  it('an admin decides in the browser whether search engines may list the site, also for cached pages', async () => {
    const [s, admin] = await siteWithAdmin();
    const tagOf = async (path: string) => (await s.request(path)).headers.get('x-robots-tag');
    expect([await tagOf('/'), await tagOf('/feed.xml')]).toEqual([null, null]);
    const { version } = await saveSettings(s, admin, { noindex: 'true' });
    expect([await tagOf('/'), await tagOf('/feed.xml')]).toEqual(['noindex', 'noindex']);
    expect((await s.request('/sitemap.xml')).status).toBe(404);
    await s.call(admin, 'undoSiteSettings', { version });
    expect([await tagOf('/'), (await s.request('/sitemap.xml')).status]).toEqual([null, 200]);
  });
});

describeEngines(({ site }) => {
  it('a page describes a post to search engines only if it is open to all', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const evil = 'On </script> & "rivers"';
    const [open = '', closed = ''] = await publish(
      s,
      admin,
      essay({ title: evil, description: 'Where they end.' }),
      essay({ tags: ['friends'] }),
    );
    expect(await dataOn(s, `/post/${open}`)).toEqual({
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      headline: evil,
      description: 'Where they end.',
      url: `http://localhost:3000/post/${open}`,
      datePublished: '2026-01-01T00:01:00.000Z',
      isPartOf: { '@type': 'Blog', name: 'Coterie', url: 'http://localhost:3000/' },
    });
    expect(await dataOn(s, '/')).toMatchObject({ '@type': 'Blog', name: 'Coterie' });
    expect(await dataOn(s, `/post/${closed}`, member)).toBeUndefined();
    expect(await textOf(s, `/post/${closed}`, member)).toContain('On rivers');
  });

  it('a link preview has the first picture of an open post in a fitting size, with its alternative text', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const picture = async (tags: string[], elsewhere = ' width="9" height="9"') => {
      const { post } = await s.call(admin, 'createPost', essay({ tags }));
      const [wide, narrow] = ['wwwwwwwwwwwwwwww', 'nnnnnnnnnnnnnnnn'];
      const html =
        `<p><img src="https://elsewhere.example/a.png" alt="elsewhere"${elsewhere}></p>` +
        `<p><img data-tiny="x" width="3000" height="2000" srcset="/files/${wide}/a.jpg?width=960 960w, ` +
        `/files/${wide}/a.jpg?width=1440 1440w, /files/${wide}/a.jpg 3000w" sizes="100vw" ` +
        `src="/files/${wide}/a.jpg" alt="A boat &#x26; its &#x22;crew&#x22; </head>" loading="lazy">` +
        `<img width="10" height="10" src="/files/${narrow}/b.jpg" alt="small"></p>`;
      await s.deps.db.updateTable('posts').set({ html, version: 2 }).where('id', '=', post.id).execute();
      return post.id;
    };
    const [open, closed] = [await picture([]), await picture(['friends'])];
    const page = await textOf(s, `/post/${open}`);
    const address = 'http://localhost:3000/files/wwwwwwwwwwwwwwww/a.jpg?width=1440';
    expect(page).toContain(`<meta property="og:image" content="${address}">`);
    expect(page).toContain('<meta property="og:image:width" content="1440">');
    expect(page).toContain('<meta property="og:image:height" content="960">');
    expect(page).toContain(
      '<meta property="og:image:alt" content="A boat &#x26; its &#x22;crew&#x22; &lt;/head&gt;">',
    );
    expect(page).toContain('<meta name="twitter:card" content="summary_large_image">');
    expect(await dataOn(s, `/post/${open}`)).toMatchObject({ image: address });
    // As after an import: no picture for the card, but one for the preview.
    const unsized = await textOf(s, `/post/${await picture([], '')}`);
    expect(unsized).toContain(`<meta property="og:image" content="${address}">`);
    expect(await textOf(s, `/post/${closed}`, member)).not.toContain('og:image');
    // Signed in, nothing is a preview either.
    expect(await textOf(s, '/')).not.toContain('og:image');
  });
});

describeEngines(({ site, siteWithAdmin, migrated }) => {
  it('what machines look for and the site does not have is answered with 404, and not with a redirect', async () => {
    const s = await site();
    for (const path of [
      ...[
        '/wp-login.php',
        '/wp-admin/',
        '/wordpress/wp-includes/x.js',
        '/.env',
        '/.git/config',
        '/xmlrpc.php',
      ],
      ...['/favicon-32x32.png', '/apple-touch-icon-120x120.png', '/ads.txt', '/cgi-bin/test', '/backup.sql~'],
      ...['/.well-known/nothing', '/a/b/.DS_Store', '/sitemap_index.xml', '/apple-app-site-association'],
    ])
      expect([path, (await s.request(path)).status]).toEqual([path, 404]);
    for (const path of ['/somewhere', '/2019/05/a-title.html', '/2019/05/a-title/', '/wp'])
      expect([path, (await s.request(path)).headers.get('location')]).toEqual([path, '/']);
  });

  it('an imported address leads to its post, whatever it looks like', async () => {
    const s = await site();
    const [id = ''] = await publish(s, await s.admin(), essay());
    await s.deps.db.insertInto('old_addresses').values({ address: '/show.php', post_id: id }).execute();
    expect((await s.request('/show.php')).headers.get('location')).toBe(`/post/${id}`);
  });

  it('well-known addresses lead to where a password is changed, and say whom to tell of a weakness', async () => {
    const s = await site();
    const change = await s.request('/.well-known/change-password');
    expect([change.status, change.headers.get('location')]).toEqual([302, '/account']);
    expect((await s.request('/.well-known/security.txt')).status).toBe(404);
    const told = await openSite(await migrated(), { SECURITY_CONTACT: 'mailto:mina@blog.example' });
    try {
      expect(await textOf(told, '/.well-known/security.txt')).toBe(
        'Contact: mailto:mina@blog.example\n' +
          'Expires: 2026-06-30T00:00:00.000Z\n' +
          'Canonical: http://localhost:3000/.well-known/security.txt\n',
      );
      const admin = await told.admin();
      const { lockedBy } = await told.call(admin, 'getSiteSettings', {});
      expect(lockedBy).toEqual({ securityContact: 'SECURITY_CONTACT' });
    } finally {
      await told.close();
    }
  });

  it('security.txt names the contact of the settings, which holds no second line', async () => {
    const [s, admin] = await siteWithAdmin();
    const save = (securityContact: string) =>
      s.call(admin, 'saveSiteSettings', { values: { securityContact }, version: 0 });
    for (const wrong of ['mina@blog.example', 'mailto:mina@blog.example\nContact: x', 'javascript:alert(1)'])
      expect(await refusal(save(wrong))).toBe('invalid-argument');
    await save('https://blog.example/security');
    expect(await textOf(s, '/.well-known/security.txt')).toContain(
      'Contact: https://blog.example/security\n',
    );
  });
});
