import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { dialectOf } from '../../server/db/dialect.ts';
import { createId } from '../../server/id.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish, shortPost } from '../factories.ts';
import { type Person, refusal, type Site } from '../site.ts';
import { bucketPath, multipart } from '../storage.ts';

/** A picture of one pixel, without anything that is stripped from pictures. */
const png = Uint8Array.from(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  ),
);

type Uploaded = { url: string; name: string; type: string; size: number };

/** As web/storage/client.ts does, but at once. */
async function upload(site: Site, as: Person, name = 'river bank (1).png', body = png): Promise<Response> {
  return await site.request(bucketPath(`posts/${createId()}`), as, multipart(body, { metadata: { name } }));
}

async function uploaded(site: Site, as: Person, name = 'river bank (1).png', body = png): Promise<Uploaded> {
  const response = await upload(site, as, name, body);
  expect(response.status).toBe(200);
  const { url, contentType, size } = await response.json();
  return { url, name, type: contentType, size: Number(size) };
}

const exists = (site: Site, url: string) =>
  access(join(site.config.dataDir, 'files', url.split('/')[2] ?? '')).then(
    () => true,
    () => false,
  );

describeEngines('the management list', ({ site }) => {
  it('shows drafts and published posts by the filter, in pages', async () => {
    const s = await site();
    const admin = await s.admin();
    await publish(s, admin, ...Array.from({ length: 12 }, (_, index) => shortPost(`Post ${index}`)));
    await publish(s, admin, essay({ title: 'A draft', isDraft: true }));
    const titles = async (input: Parameters<typeof s.call<'listPosts'>>[2]) => {
      const { posts, hasNextPage } = await s.call(admin, 'listPosts', input);
      return { names: posts.map(post => post.title ?? post.excerpt), hasNextPage };
    };
    const first = await titles({});
    expect(first.names.slice(0, 2)).toEqual(['A draft', 'Post 11']);
    expect([first.names.length, first.hasNextPage]).toEqual([10, true]);
    expect(await titles({ page: 2 })).toEqual({ names: ['Post 2', 'Post 1', 'Post 0'], hasNextPage: false });
    expect(await titles({ filter: 'drafts' })).toEqual({ names: ['A draft'], hasNextPage: false });
    expect((await titles({ filter: 'published' })).names[0]).toBe('Post 11');
    expect((await titles({ filter: 'drafts', page: 9 })).names).toEqual([]);
  });

  it('finds posts by the words of title, description and content, whatever their case and accents', async () => {
    const s = await site();
    const admin = await s.admin();
    await publish(
      s,
      admin,
      essay({
        title: 'On Rivers',
        description: 'Where they begin',
        content: 'The Ångström flows, *naïve* and 10.5 wide.',
      }),
      shortPost('A well-known café, ГОРОД and 東京 tower'),
    );
    const found = async (search: string) =>
      (await s.call(admin, 'listPosts', { search })).posts.map(post => post.title ?? 'short');
    for (const term of [
      'rivers',
      'RIVER',
      'begin',
      'angstrom',
      'Ångstr',
      'naive wide',
      '10.5',
      '10 5',
      '"rivers"',
      'rivers*',
    ])
      expect([term, await found(term)]).toEqual([term, ['On Rivers']]);
    for (const term of [
      'cafe',
      'CAFÉ',
      'cafe\u0301',
      'город',
      'known',
      'well-known',
      'WELL KNOWN tow',
      '東京',
    ])
      expect([term, await found(term)]).toEqual([term, ['short']]);
    expect(await found('and')).toEqual(['short', 'On Rivers']);
    expect(await found('  ')).toEqual(['short', 'On Rivers']);
    expect(await found('ivers')).toEqual([]);
  });

  it('finds words of every script, with the marks that make them and without those that are optional', async () => {
    const s = await site();
    const admin = await s.admin();
    const text = 'हिन्दी किताब สวัสดี முதல் বাংলা مُحَمَّد שָׁלוֹם がっこう Ὀδυσσεύς';
    await publish(s, admin, shortPost(text), shortPost('हन कताब สวสด মতল কাককো かっこう'));
    const found = async (search: string) =>
      (await s.call(admin, 'listPosts', { search })).posts.map(post => post.excerpt);
    const words = [...text.split(' '), 'محمد', 'שלום', 'か\u3099っ', 'ΟΔΥΣΣΕΥΣ', 'ὀδυ'];
    for (const word of words) expect([word, await found(word)]).toEqual([word, [text]]);
  });

  it.each([
    '"',
    "'",
    '%',
    '_',
    '\0',
    '\\',
    "a' or 1=1 --",
    'OR',
    'AND NOT',
    'NEAR(a b)',
    '(',
    '*',
    '-rivers',
    'title:',
    '^',
    '!',
    '&|',
    'q:*',
    '\ud800',
    'x'.repeat(100),
    '{',
    '" OR "',
  ])('takes %j for a text and nothing else', async search => {
    const s = await site();
    const admin = await s.admin();
    await publish(s, admin, shortPost('a plain text without the operators'));
    const { posts } = await s.call(admin, 'listPosts', { search });
    expect(posts.map(post => post.excerpt)).toEqual([]);
  });

  it('finds the same whether it gathers the posts or looks each of them up', async () => {
    const s = await site();
    const { db } = s.deps;
    const { matches, matchesEach, countMatches } = dialectOf(db);
    const texts = ['Rain on the roof', 'Rainy days', 'The roof', 'Sun'];
    await publish(s, await s.admin(), ...texts.map(content => shortPost(content)));
    for (const term of ['rain', 'roof', 'rain roof', 'the', 'snow', '"', 'ra%']) {
      const found = await Promise.all(
        [matches, matchesEach].map(condition =>
          db
            .selectFrom('posts')
            .select('content')
            .where(condition(sql.ref('posts.id'), term))
            .orderBy('content')
            .execute(),
        ),
      );
      expect([term, found[1]]).toEqual([term, found[0]]);
      expect(await countMatches(db, term, 10)).toBe(found[0]?.length);
      expect(await countMatches(db, term, 1)).toBe(Math.min(1, found[0]?.length ?? 0));
    }
  });

  it('keeps the search in step with edits and deletions', async () => {
    const s = await site();
    const admin = await s.admin();
    const [id = ''] = await publish(s, admin, essay({ title: 'Before' }));
    const found = async (search: string) => (await s.call(admin, 'listPosts', { search })).posts.length;
    await s.call(admin, 'updatePost', { ...essay({ title: 'After' }), postId: id });
    expect([await found('before'), await found('after')]).toEqual([0, 1]);
    await s.call(admin, 'deletePost', { postId: id });
    expect(await found('after')).toBe(0);
  });

  it('names those who like a post', async () => {
    const s = await site();
    const [admin, one, two] = [await s.admin(), await s.member([], 'Lucy_W'), await s.member([], 'arthur')];
    const [postId = ''] = await publish(s, admin, essay());
    expect(await s.call(admin, 'listLikes', { postId })).toEqual({ likes: [], total: 0 });
    await s.call(one, 'setLike', { postId, liked: true });
    s.wait(1_000);
    await s.call(two, 'setLike', { postId, liked: true });
    const { likes, total } = await s.call(admin, 'listLikes', { postId });
    expect([likes.map(like => like.username), total]).toEqual([['arthur', 'Lucy_W'], 2]);
    expect(await refusal(s.call(admin, 'listLikes', { postId: 'nothing' }))).toBe('not-found');
  });

  it('is for admins alone, as all that writes is', async () => {
    const s = await site();
    const admin = await s.admin();
    const [postId = ''] = await publish(s, admin, essay());
    const people = [
      [null, 'unauthenticated'],
      [await s.signUp(), 'permission-denied'],
      [await s.denied(), 'unauthenticated'],
      [await s.member(['friends']), 'permission-denied'],
    ] as const;
    for (const [person, code] of people) {
      expect(await refusal(s.call(person, 'listPosts', {}))).toBe(code);
      expect(await refusal(s.call(person, 'listLikes', { postId }))).toBe(code);
      expect(await refusal(s.call(person, 'previewPost', { content: 'x' }))).toBe(code);
      expect(await refusal(s.call(person, 'createPost', essay()))).toBe(code);
      expect(await refusal(s.call(person, 'updatePost', { ...essay(), postId }))).toBe(code);
      expect(await refusal(s.call(person, 'deletePost', { postId }))).toBe(code);
      expect((await upload(s, person)).status).toBe(code === 'unauthenticated' ? 401 : 403);
    }
    expect(await s.deps.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('previews a text as it will be published', async () => {
    const s = await site();
    const admin = await s.admin();
    const content = '# Rivers\n\n<script>alert(1)</script>\n\n[Video: a](/files/x/a.mp4)';
    const { html } = await s.call(admin, 'previewPost', { content });
    const { post } = await s.call(admin, 'createPost', essay({ content }));
    expect(html.replaceAll('preview-', '')).toBe(post.html.replaceAll(`${post.id}-`, ''));
    expect(html).not.toContain('<script');
    expect(await s.call(admin, 'previewPost', { content: '' })).toEqual({ html: '' });
  });
});

describeEngines('saving', ({ site }) => {
  it('71. makes one post of a save that is repeated, at once and later', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const input = { ...essay({ tags: ['b', 'A'] }), saveKey: 'key-of-an-editor' };
    const answers = await Promise.all([1, 2, 3].map(() => s.call(admin, 'createPost', input)));
    s.wait(60_000);
    const again = await s.call(admin, 'createPost', input);
    expect(new Set([...answers, again].map(({ post }) => post.id)).size).toBe(1);
    expect(again.post).toMatchObject({ version: 1, updatedAt: null });
    // The answer was lost, and the author wrote on.
    const more = await s.call(admin, 'createPost', { ...input, content: 'And more.' });
    expect(more.post).toMatchObject({ id: again.post.id, version: 2, content: 'And more.' });
    expect(await refusal(s.call(admin, 'createPost', { ...input, content: 'Other.' }))).toBe('aborted');
    expect(await refusal(s.call(other, 'createPost', input))).toBe('already-exists');
    expect((await s.call(admin, 'listPosts', {})).posts).toHaveLength(1);
    expect((await s.deps.catalogue()).publishedCount).toBe(1);
    // Whichever field it was that changed, and that alone.
    const [file, poster] = [await uploaded(s, admin), await uploaded(s, admin)];
    const changes = {
      title: 'Other',
      description: 'Other',
      content: 'Other',
      tags: ['b'],
      isDraft: false,
      attachments: [{ url: file.url, description: null, thumbnail: poster.url }],
    };
    for (const [field, value] of Object.entries(changes)) {
      const first = {
        ...essay({ tags: [] }),
        isDraft: true,
        attachments: [{ url: file.url, description: null }],
        saveKey: `key-of-${field}`,
      };
      const changed = { ...first, [field]: value };
      await s.call(admin, 'createPost', first);
      for (const _ of ['sent', 'sent again']) {
        const { post } = await s.call(admin, 'createPost', changed);
        expect([field, post.version]).toEqual([field, 2]);
      }
    }
  });

  it('tells which version stands in the way', async () => {
    const s = await site();
    const [one, two] = [await s.admin(), await s.admin()];
    const { post } = await s.call(one, 'createPost', essay());
    const save = (as: Person, title: string) =>
      s.call(as, 'updatePost', { ...essay({ title }), postId: post.id, version: 1 });
    const results = await Promise.allSettled([save(one, 'Mine'), save(two, 'Yours')]);
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1);
    const failed = results.find(result => result.status === 'rejected');
    expect(failed?.reason).toMatchObject({ code: 'aborted', details: { version: 2, postId: post.id } });
  });

  it('63. never widens an audience when a tag is deleted while a post is saved with it', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const { post } = await s.call(admin, 'createPost', essay({ tags: ['secret'] }));
    await Promise.all([
      s.call(admin, 'updatePost', {
        ...essay({ title: 'New', tags: ['secret'] }),
        postId: post.id,
        version: 1,
      }),
      s.deps.db.updateTable('tags').set({ is_listed: false }).where('key', '=', 'secret').execute(),
    ]);
    expect(await refusal(s.call(member, 'getPost', { postId: post.id }))).toBe('permission-denied');
    expect((await s.call(admin, 'getPost', { postId: post.id })).post.tags).toEqual(['secret']);
  });
});

