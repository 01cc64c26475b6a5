import { expect, it } from 'vitest';
import type { DraftItem } from '../../server/moving/import/draft.ts';
import { addToReport, emptyReport } from '../../server/moving/import/report.ts';
import type { ImportOptions } from '../../server/moving/import/run.ts';
import { importItems, post } from '../support/drafts.ts';
import { describeEngines } from '../support/engines.ts';
import { importedPost } from '../support/imports.ts';
import type { Site } from '../support/site.ts';

const items: DraftItem[] = [
  post({ id: 'plain', content: 'Plain.' }),
  post({ id: 'travel', content: 'Travel.', tags: ['Travel', 'News'] }),
  post({ id: 'news', content: 'News.', tags: ['news'] }),
  post({ id: 'private', content: 'Private.', tags: ['Travel'], audience: ['private'] }),
  post({ id: 'draft', content: 'Draft.', tags: ['Travel'], isDraft: true }),
];

describeEngines(({ siteWithAdmin }) => {
  const run = async (s: Site, from: readonly DraftItem[], options: Partial<ImportOptions> = {}) => {
    const report = reportOf(await importItems(s, from, options));
    const { wereOpen, narrowed, narrowedPosts, open, closed } = report;
    expect(narrowedPosts).toHaveLength(narrowed);
    const { posts } = await s.call(null, 'getPosts', {});
    const shown = posts.map(found => ('html' in found ? found.html.replaceAll(/<[^>]*>/g, '').trim() : ''));
    return {
      wereOpen,
      narrowed,
      narrowedBy: narrowedPosts.map(({ source, text }) => `${source}: ${text}`).sort(),
      open: open.map(line => line.text).sort(),
      closed: closed.map(line => line.source),
      shown: shown.sort(),
    };
  };

  it('an import lists the posts that the source does not restrict and that tags close here, and opens none of them by itself', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addTag', { name: 'News' });
    await s.call(admin, 'setDefaultTags', { tags: ['News'] });
    const narrowedBy = ['travel: Travel'];
    const expected = { wereOpen: 3, narrowed: 1, narrowedBy, open: ['News.', 'Plain.'], closed: [] };
    expect(await run(s, items, { isDryRun: true })).toEqual({ ...expected, shown: [] });
    expect(await run(s, items)).toEqual({ ...expected, shown: ['News.', 'Plain.'] });
    // Nothing has changed, and they are still closed.
    expect(await run(s, items)).toMatchObject(expected);
  });

  it('an import that leaves tags out keeps open what the source does not restrict, and nothing else', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'addTag', { name: 'News' });
    await s.call(admin, 'setDefaultTags', { tags: ['News'] });
    const options = { leavesTagsOut: true };
    const open = ['News.', 'Plain.', 'Travel.'];
    const expected = { wereOpen: 3, narrowed: 0, narrowedBy: [], open, closed: [] };
    expect(await run(s, items, { ...options, isDryRun: true })).toEqual({ ...expected, shown: [] });
    expect(await run(s, items, options)).toEqual({ ...expected, shown: ['News.', 'Plain.', 'Travel.'] });
    expect((await importedPost(s, 'travel')).tags).toEqual(['News']);
    expect((await importedPost(s, 'private')).tags).toEqual(['private', 'Travel']);
    expect(await importedPost(s, 'draft')).toMatchObject({ isDraft: true, tags: ['Travel'] });
    const again = await importItems(s, items, options);
    expect(again.map(item => item.outcome)).toEqual(Array(5).fill('unchanged'));
  });

  it('a later import that leaves tags out opens posts that came with them, but none that was restricted then or was edited here', async () => {
    const [s, admin] = await siteWithAdmin();
    const before = [
      post({ id: 'travel', content: 'Travel.', tags: ['Travel'] }),
      post({ id: 'edited', content: 'Edited.', tags: ['Travel'] }),
      post({ id: 'restricted', content: 'Restricted.', tags: ['Travel'], audience: ['private'] }),
    ];
    expect(await run(s, before)).toMatchObject({ wereOpen: 2, narrowed: 2, shown: [] });
    const { id: postId, version } = await importedPost(s, 'edited');
    const words = { type: 'essay', title: 'One', description: 'One.', content: 'Edited.' } as const;
    await s.call(admin, 'updatePost', { postId, version, ...words, tags: ['Travel'], isDraft: false });
    expect(await run(s, before)).toMatchObject({ wereOpen: 2, narrowed: 1 });
    const after = before.map(item => ({ ...item, audience: [] }));
    expect(await run(s, after, { leavesTagsOut: true })).toMatchObject({
      narrowed: 0,
      closed: ['restricted'],
      shown: ['Travel.'],
    });
  });

  it('the report names untitled posts by the words that readers see, also posts that an import leaves as they are', async () => {
    const [s, admin] = await siteWithAdmin();
    const picture = '![](https://walks.example/a.png)';
    const untitled = [
      post({ id: 'bold', content: '**Bold** words and [a link](https://a.example).' }),
      post({ id: 'picture', content: picture, fallbackTitle: 'Untitled' }),
      post({
        id: 'closed',
        content: `${picture}\n\n<b>Closed</b> _words_.`,
        tags: ['Travel'],
        notes: ['It has a note'],
      }),
    ];
    const titles = async (isDryRun: boolean) => {
      const { open, notes, skipped } = reportOf(await importItems(s, untitled, { isDryRun }));
      const named = [...open, ...notes, ...skipped].map(({ source, title }) => [source, title]);
      expect(open.map(({ text }) => text)).toEqual(open.map(({ title }) => title));
      return Object.fromEntries(named);
    };
    const [bold, closed] = ['Bold words and a link.', 'Closed words.'];
    expect(await titles(true)).toEqual({ bold, picture: 'Untitled', closed });
    expect(await titles(false)).toEqual({ bold, picture: 'Untitled', closed });
    expect(await titles(false)).toEqual({ bold, picture: 'Untitled' });
    const { id: postId } = await importedPost(s, 'closed');
    await s.call(admin, 'deletePost', { postId });
    untitled.push(post({ id: 'closed', content: `${picture}\n\n<b>Closed</b> _words_, changed.` }));
    expect(await titles(false)).toMatchObject({ closed: 'Closed words, changed.' });
  });
});

function reportOf(found: Awaited<ReturnType<typeof importItems>>) {
  const report = emptyReport(false, []);
  for (const item of found) addToReport(report, item);
  return report;
}
