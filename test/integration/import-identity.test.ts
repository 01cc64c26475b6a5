import { rename } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ghostSource } from '../../server/moving/import/ghost/source.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { importItems, post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { exportOf, post as ghostPost } from '../support/ghost-import.ts';
import { importAll, importedId, importedPost } from '../support/imports.ts';
import { markdownFolder, outcomes } from '../support/markdown-folder.ts';
import type { Site } from '../support/site.ts';
import { wordpressExport } from '../support/wordpress-export.ts';

const { at, write, run } = markdownFolder();

/** The words and tags of every post. */
const contents = async (s: Site) => {
  const { posts } = await s.call(await s.admin(), 'getPosts', { isAdmin: true });
  return posts.map(post => [post.type === 'short' ? post.content : post.title, ...post.tags]);
};

describeEngines(({ site }) => {
  it('the identity of a source keeps two folders apart whose files have the same paths', async () => {
    const s = await site();
    await write({
      'one/a.md': '---\ndate: 2020-01-02\ntags: family\n---\nWe have moved to the old house by the sea.',
      'one/b.md': '---\ndate: 2020-01-01\n---\nThe garden is full of apples this year.',
      'two/a.md': '---\ndate: 2021-01-02\n---\nNotes on the compiler that I wrote.',
      'two/b.md': '---\ndate: 2021-01-01\n---\nHow to parse dates, and how not to.',
    });
    for (const isUpload of [false, true]) {
      await run(s, { from: at('one'), isUpload });
      await run(s, { from: at('two'), isUpload });
    }
    expect((await contents(s)).sort()).toEqual([
      ['How to parse dates, and how not to.'],
      ['Notes on the compiler that I wrote.'],
      ['The garden is full of apples this year.'],
      ['We have moved to the old house by the sea.', 'family'],
    ]);
  });

  it('the identity of a source finds the posts of a folder again that was moved, and of which half was written anew', async () => {
    const s = await site();
    await write({
      'one/a.md': '---\ntitle: A\ndate: 2020-01-01\n---\nFirst words.',
      'one/b.md': 'The garden is full of apples this year, and of wasps.',
      'one/c.md': 'Something short.',
    });
    await run(s, { from: at('one') });
    await rename(at('one'), at('two'));
    await write({
      'two/a.md': '---\ntitle: A\ndate: 2020-01-01\n---\nNothing is as it was.',
      'two/b.md': 'The garden is full of apples this year, and of many wasps.',
      'two/c.md': 'It is long now.',
    });
    for (const isDryRun of [true, false])
      expect(outcomes(await run(s, { from: at('two'), isUpload: true, isDryRun }))).toEqual({
        'a.md': 'updated',
        'b.md': 'updated',
        'c.md': 'updated',
      });
  });

  it('the identity of a source finds the posts that an earlier version imported, which named no source', async () => {
    const s = await site();
    const drafts = [post({ id: 'a.md', content: 'The garden is full of apples.' })];
    await importItems(s, drafts, { name: '' });
    await write({ 'a.md': 'The garden is full of apples this year.', 'b.md': 'New.' });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'updated', 'b.md': 'created' });
  });

  it('the identity of a source brings back nothing that was deleted here, wherever the folder lies', async () => {
    const s = await site();
    await write({ 'one/a.md': 'One.', 'one/b.md': 'Two.' });
    await run(s, { from: at('one') });
    for (const name of ['a.md', 'b.md'])
      await s.call(await s.admin(), 'deletePost', { postId: await importedId(s, name) });
    await write({ 'two/a.md': 'One.', 'two/b.md': 'Two.' });
    const outcome = new Set((await run(s, { from: at('two'), isUpload: true })).map(item => item.outcome));
    expect([...outcome]).toEqual(['kept']);
    expect(await contents(s)).toEqual([]);
  });

  it('the identity of a source keeps two sites of Ghost with the same title and numbers apart, and their readers', async () => {
    const s = await site();
    const tables = (words: string) => ({
      settings: [{ key: 'title', value: 'Blog' }],
      posts: [1, 2].map(id =>
        ghostPost(String(id), { html: `<p>${words} ${id}</p>`, title: words, visibility: 'members' }),
      ),
    });
    const bring = async (words: string) => {
      await write({ 'ghost.json': exportOf(tables(words)) });
      return await importAll(s.deps, await ghostSource({ file: at('ghost.json') }));
    };
    const ids = await Promise.all([await bring('Apples'), await bring('Compilers'), await bring('Apples')]);
    expect(ids.map(items => items.map(({ outcome }) => outcome))).toEqual([
      ['created', 'created'],
      ['created', 'created'],
      ['unchanged', 'unchanged'],
    ]);
    expect(new Set((await contents(s)).map(([, ...tags]) => tags.join()))).toEqual(
      new Set(['members', 'members 2']),
    );
  });

  it('the identity of a source keeps two sites of WordPress apart whose exports name no address', async () => {
    const s = await site();
    const bring = async (words: string) => {
      const items = [1, 2].map(id => ({ id, title: words, content: `<p>${words} ${id}</p>` }));
      await write({ 'export.xml': wordpressExport(items, '', '') });
      const source = await wordpressSource({ files: [at('export.xml')], timeZone: 'UTC' });
      return (await importAll(s.deps, source)).map(({ outcome }) => outcome);
    };
    expect([await bring('Apples'), await bring('Compilers'), await bring('Apples')]).toEqual([
      ['created', 'created'],
      ['created', 'created'],
      ['unchanged', 'unchanged'],
    ]);
    const titles = (await contents(s)).map(([title]) => title);
    expect(titles.sort()).toEqual(['Apples', 'Apples', 'Compilers', 'Compilers']);
  });
});

