import { expect, it } from 'vitest';
import { sentenceOf } from '../../contract/history-sentence.ts';
import { describeEngines } from '../support/engines.ts';
import { refusal } from '../support/site.ts';
import { check, markdown, reportOf, work } from '../support/transfers.ts';

describeEngines(({ siteWithAdmin }) => {
  it('an import in the browser gives posts to the authors whom the admin chooses for the names of the source, also in a later run', async () => {
    const [s, admin] = await siteWithAdmin();
    const [lucy, reader] = [await s.member([], 'lucy'), await s.member()];
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
    const of = (author: string) => `---\ntitle: ${author}\nauthor: ${author}\n---\nUp.`;
    const zip = markdown({ 'a.md': of('Miss W'), 'b.md': of('Lucy'), 'c.md': of('Quincey') });
    const run = async (authors: { name: string; userId: string | null }[]) => {
      const transferId = await check(s, admin, zip);
      await work(s);
      const { report, writers } = await s.call(admin, 'getTransferReport', { transferId });
      expect(writers.map(({ id }) => id).sort()).toEqual([admin.id, lucy.id].sort());
      const wrong = { transferId, authors: [{ name: 'Quincey', userId: reader.id }] };
      expect(await refusal(s.call(admin, 'startImport', wrong))).toBe('invalid-argument');
      await s.call(admin, 'startImport', { transferId, authors });
      await work(s);
      const { posts } = await s.call(admin, 'getPosts', { isAdmin: true });
      const by = posts.map(post => [post.title, post.authorId] as const);
      return { found: report?.postsByAuthor.map(({ name }) => name).sort(), by: Object.fromEntries(by) };
    };
    const first = await run([
      { name: 'Miss W', userId: lucy.id },
      { name: 'Lucy', userId: null },
    ]);
    expect(first.found).toEqual(['Lucy', 'Miss W', 'Quincey']);
    expect(first.by).toEqual({ 'Miss W': lucy.id, Lucy: null, Quincey: null });
    // Only posts without an author can get one.
    const second = await run([
      { name: 'Quincey', userId: admin.id },
      { name: 'Miss W', userId: null },
      { name: 'Lucy', userId: null },
    ]);
    expect(second.found).toEqual(['Lucy', 'Quincey']);
    expect(second.by).toEqual({ 'Miss W': lucy.id, Lucy: null, Quincey: admin.id });
  });

  it('an import in the browser gives a post to the author chosen for a name that is longer than the report shows', async () => {
    const [s, admin] = await siteWithAdmin();
    const author = 'Wilhelmina '.repeat(12).trim();
    const transferId = await check(s, admin, markdown({ 'a.md': `---\nauthor: ${author}\n---\nUp.` }));
    await work(s);
    const [named] = (await reportOf(s, admin, transferId)).postsByAuthor;
    expect(named?.name).toMatch(/^Wilhelmina.*…$/);
    const authors = [{ name: named?.name ?? '', userId: admin.id }];
    await s.call(admin, 'startImport', { transferId, authors });
    await work(s);
    const { postsByAuthor } = await reportOf(s, admin, transferId);
    expect(postsByAuthor).toEqual([{ ...named, username: admin.username }]);
  });

  it('an import in the browser names no author for a changed post that has one here, and keeps it', async () => {
    const [s, admin] = await siteWithAdmin();
    const lucy = await s.member([], 'lucy');
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
    const run = async (text: string, userId: string) => {
      const zip = markdown({ 'a.md': `---\ntitle: A\nauthor: Miss W\n---\n${text}` });
      const transferId = await check(s, admin, zip);
      await work(s);
      const dry = await reportOf(s, admin, transferId);
      await s.call(admin, 'startImport', { transferId, authors: [{ name: 'Miss W', userId }] });
      await work(s);
      const done = await reportOf(s, admin, transferId);
      const { posts } = await s.call(admin, 'getPosts', { isAdmin: true });
      return {
        updated: done.counts.post?.updated,
        named: [...dry.postsByAuthor, ...done.postsByAuthor].map(({ username }) => username),
        by: posts.map(post => post.authorId),
      };
    };
    expect(await run('Up.', lucy.id)).toEqual({ updated: undefined, named: [null, 'lucy'], by: [lucy.id] });
    expect(await run('Up, up.', admin.id)).toEqual({ updated: 1, named: [], by: [lucy.id] });
  });

  it('an import in the browser leaves tags out where the admin wants posts as open as they were at the source', async () => {
    const [s, admin] = await siteWithAdmin();
    const transferId = await check(s, admin, markdown({ 'a.md': '---\ntags: hills\n---\nUp.' }));
    await work(s);
    expect(await reportOf(s, admin, transferId)).toMatchObject({ wereOpen: 1, narrowed: 1, open: [] });
    await s.call(admin, 'startImport', { transferId, leavesTagsOut: true });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'import-started' });
    expect(entries.map(sentenceOf)).toEqual([
      `${admin.username} started an import from Markdown, and left out tags that close posts which the source does not restrict.`,
    ]);
    await work(s);
    expect(await reportOf(s, admin, transferId)).toMatchObject({ narrowed: 0, open: [{ text: 'Up.' }] });
    expect((await s.call(null, 'getPosts', {})).posts).toMatchObject([{ tags: [] }]);
  });
});
