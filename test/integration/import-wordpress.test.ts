import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { describeEngines } from '../support/engines.ts';
import { png } from '../support/png.ts';
import { wordpressExport, wordpressSite } from '../support/wordpress-export.ts';
import { postOf, wordpressImport } from '../support/wordpress-import.ts';

const uploads = `${wordpressSite}/wp-content/uploads`;

const { at, write, run } = wordpressImport();

describeEngines(({ site, siteWithAdmin, engine }) => {
  it('a WordPress site has no duplicates when imported again, and updates what has changed', async () => {
    const s = await site();
    const posts = [1, 2, 3].map(id => ({ id, title: `Post ${id}`, content: `Words ${id}.` }));
    await run(s, posts);
    expect(new Set((await run(s, posts)).map(item => item.outcome))).toEqual(new Set(['unchanged']));
    const changed = await run(s, [...posts.slice(0, 2), { id: 3, title: 'Post 3', content: 'Others.' }]);
    expect(changed.map(item => item.outcome)).toEqual(['unchanged', 'unchanged', 'updated']);
  });

  // How an export is read does not depend on the database.
  if (engine === 'postgres') return;

  it('an import from WordPress keeps raw code, and reports a post of which more than one word in a hundred is missing', async () => {
    const s = await site();
    const items = await run(s, [
      {
        id: 1,
        title: 'Code',
        content: 'See:\n\n<pre lang="java">\nList<String> a;\n\n[gallery]\n</pre>\n\nEnd.',
      },
      { id: 2, title: 'Form', content: 'One two three. <form><label>Your name here</label></form>' },
    ]);
    expect((await postOf(s, 1)).content).toBe('See:\n\n```java\nList<String> a;\n\n[gallery]\n```\n\nEnd.');
    expect(items.map(({ notes }) => notes)).toEqual([
      [],
      ['3 of its 6 words are missing here: compare it with the original'],
    ]);
  });

  it('an import from WordPress brings posts and pages with their words, dates, tags and comments', async () => {
    const s = await site();
    const items = await run(s, [
      {
        id: 1,
        title: 'A walk &amp; a <em>rest</em>',
        excerpt: '<p>Up, and down.</p>',
        content:
          '<!-- wp:paragraph --><p>Up <strong>the </strong>hill.</p><!-- /wp:paragraph --><!-- wp:latest-posts {"n":1} /-->',
        categories: ['Uncategorized', 'Hills'],
        tags: ['Sun &amp; rain'],
        comments: [
          { id: 1, author: 'Lucy', content: 'How <b>high</b>?\nSee <a href="https://h.example/x">this</a>.' },
          { id: 2, author: 'Mina', content: 'High.', parent: 1 },
          { id: 3, approved: '0' },
          { id: 4, approved: 'spam' },
          { id: 5, type: 'pingback' },
        ],
      },
      { id: 2, type: 'page', title: 'About', content: 'First line\nsecond line\n\nNext <em>paragraph</em>.' },
      { id: 3, type: 'nav_menu_item', title: 'Menu' },
      { id: 4, title: 'Only a title *here*' },
    ]);
    expect(items.map(({ source, outcome, notes }) => [source, outcome, ...notes])).toEqual([
      [
        'posts/1',
        'created',
        'left out, because WordPress fills them when they are read: latest-posts',
        'left out: comments (1), wait for approval',
        'left out: comments (1), spam',
        'left out: comments (1), mentions by other sites',
      ],
      ['posts/2', 'created'],
      ['posts/4', 'created'],
    ]);
    const post = await postOf(s, 1);
    expect(post).toMatchObject({
      type: 'essay',
      title: 'A walk & a rest',
      description: 'Up, and down.',
      content: 'Up **the** hill.',
      tags: ['Hills', 'Sun & rain'],
      publishedAt: '2020-05-17T10:00:00.000Z',
      commentCount: 2,
    });
    const { comments } = await s.call(await s.admin(), 'listComments', { postId: post.id, threads: true });
    const [first] = comments;
    expect(comments).toMatchObject([
      {
        authorUsername: 'Lucy',
        content: 'How high?\nSee this (https://h.example/x).',
        parentId: null,
      },
      { authorUsername: 'Mina', content: 'High.', parentId: first?.id },
    ]);
    expect((await postOf(s, 2)).content).toBe('First line\\\nsecond line\n\nNext *paragraph*.');
    expect((await postOf(s, 4)).content).toBe('Only a title \\*here\\*');
    const kept = JSON.stringify(await s.deps.db.selectFrom('comments').selectAll().execute());
    expect(kept).not.toMatch(/secret@example|192\.0\.2\.7/);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('an import from WordPress brings its pictures, videos and galleries, with originals rather than smaller copies', async () => {
    const s = await site();
    await write({
      'media/2020/05/river.png': png,
      'media/2020/05/river-300x200.png': Buffer.concat([png, Buffer.from('small')]),
      'media/2020/05/hill-scaled.png': Buffer.concat([png, Buffer.from('hill')]),
      'media/2020/05/boat.mp4': Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
    });
    const items = await run(s, [
      {
        id: 1,
        title: 'Rivers',
        content: `[caption id="a"]<img src="${uploads}/2020/05/river-300x200.png" alt="A river" /> By the <em>river</em>[/caption]
[gallery ids="11,12"]
[video mp4="${uploads}/2020/05/boat.mp4"][/video]
[youtube https://www.youtube.com/watch?v=abc]
<img src="${uploads}/2020/05/gone.png"> <a href="${uploads}/2020/05/gone.pdf">a file</a> [[gallery]] [ninja_form id=3]`,
      },
      { id: 11, type: 'attachment', attachmentUrl: `${uploads}/2020/05/river.png`, parent: 1 },
      {
        id: 12,
        type: 'attachment',
        attachmentUrl: `${uploads}/2020/05/hill-1024x700.png`,
        excerpt: 'The hill',
      },
    ]);
    expect(items.map(({ source, files, notes }) => [source, files, ...notes])).toEqual([
      [
        'posts/1',
        3,
        'these shortcodes of plugins stay as words: ninja_form',
        { file: `${uploads}/2020/05/gone.png`, text: 'is not in the copy of wp-content/uploads' },
      ],
    ]);
    const { content = '', html } = await postOf(s, 1);
    expect(content).toMatch(/!\[A river\]\(\/files\/[\w-]+\)\n\n\*By the _river_\*/);
    expect(content).toMatch(/!\[\]\(\/files\/[\w-]+\)\n\n\*The hill\*/);
    expect(content).toMatch(/\[Video: boat\.mp4\]\(\/files\/[\w-]+\/boat\.mp4\)/);
    expect(content).toContain('https://www.youtube.com/watch?v=abc');
    expect(content).toContain('\\[gallery]');
    expect(html).toContain('<video');
    const sizes = await s.deps.db.selectFrom('files').select(['path', 'size']).orderBy('path').execute();
    expect(sizes.map(file => file.path.split('/').at(-1)).sort()).toEqual([
      'boat.mp4',
      'hill-scaled.png',
      'river.png',
    ]);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('an import from WordPress redirects its addresses to the posts, and changes them in its own texts', async () => {
    const [s, admin] = await siteWithAdmin();
    await run(s, [
      {
        id: 1,
        title: 'One',
        content: `<a href="${wordpressSite}/2020/05/two/#top">two</a> <a href="https://else.example/2020/05/two/">else</a>`,
        link: `${wordpressSite}/2020/05/one/`,
      },
      { id: 2, title: 'Two', content: 'Two.', link: `${wordpressSite}/2020/05/two/`, status: 'private' },
    ]);
    const [one, two] = [await postOf(s, 1), await postOf(s, 2)];
    expect(one.content).toBe(`[two](/post/${two.id}) [else](https://else.example/2020/05/two/)`);
    for (const path of ['/2020/05/two', '/?p=2'])
      expect((await s.request(path, admin)).headers.get('location')).toBe(`/post/${two.id}`);
    expect((await s.request('/2020/05/two')).headers.get('location')).toBe('/');
    expect((await s.request('/?p=2')).status).toBe(200);
    expect((await s.request('/2020/05/one/')).headers.get('location')).toBe(`/post/${one.id}`);
  });

  it('an import from WordPress takes from shared blocks what WordPress shows, and hides a post of which one hides a part', async () => {
    const s = await site();
    const block = (id: number) => `<!-- wp:block {"ref":${id}} /-->`;
    const items = await run(s, [
      { id: 1, content: `<p>Own.</p>${[11, 12, 13, 14].map(block).join('')}` },
      { id: 2, content: `<p>Own.</p>${block(15)}` },
      { id: 11, type: 'wp_block', content: '<p>Shared.</p>' },
      { id: 12, type: 'wp_block', content: '<p>Unfinished.</p>', status: 'draft' },
      { id: 13, type: 'wp_block', content: '<p>For some.</p>', password: 'word' },
      { id: 14, type: 'wp_block', content: '<p>Thrown away.</p>', status: 'trash' },
      { id: 15, type: 'wp_block', content: '[membership level="1"]<p>For members.</p>[/membership]' },
      { id: 3, content: `<p>Own.</p>${block(16)}${block(99)}` },
      { id: 16, type: 'wp_block', content: `<p>Shared.</p>${block(11)}` },
    ]);
    expect(await postOf(s, 1)).toMatchObject({ content: 'Own.\n\nShared.', tags: [] });
    expect((await postOf(s, 2)).tags).toEqual(['members']);
    // Of what is not in the export, or within another one, the report says that it is left out; WordPress
    // shows nothing of the rest.
    expect((await postOf(s, 3)).content).toBe('Own.\n\nShared.');
    expect(items.map(({ notes }) => notes)).toEqual([
      [],
      ['these shortcodes of plugins stay as words: membership'],
      ['left out, because WordPress fills them when they are read: block'],
    ]);
  });

  it('an import from WordPress refuses a file that is no export, expands no entities, and continues after an item that cannot be a post', async () => {
    const s = await site();
    const bomb = `<!DOCTYPE rss [<!ENTITY a "${'x'.repeat(50)}"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>\n`;
    await expect(run(s, [{ id: 1, content: '&b;&f;' }], { head: bomb })).rejects.toThrow(
      /export\.xml cannot be imported\. It declares a document type/,
    );
    await write({ 'broken.xml': wordpressExport([{ id: 1 }]).slice(0, -40), 'other.xml': '<html></html>' });
    for (const file of ['broken.xml', 'other.xml']) {
      const source = wordpressSource({ files: [at(file)], timeZone: 'UTC' });
      await expect(source).rejects.toThrow(`${file} cannot be imported.`);
    }
    const items = await run(s, [
      { id: 1, title: 'Deep', content: '<div>'.repeat(50_000) },
      { id: 2, title: 'Long', content: 'x'.repeat(7_000_000) },
      { id: 3, title: 'Huge', content: 'x'.repeat(40 * 1024 * 1024) },
      {
        id: 4,
        title: 'Acts',
        content: '<script>alert(1)</script><img src=x onerror=alert(1)><a href="javascript:x">a</a>',
      },
    ]);
    expect(items.map(({ source, outcome }) => [source.replace(/\d{2,}/, 'N'), outcome])).toEqual([
      ['posts/1', 'skipped'],
      ['posts/2', 'skipped'],
      ['line N', 'skipped'],
      ['posts/4', 'created'],
    ]);
    expect((await postOf(s, 4)).html).not.toMatch(/script|onerror|javascript/);
    expect(await s.deps.db.selectFrom('posts').select('id').execute()).toHaveLength(1);
  });
});