describeEngines(({ site }) => {
  const garden = '---\ndate: 2020-01-01\ntags: family\n---\nThe garden is full of apples this year.';

  it('a file that was renamed updates its post, which keeps its tags, its files and its address', async () => {
    const s = await site();
    const withFile = `${garden}\n\n[Apples](apples.txt)`;
    await write({ 'garden.md': withFile, 'apples.txt': 'Boskoop', 'other.md': 'See [it](garden.md).' });
    await run(s);
    const before = await importedPost(s, 'garden.md');
    await rename(at('garden.md'), at('apples.md'));
    await write({ 'other.md': 'See [it](apples.md).' });
    for (const isDryRun of [true, false]) {
      const items = await run(s, { isDryRun });
      expect(outcomes(items)).toEqual({ 'apples.md': 'updated', 'other.md': 'updated' });
      expect(items[0]).toMatchObject({ notes: ['it was called garden.md before'], files: 0 });
    }
    expect(outcomes(await run(s))).toEqual({ 'apples.md': 'unchanged', 'other.md': 'unchanged' });
    expect(await importedPost(s, 'apples.md')).toMatchObject({ id: before.id, content: before.content });
    expect(await importedPost(s, 'other.md')).toMatchObject({ content: `See [it](/post/${before.id}).` });
    expect(await contents(s)).toHaveLength(2);
  });

  it('a renamed file is told apart from a copy and from another text of the same day', async () => {
    const s = await site();
    await write({ 'a.md': garden, 'b.md': '---\ndate: 2020-01-01\n---\nWasps.' });
    await run(s);
    await rename(at('a.md'), at('moved.md'));
    await write({ 'second.md': garden, 'copy-of-b.md': '---\ndate: 2020-01-01\n---\nWasps.' });
    const { 'moved.md': one, 'second.md': other, ...others } = outcomes(await run(s));
    expect(others).toEqual({ 'b.md': 'unchanged', 'copy-of-b.md': 'created' });
    // Which of the two is read first depends on the file system.
    expect([one, other].sort()).toEqual(['created', 'updated']);
  });

  it('a file that was renamed leaves what was edited or deleted here as it is', async () => {
    const s = await site();
    await write({ 'a.md': garden, 'b.md': 'Wasps.', 'c.md': 'Bees.' });
    await run(s);
    const edited = await importedPost(s, 'a.md');
    await s.call(await s.admin(), 'updatePost', {
      type: 'short',
      content: 'Pears.',
      tags: ['family'],
      isDraft: false,
      postId: edited.id,
    });
    await s.call(await s.admin(), 'deletePost', { postId: await importedId(s, 'b.md') });
    await rename(at('a.md'), at('a2.md'));
    await rename(at('b.md'), at('b2.md'));
    for (const text of ['Wasps.', 'Wasps and hornets.']) {
      await write({ 'b2.md': text });
      expect(outcomes(await run(s))).toEqual({ 'a2.md': 'kept', 'b2.md': 'kept', 'c.md': 'unchanged' });
    }
    expect((await contents(s)).sort()).toEqual([['Bees.'], ['Pears.', 'family']]);
  });
});

describeEngines(({ site }) => {
  it('an update that takes tags away stays closed until it is confirmed, and says so each time', async () => {
    const s = await site();
    const bring = (fields: Parameters<typeof post>[0], isOpening?: boolean) =>
      importItems(s, [post(fields)], { isOpening });
    await bring({ tags: ['family', 'walks'] });
    const open = { tags: ['walks'], content: 'Now for all.' };
    expect(await bring(open)).toMatchObject([
      { outcome: 'updated', closed: ['family'], tags: ['walks', 'family'] },
    ]);
    expect(await bring(open)).toMatchObject([{ outcome: 'unchanged', closed: ['family'] }]);
    expect(await contents(s)).toEqual([['Now for all.', 'family', 'walks']]);
    expect(await bring(open, true)).toMatchObject([{ outcome: 'updated', closed: [], tags: ['walks'] }]);
    expect(await contents(s)).toEqual([['Now for all.', 'walks']]);
    const [item] = await bring(open);
    expect(item).toMatchObject({ outcome: 'unchanged' });
    expect(item).not.toHaveProperty('closed');
  });

  it('an update that takes tags away opens nothing of a group, either', async () => {
    const s = await site();
    await importItems(s, [post({ audience: ['friends'] })]);
    expect(await importItems(s, [post({})])).toMatchObject([{ outcome: 'updated', closed: ['friends'] }]);
    expect((await s.call(null, 'getPosts', {})).posts).toEqual([]);
  });
});

describeEngines(({ site }) => {
  it('posts that are open to everybody are told by the import and by its dry run, new and unchanged', async () => {
    const s = await site();
    const items = [
      post({ id: 'open', title: 'For all' }),
      post({ id: 'closed', tags: ['family'] }),
      post({ id: 'draft', isDraft: true }),
    ];
    for (const isDryRun of [true, false, false]) {
      const told = await importItems(s, items, { isDryRun });
      expect(told.map(({ source, open }) => [source, open])).toEqual([
        ['open', 'For all'],
        ['closed', undefined],
        ['draft', undefined],
      ]);
    }
  });
});
