import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import sharp from 'sharp';
import { visit } from 'unist-util-visit';
import { expect, it } from 'vitest';
import { png, upload, uploaded } from '../support/author-files.ts';
import { parseHtml } from '../support/comparable.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

const exists = (site: Site, url: string) =>
  access(join(site.config.dataDir, 'files', url.split('/')[2] ?? '')).then(
    () => true,
    () => false,
  );

describeEngines(({ site, siteWithAdmin }) => {
  it('files of a post belong to their uploader until they are on a post, and then follow the post', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const file = await uploaded(s, admin);
    expect(file).toMatchObject({ name: 'river bank (1).png', type: 'image/png', size: png.length });
    expect(file.url).toMatch(/^\/files\/[\w-]{16}\/river_bank__1_\.png$/);
    const status = async (as: Person) => (await s.request(file.url, as)).status;
    expect([await status(null), await status(member), await status(admin)]).toEqual([404, 404, 200]);
    const { post } = await s.call(admin, 'createPost', {
      ...essay({ content: `![a bank](${file.url})`, tags: ['friends'] }),
    });
    expect([await status(null), await status(member)]).toEqual([404, 200]);
    await s.call(admin, 'updatePost', { ...essay({ content: `![a bank](${file.url})` }), postId: post.id });
    expect(await status(null)).toBe(200);
  });

  it('files of a post have reserved space in the text, and fitting sizes', async () => {
    const [s, admin] = await siteWithAdmin();
    const background = 'gold';
    const wide = await sharp({ create: { width: 1_000, height: 500, channels: 3, background } })
      .png()
      .toBuffer();
    const response = await upload(s, admin, 'wide.png', Uint8Array.from(wide));
    const { url } = await response.json();
    const content = `![wide](${url})\n\n<img src="${url}" alt="half" width="500">`;
    const { post } = await s.call(admin, 'createPost', essay({ content }));
    const sizes = `${url}?width=480 480w, ${url}?width=720 720w, ${url}?width=960 960w, ${url} 1000w`;
    expect(post.html).toContain(`<img width="1000" height="500" srcset="${sizes}" sizes="`);
    // A width that the author has given is kept.
    expect(post.html).toContain(`<img width="500" alt="half" src="${url}" loading=`);
    await s.call(admin, 'updatePost', { ...essay({ content: `Now: ![wide](${url})` }), postId: post.id });
    const { post: saved } = await s.call(admin, 'getPost', { postId: post.id });
    expect(saved.html).toContain('<img width="1000" height="500" srcset=');
  });

  it('files of a post have their sizes written into their own tags, and into nothing that looks like one within an attribute', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploaded(s, admin);
    // The attribute ends where the pattern of a picture would go on, and the next one would be text.
    const hidden = '><form action=/login><input name=password></form>';
    const address = url.replaceAll('_', '\\_');
    const written = `[x" src="${address}" alt="](/a "<img id=")<abbr title="${hidden}">y</abbr>`;
    const { post } = await s.call(admin, 'createPost', essay({ content: `${written}\n\n![z](${url})` }));
    const feed = await (await s.request('/feed.xml')).text();
    const [sent = ''] = /(?<=<content type="html">)[^<]*/.exec(feed) ?? [];
    const decoded = parseHtml(sent).children.map(child => (child.type === 'text' ? child.value : ''));
    // A feed reader has no style of ours by which a text has its own direction.
    const inFeed = /^<div dir="auto">(.*)<\/div>$/s.exec(decoded.join(''))?.[1] ?? '';
    for (const html of [post.html, inFeed]) {
      const found: string[] = [];
      visit(parseHtml(html), 'element', ({ tagName, properties }) => {
        found.push([tagName, ...Object.keys(properties).sort()].join(' '));
      });
      expect(found).toEqual([
        'p',
        'a href title',
        'abbr title',
        'p',
        'img alt decoding height loading src width',
      ]);
    }
  });

  it('files of a post have placeholders on pages, and nowhere else', async () => {
    const [s, admin] = await siteWithAdmin();
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#a63', noise } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const one = await uploaded(s, admin, 'one.jpg', Uint8Array.from(photo));
    const two = await uploaded(s, admin, 'two.jpg', Uint8Array.from(photo));
    // A placeholder that the author writes is removed.
    const content = `![one](${one.url})\n\n<img data-tiny="data:," src="/other">\n\n\`<img data-tiny="x">\``;
    const attachments = [{ url: two.url, description: null }];
    const { post } = await s.call(admin, 'createPost', { ...essay({ content }), attachments });
    const { placeholder } = post.attachments[0] ?? {};
    const tiny = Buffer.from(placeholder?.replace('data:image/webp;base64,', '') ?? '', 'base64');
    expect(tiny.length).toBeLessThan(300);
    expect(await sharp(tiny).metadata()).toMatchObject({ format: 'webp', width: 11, height: 16 });
    expect(post.html).toContain(`<img data-tiny="${placeholder}" width="200" height="300" src="${one.url}"`);
    expect(post.html.match(/<img data-tiny/g)).toHaveLength(1);
    const page = await (await s.request(`/post/${post.id}`)).text();
    expect(page.match(/<img data-tiny="data:image/g)).toHaveLength(2);
    expect(page).toMatch(/<\/div><script>setTimeout\(function showPlaceholders/);
    expect(await (await s.request('/')).text()).not.toContain('<script>setTimeout');
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed).toContain(`src=&quot;${s.config.publicUrl}${one.url}`);
    expect(feed).not.toContain('data-tiny=&quot;data:');
    expect(feed).toContain('&amp;#x3C;img data-tiny');
  });

  it('files of a post are attachments in the order given, and are deleted only with the save that removes them', async () => {
    const [s, admin] = await siteWithAdmin();
    const [one, two] = [await uploaded(s, admin, 'one.png'), await uploaded(s, admin, 'two.png')];
    const attachments = [
      { url: two.url, description: ' The second ' },
      { url: one.url, description: null },
    ];
    const { post } = await s.call(admin, 'createPost', { ...essay(), attachments });
    const shown = { alt: null, thumbnail: null, width: 1, height: 1, placeholder: null };
    expect(post.attachments).toEqual([
      { ...two, description: 'The second', ...shown },
      { ...one, description: null, ...shown },
    ]);
    // A caller that does not know of attachments leaves them alone.
    const kept = await s.call(admin, 'updatePost', { ...essay(), postId: post.id });
    expect(kept.post.attachments).toHaveLength(2);
    // A save that fails removes nothing.
    const without = { ...essay(), postId: post.id, attachments: attachments.slice(0, 1) };
    expect(await refusal(s.call(admin, 'updatePost', { ...without, version: 1 }))).toBe('aborted');
    expect(await exists(s, one.url)).toBe(true);
    const saved = await s.call(admin, 'updatePost', without);
    expect(saved.post.attachments.map(({ name }) => name)).toEqual(['two.png']);
    expect([await exists(s, one.url), await exists(s, two.url)]).toEqual([false, true]);
    await s.call(admin, 'deletePost', { postId: post.id });
    expect(await exists(s, two.url)).toBe(false);
    expect(await s.deps.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('files of a post have a caption and words for those who do not see them, each on its own', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploaded(s, admin, 'gate.png');
    const saved = async (words: { description: string | null; alt?: string | null }, postId?: string) => {
      const input = { ...essay(), attachments: [{ url, ...words }] };
      const { post } =
        postId === undefined
          ? await s.call(admin, 'createPost', input)
          : await s.call(admin, 'updatePost', { ...input, postId });
      const [{ description, alt } = {}] = post.attachments;
      return { id: post.id, words: [description, alt] };
    };
    const { id, words } = await saved({ description: ' The gate ', alt: ' Iron bars ' });
    expect(words).toEqual(['The gate', 'Iron bars']);
    const picture = async () => {
      const page = await (await s.request(`/post/${id}`)).text();
      return [/<img[^>]* alt="([^"]*)"/.exec(page)?.[1], /<figcaption[^>]*>([^<]*)</.exec(page)?.[1]];
    };
    expect(await picture()).toEqual(['Iron bars', 'The gate']);
    // A program that does not know of it leaves it alone.
    expect((await saved({ description: 'A gate' }, id)).words).toEqual(['A gate', 'Iron bars']);
    expect((await saved({ description: 'A gate', alt: ' ' }, id)).words).toEqual(['A gate', null]);
    // Without them the caption is spoken, as for posts that are older than them.
    expect(await picture()).toEqual(['A gate', 'A gate']);
    expect(await refusal(saved({ description: null, alt: 'a'.repeat(501) }, id))).toBe('invalid-argument');
  });

  it('files of a post keep what a newer version says about them when an older process saves the post', async () => {
    const [s, admin] = await siteWithAdmin();
    const { url } = await uploaded(s, admin);
    const input = { ...essay(), attachments: [{ url, description: 'One' }] };
    const { post } = await s.call(admin, 'createPost', input);
    await sql`alter table attachments add column later text`.execute(s.deps.db);
    await sql`update attachments set later = 'kept'`.execute(s.deps.db);
    const other = await uploaded(s, admin, 'other.png');
    const attachments = [{ url: other.url, description: 'Other' }, ...input.attachments];
    await s.call(admin, 'updatePost', { ...input, attachments, postId: post.id });
    const rows = await s.deps.db.selectFrom('attachments').selectAll().orderBy('position').execute();
    expect(rows).toMatchObject([{ description: 'Other' }, { description: 'One', later: 'kept' }]);
  });

  it('files of a post have the poster of a video, which is kept and deleted with it', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const mp4 = Uint8Array.from(Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'));
    const video = await uploaded(s, admin, 'high water.mp4', mp4);
    const [poster, theirs] = [await uploaded(s, admin, 'poster.png'), await uploaded(s, other, 'theirs.png')];
    const carrying = (thumbnail: string | null | undefined) => ({
      ...essay(),
      attachments: [{ url: video.url, description: null, ...(thumbnail !== undefined && { thumbnail }) }],
    });
    for (const url of [
      theirs.url,
      video.url,
      '/files/nothing',
      'https://evil.example/x.png',
      'javascript:alert(1)',
    ])
      expect([url, await refusal(s.call(admin, 'createPost', carrying(url)))]).toEqual([
        url,
        'invalid-argument',
      ]);
    const { post } = await s.call(admin, 'createPost', carrying(poster.url));
    expect(post.attachments[0]).toMatchObject({ url: video.url, thumbnail: poster.url });
    expect((await s.request(poster.url, null)).status).toBe(200);
    const save = (input: ReturnType<typeof carrying>) =>
      s.call(other, 'updatePost', { ...input, postId: post.id });
    expect((await save(carrying(undefined))).post.attachments[0]?.thumbnail).toBe(poster.url);
    expect((await save({ ...essay() } as ReturnType<typeof carrying>)).post.attachments[0]?.thumbnail).toBe(
      poster.url,
    );
    expect((await save(carrying(poster.url))).post.attachments[0]?.thumbnail).toBe(poster.url);
    expect(await exists(s, poster.url)).toBe(true);
    expect((await save(carrying(null))).post.attachments[0]?.thumbnail).toBe(null);
    expect([await exists(s, poster.url), await exists(s, video.url)]).toEqual([false, true]);
  });

  it('16. files of somebody else, of nobody or of another site are refused', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const theirs = await uploaded(s, other);
    await s.call(other, 'createPost', {
      ...essay({ tags: ['secret'] }),
      attachments: [{ url: theirs.url, description: null }],
    });
    const save = (url: string) =>
      refusal(s.call(admin, 'createPost', { ...essay(), attachments: [{ url, description: null }] }));
    for (const url of [
      theirs.url,
      '/files/nothing',
      'https://evil.example/x.png',
      'javascript:alert(1)',
      '//evil.example/files/x',
    ])
      expect([url, await save(url)]).toEqual([url, 'invalid-argument']);
    // Nor does a text open somebody else's file.
    expect(await refusal(s.call(admin, 'createPost', essay({ content: `![x](${theirs.url})` })))).toBe(
      'invalid-argument',
    );
    expect((await s.request(theirs.url)).status).toBe(404);
    expect((await s.call(admin, 'listPosts', {})).posts).toHaveLength(1);
  });

  it('files of a post stay on a post that another author saves', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const file = await uploaded(s, admin);
    const attachments = [{ url: file.url, description: null }];
    const { post } = await s.call(admin, 'createPost', { ...essay(), attachments });
    const saved = await s.call(other, 'updatePost', { ...essay(), postId: post.id, attachments });
    expect(saved.post.attachments).toHaveLength(1);
  });

  it('files of a post are shown by their type, whatever their names are', async () => {
    const [s, admin] = await siteWithAdmin();
    const response = await upload(
      s,
      admin,
      '../../évil<b>.html',
      new TextEncoder().encode('<script>alert(1)</script>'),
    );
    const { url, contentType } = await response.json();
    expect(contentType).toBe('application/octet-stream');
    expect(url).toMatch(/\/_vil_b_\.html$/);
    const file = await s.request(url, admin);
    const disposition = file.headers.get('content-disposition');
    expect(disposition).toMatch(/^attachment;/);
    expect(disposition).toContain("filename*=UTF-8''%C3%A9vil%3Cb%3E.html");
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
