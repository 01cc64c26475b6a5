import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { moment } from '../../contract/date.ts';
import { describeEngines } from '../support/engines.ts';
import { importedId, wrongCounts } from '../support/imports.ts';
import { markdownFolder, outcomes } from '../support/markdown-folder.ts';
import { png } from '../support/png.ts';
import { saveSettings } from '../support/save-settings.ts';
import { refusal } from '../support/site.ts';

const { at, write, run } = markdownFolder();

const dayMs = 24 * 60 * 60_000;

describeEngines(({ site, siteWithAdmin }) => {
  it('an import of Markdown reads posts at any depth with title, date, tags and state', async () => {
    const [s, admin] = await siteWithAdmin();
    await write({
      'essay.md':
        '---\ntitle: Rivers\ndate: 2020-05-17T10:00:00Z\ntags: [water, Hills]\n---\nThey come from the hills.',
      'deep/er/short.markdown': '+++\ndate = 2021-01-01T00:00:00Z\n+++\nA few words.',
      'draft.mdx': '{"title": "Later", "draft": true}\nNot yet.',
      '.git/ignored.md': 'No.',
      'node_modules/x/readme.md': 'No.',
      'picture.png': png,
    });
    expect(outcomes(await run(s, { authorId: admin.id }))).toEqual({
      'deep/er/short.markdown': 'created',
      'draft.mdx': 'created',
      'essay.md': 'created',
    });
    const { post } = await s.call(admin, 'getPost', { postId: await importedId(s, 'essay.md') });
    expect(post).toMatchObject({
      type: 'essay',
      title: 'Rivers',
      description: 'They come from the hills.',
      tags: ['Hills', 'water'],
      authorId: admin.id,
      publishedAt: '2020-05-17T10:00:00.000Z',
      createdAt: '2020-05-17T10:00:00.000Z',
      updatedAt: null,
    });
    const draft = await s.call(admin, 'getPost', { postId: await importedId(s, 'draft.mdx') });
    expect(draft.post).toMatchObject({ isDraft: true, publishedAt: null });
    const visitors = await s.call(null, 'getPosts', {});
    expect(visitors.posts).toMatchObject([{ type: 'short', content: 'A few words.' }]);
    expect(await wrongCounts(s)).toEqual([]);
  });

  it('an import of Markdown keeps what a site generator does not show yet or any more as a draft, until an import after that day', async () => {
    const s = await site();
    const tomorrow = moment(s.deps.clock() + dayMs);
    await write({
      'soon.md': `---\ndate: 2020-05-17\npublishDate: ${tomorrow}\n---\nNot yet.`,
      'over.md': '---\ndate: 2020-05-17\nexpiryDate: 2020-06-01\n---\nNo more.',
    });
    const [over, soon] = await run(s);
    expect(soon?.notes).toEqual([`it was scheduled for ${tomorrow}: it is a draft here`]);
    expect(over?.notes).toEqual(['it expired on 2020-06-01T00:00:00.000Z: it is a draft here']);
    expect((await s.call(null, 'getPosts', {})).posts).toEqual([]);
    expect(outcomes(await run(s))).toEqual({ 'soon.md': 'unchanged', 'over.md': 'unchanged' });
    s.wait(dayMs);
    expect(outcomes(await run(s))).toEqual({ 'soon.md': 'updated', 'over.md': 'unchanged' });
    expect((await s.call(null, 'getPosts', {})).posts).toMatchObject([{ content: 'Not yet.' }]);
  });

  it('an import of Markdown closes the notes of a vault of Obsidian that do not say that they are published', async () => {
    const s = await site();
    await write({
      '.obsidian/app.json': '{}',
      'diary.md': 'Only for me.',
      'garden.md': '---\ndg-publish: true\n---\nFor all.',
    });
    await run(s);
    expect((await s.call(null, 'getPosts', {})).posts).toMatchObject([{ content: 'For all.' }]);
    const { post } = await s.call(await s.admin(), 'getPost', { postId: await importedId(s, 'diary.md') });
    expect(post).toMatchObject({ isDraft: false, tags: ['vault'] });
  });

  it('an import of Markdown reads front matter in every encoding that Windows writes', async () => {
    const s = await site();
    const text = '---\ndraft: true\ntitle: Straße\n---\nNot yet.';
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    await write({
      'little.md': Buffer.concat([Buffer.from([0xff, 0xfe]), little]),
      'little-without-mark.md': little,
      'big.md': Buffer.concat([Buffer.from([0xfe, 0xff]), big]),
      'big-without-mark.md': big,
      'windows.md': Buffer.from(text, 'latin1'),
      'windows-with-mark.md': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, 'latin1')]),
    });
    await run(s);
    const { posts } = await s.call(await s.admin(), 'getPosts', { isAdmin: true });
    expect(posts.map(({ title, isDraft }) => [title, isDraft])).toEqual(Array(6).fill(['Straße', true]));
  });

  it('an import of Markdown closes posts to comments where those on new posts are off', async () => {
    const [s, admin] = await siteWithAdmin();
    await saveSettings(s, admin, { comments: 'off' });
    await write({ 'short.md': 'A few words.' });
    await run(s);
    const postId = await importedId(s, 'short.md');
    const comment = s.call(admin, 'addComment', { postId, content: 'words' });
    expect(await refusal(comment)).toBe('failed-precondition');
    expect(await s.call(admin, 'setCommentsClosed', { postId, isClosed: false })).toEqual({ closedAt: null });
  });

  it('an import of Markdown changes nothing when it is repeated', async () => {
    const s = await site();
    await write({ 'a.md': 'One.', 'b.md': '# Two\n\n![](c.png)', 'c.png': png });
    await run(s);
    expect(new Set((await run(s)).map(file => file.outcome))).toEqual(new Set(['unchanged']));
  });

  it('an import of Markdown changes nothing in a dry run', async () => {
    const s = await site();
    await write({ 'a.md': '# One\n\n![](c.png)', 'c.png': png });
    expect(outcomes(await run(s, { isDryRun: true }))).toEqual({ 'a.md': 'created' });
    expect(await s.deps.db.selectFrom('posts').select('id').execute()).toEqual([]);
    expect(existsSync(join(s.config.dataDir, 'files'))).toBe(false);
  });

  it('an import of Markdown updates the post of a changed file, and keeps its likes', async () => {
    const [s, admin] = await siteWithAdmin();
    await write({ 'a.md': '---\ndate: 2020-01-01\ntags: old\n---\nOne.', 'b.md': 'Two.' });
    await run(s);
    const postId = await importedId(s, 'a.md');
    await s.call(admin, 'setLike', { postId, liked: true });
    await write({ 'a.md': '---\ntitle: Now\ndate: 2020-01-02\ntags: new\n---\nMore.' });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'updated', 'b.md': 'unchanged' });
    const { post } = await s.call(admin, 'getPost', { postId });
    expect(post).toMatchObject({
      title: 'Now',
      // What more people could read stays closed until somebody confirms it.
      tags: ['new', 'old'],
      likeCount: 1,
      publishedAt: '2020-01-02T00:00:00.000Z',
    });
    expect(await wrongCounts(s)).toEqual([]);
  });

  it('an import of Markdown leaves a post alone that was edited by hand', async () => {
    const [s, admin] = await siteWithAdmin();
    await write({ 'a.md': 'One.' });
    await run(s);
    const postId = await importedId(s, 'a.md');
    await s.call(admin, 'updatePost', { postId, type: 'short', content: 'By hand.', isDraft: false });
    await write({ 'a.md': 'By file.' });
    expect(await run(s)).toMatchObject([
      { outcome: 'kept', reason: expect.stringContaining('edited in Coterie') },
    ]);
    expect((await s.call(admin, 'getPost', { postId })).post.content).toBe('By hand.');
  });

  it('an import of Markdown does not bring back a post that was deleted here', async () => {
    const [s, admin] = await siteWithAdmin();
    await write({ 'a.md': 'One.' });
    await run(s);
    await s.call(admin, 'deletePost', { postId: await importedId(s, 'a.md') });
    await write({ 'a.md': 'One, changed.' });
    expect(await run(s)).toMatchObject([
      { outcome: 'kept', reason: expect.stringContaining('deleted in Coterie') },
    ]);
    expect((await s.call(admin, 'getPosts', { isAdmin: true })).posts).toEqual([]);
  });

  it('an import of Markdown imports a document that a text links to, and leaves other links as they are', async () => {
    const s = await site();
    await write({
      'a.md': '[the score](score.pdf) [elsewhere](b.html) [b](https://example.org/c.pdf)',
      'score.pdf': '%PDF-1.4\n',
      'b.html': '<p>',
    });
    expect(await run(s)).toMatchObject([{ outcome: 'created', notes: [] }]);
    const [post] = (await s.call(null, 'getPosts', {})).posts;
    expect(post).toMatchObject({
      content: expect.stringMatching(
        /^\[the score\]\(\/files\/[\w-]{16}\/score\.pdf\) \[elsewhere\]\(b\.html\) \[b\]\(https:\/\/example\.org\/c\.pdf\)$/,
      ),
    });
  });

  it('an import of Markdown reads dates from addresses, links posts to each other, and redirects old addresses to them', async () => {
    const s = await site();
    await write({
      'pages/one.md':
        '---\ntitle: One\npath: /blog/2017-05-03-one\n---\nSee [two](../_posts/2018-06-04-two.md#part).',
      '_posts/2018-06-04-two.md':
        '---\ntitle: Two\naliases: [/old/two]\n---\n{{< figure src="/c.png" caption="A dot" >}}',
      'static/c.png': png,
    });
    expect((await run(s)).flatMap(({ notes }) => notes)).toEqual([]);
    const [one, two] = [await importedId(s, 'pages/one.md'), await importedId(s, '_posts/2018-06-04-two.md')];
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.map(post => [post.id, post.publishedAt?.slice(0, 10)])).toEqual([
      [two, '2018-06-04'],
      [one, '2017-05-03'],
    ]);
    const read = async (postId: string) =>
      (await s.call(await s.admin(), 'getPost', { postId, withContent: true })).post.content;
    expect(await read(one)).toBe(`See [two](/post/${two}).`);
    expect(await read(two)).toMatch(/^!\[\]\(\/files\/[\w-]+\)\n\n\*A dot\*$/);
    for (const path of ['/old/two/', '/2018/06/04/two.html'])
      expect((await s.request(path)).headers.get('location')).toBe(`/post/${two}`);
    expect((await s.request('/blog/2017-05-03-one')).headers.get('location')).toBe(`/post/${one}`);
  });

  it('an import of Markdown reuses files that an interrupted run has stored', async () => {
    const s = await site();
    await write({ 'a.md': '# A\n\n![](c.png)', 'c.png': png });
    await run(s);
    // As after a kill between storing the picture and saving the post.
    await s.deps.db.deleteFrom('imported').execute();
    await s.deps.db.deleteFrom('posts').execute();
    await run(s);
    expect(await s.deps.db.selectFrom('files').select('id').execute()).toHaveLength(1);
    expect(await s.deps.db.selectFrom('post_files').select('file_id').execute()).toHaveLength(1);
  });

  it('an import never turns a published post into a draft', async () => {
    const s = await site();
    await write({ 'a.md': 'One.' });
    await run(s);
    await write({ 'a.md': '---\ndraft: true\n---\nOne.' });
    expect(await run(s)).toMatchObject([
      { outcome: 'updated', notes: ['it is published already and stays so'] },
    ]);
    expect((await s.call(null, 'getPosts', {})).posts).toHaveLength(1);
  });

  it('an import of Markdown continues after a file that cannot be read', async () => {
    const s = await site();
    await write({
      'a.md': '---\ntitle: [\n---\nText',
      'b.md': '',
      'c.md': `${'> '.repeat(500)}deep`,
      'd.md': Buffer.from('Caf\xe9.', 'latin1'),
      'e.md': 'x'.repeat(5_000_000),
    });
    const files = await run(s);
    expect(outcomes(files)).toEqual({
      'a.md': 'skipped',
      'b.md': 'skipped',
      'c.md': 'skipped',
      'd.md': 'created',
      'e.md': 'skipped',
    });
    expect(files.filter(file => file.outcome === 'skipped').every(file => (file.reason ?? '') !== '')).toBe(
      true,
    );
    expect((await s.call(null, 'getPosts', {})).posts).toMatchObject([{ content: 'Café.' }]);
  });

  it('an import of Markdown reports a file of which more than one word in a hundred is missing', async () => {
    const s = await site();
    await write({
      'lost.md': 'It returns a List<String> with all of them.\n',
      'whole.md':
        '# Boats\n\n<div>\n\nOne **boat** {{< figure src="a.png" caption="The hill" >}}\n\n</div>\n',
      'sentence.mdx': 'import duties were raised\n',
    });
    const items = await run(s, {});
    expect(Object.fromEntries(items.map(({ source, notes }) => [source, notes]))).toEqual({
      'lost.md': ['1 of its 9 words are missing here: compare it with the original'],
      'whole.md': [{ file: 'a.png', text: 'was not found' }],
      'sentence.mdx': [],
    });
  });

  it('an import of Markdown refuses a folder that does not exist', async () => {
    const s = await site();
    await expect(run(s, { from: at('nothing') })).rejects.toThrow('There is no folder');
  });
});