describeEngines('files of a post', ({ site }) => {
  it('are their uploader’s until a post carries them, then follow the post', async () => {
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

  it('have their space reserved in the text, in sizes that fit', async () => {
    const s = await site();
    const admin = await s.admin();
    const background = 'gold';
    const wide = await sharp({ create: { width: 1_000, height: 500, channels: 3, background } })
      .png()
      .toBuffer();
    const response = await upload(s, admin, 'wide.png', Uint8Array.from(wide));
    const { url } = await response.json();
    const content = `![wide](${url})\n\n<img src="${url}" alt="half" width="500">`;
    const { post } = await s.call(admin, 'createPost', essay({ content }));
    const sizes = `${url}?width=480 480w, ${url}?width=960 960w, ${url} 1000w`;
    expect(post.html).toContain(`<img width="1000" height="500" srcset="${sizes}" sizes="`);
    // What its author has said counts.
    expect(post.html).toContain(`<img width="500" alt="half" src="${url}" loading=`);
    await s.call(admin, 'updatePost', { ...essay({ content: `Now: ![wide](${url})` }), postId: post.id });
    const { post: saved } = await s.call(admin, 'getPost', { postId: post.id });
    expect(saved.html).toContain('<img width="1000" height="500" srcset=');
  });

  it('have their colours shown before they come, on pages and nowhere else', async () => {
    const s = await site();
    const admin = await s.admin();
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#a63', noise } })
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer();
    const one = await uploaded(s, admin, 'one.jpg', Uint8Array.from(photo));
    const two = await uploaded(s, admin, 'two.jpg', Uint8Array.from(photo));
    // What an author writes as one is no such thing, and goes.
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

  it('are attachments in the order given, and go with the save that removes them, not before', async () => {
    const s = await site();
    const admin = await s.admin();
    const [one, two] = [await uploaded(s, admin, 'one.png'), await uploaded(s, admin, 'two.png')];
    const attachments = [
      { url: two.url, description: ' The second ' },
      { url: one.url, description: null },
    ];
    const { post } = await s.call(admin, 'createPost', { ...essay(), attachments });
    expect(post.attachments).toEqual([
      { ...two, description: 'The second', thumbnail: null, width: 1, height: 1, placeholder: null },
      { ...one, description: null, thumbnail: null, width: 1, height: 1, placeholder: null },
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

  it('have the picture that a video shows first, which goes and stays with it', async () => {
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

  it('16. of somebody else, of nobody, or of another site are refused', async () => {
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

  it('stay with a post that another author saves', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const file = await uploaded(s, admin);
    const attachments = [{ url: file.url, description: null }];
    const { post } = await s.call(admin, 'createPost', { ...essay(), attachments });
    const saved = await s.call(other, 'updatePost', { ...essay(), postId: post.id, attachments });
    expect(saved.post.attachments).toHaveLength(1);
  });

  it('are shown as what they are, whatever they are called', async () => {
    const s = await site();
    const admin = await s.admin();
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
