import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { exportMarkdown } from '../../server/moving/archive/markdown-targets.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { addToReport, emptyReport } from '../../server/moving/import/report.ts';
import { type ImportOptions, runImport } from '../../server/moving/import/run.ts';
import { wordpressSource } from '../../server/moving/import/wordpress/source.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { changeUser } from '../support/rows.ts';
import type { Person, Site } from '../support/site.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordpressExport } from '../support/wordpress-export.ts';

const { at } = temporaryFolder();

/** Markdown files by their names, each with the front matter that names its author. */
async function write(authors: Record<string, string>): Promise<void> {
  for (const [name, author] of Object.entries(authors)) {
    const path = at(`${name}.md`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `---\ntitle: ${name}\n${author}\n---\nUp.`);
  }
}

async function run(site: Site, options: Partial<ImportOptions> = {}, from = at()) {
  const report = emptyReport(options.isDryRun ?? false, []);
  const source = await markdownSource(from, 'UTC');
  const whole = { authorId: null, isDryRun: false, ...options };
  for await (const item of runImport(site.deps, source, whole)) addToReport(report, item);
  return report;
}

/** Whose each post is, by its title. */
async function authors({ deps: { db } }: Site) {
  const rows = await db
    .selectFrom('posts')
    .leftJoin('users', 'users.id', 'posts.author_id')
    .select(['title', 'display_username'])
    .execute();
  return Object.fromEntries(rows.map(row => [row.title, row.display_username]));
}

describeEngines(({ site, siteWithAdmin }) => {
  const author = async (s: Site, admin: Person, name: string, columns: Record<string, unknown> = {}) => {
    const person = await s.member([], name);
    await s.call(admin, 'setAuthor', { userId: person.id, isAuthor: true });
    await changeUser(s, person.id, { name: `${name} of Whitby`, ...columns });
    return person;
  };

  it('authors of imported posts are matched by username or confirmed address to accounts that write here, never by a full name, which its owner may change', async () => {
    const [s, admin] = await siteWithAdmin();
    await author(s, admin, 'lucy');
    await author(s, admin, 'mina', { email: 'mina@walks.example', email_verified: true });
    const arthur = await author(s, admin, 'arthur');
    await s.call(arthur, 'changeName', { name: 'Quincey Morris' });
    await s.member([], 'renfield');
    await write({
      username: 'author: Lucy',
      address: 'author: {name: W. Harker, email: MINA@walks.example}',
      both: 'author: Wilhelmina <mina@walks.example>',
      'full name': 'draft: true\nauthor: Quincey Morris',
      member: 'author: renfield',
      // Nobody has shown that this mailbox is theirs.
      unconfirmed: 'author: lucy@example.com',
      nobody: 'draft: false',
    });
    const report = await run(s, { authorId: admin.id });
    expect(await authors(s)).toEqual({
      username: 'lucy',
      address: 'mina',
      both: 'mina',
      'full name': null,
      member: null,
      unconfirmed: null,
      nobody: admin.username,
    });
    expect(report.postsByAuthor.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'Lucy', username: 'lucy', posts: 1 },
      { name: 'Quincey Morris', username: null, posts: 1 },
      { name: 'W. Harker', username: 'mina', posts: 1 },
      { name: 'Wilhelmina', username: 'mina', posts: 1 },
      { name: 'lucy@example.com', username: null, posts: 1 },
      { name: 'renfield', username: null, posts: 1 },
    ]);
    const users = await s.deps.db
      .selectFrom('users')
      .select('username')
      .where('is_author', '=', true)
      .execute();
    expect(users).toHaveLength(3);
  });

  it('authors of imported posts are the accounts that the importing person names for them, or one account for all', async () => {
    const [s, admin] = await siteWithAdmin();
    const lucy = await author(s, admin, 'lucy');
    await write({ one: 'author: Miss Westenra', two: 'author: lucy', three: 'author: somebody' });
    const byName = new Map([['miss westenra', lucy.id]]);
    await run(s, { authors: { byName, others: admin.id } });
    expect(await authors(s)).toEqual({ one: 'lucy', two: 'lucy', three: admin.username });
  });

  it('authors of imported posts get the posts that were imported without an author once an account has their name, and no other posts', async () => {
    const [s, admin] = await siteWithAdmin();
    await write({ one: 'author: lucy', two: 'author: lucy', three: 'author: mina' });
    const dry = await run(s, { isDryRun: true });
    expect(await run(s)).toMatchObject({
      postsByAuthor: dry.postsByAuthor,
      counts: { post: { created: 3 } },
    });
    expect(await authors(s)).toEqual({ one: null, two: null, three: null });
    const lucy = await author(s, admin, 'lucy');
    await author(s, admin, 'mina');
    const { id } = await s.deps.db
      .selectFrom('posts')
      .select('id')
      .where('title', '=', 'three')
      .executeTakeFirstOrThrow();
    await s.deps.db.updateTable('posts').set({ author_id: admin.id }).where('id', '=', id).execute();
    await writeFile(at('two.md'), '---\ntitle: two\nauthor: lucy\n---\nUp again.');
    expect((await run(s, { isDryRun: true })).counts.post).toEqual({ updated: 2, unchanged: 1 });
    expect(await authors(s)).toEqual({ one: null, two: null, three: admin.username });
    expect((await run(s)).counts.post).toEqual({ updated: 2, unchanged: 1 });
    expect(await authors(s)).toEqual({ one: 'lucy', two: 'lucy', three: admin.username });
    expect((await s.call(admin, 'getSiteSettings', {})).values.namesAuthors).toBe('true');
    expect((await run(s)).counts.post).toEqual({ unchanged: 3 });
    // They are hers to edit, and she is told apart from the admin.
    const own = await s.call(lucy, 'listPosts', {});
    expect(own.posts.map(post => post.title).sort()).toEqual(['one', 'two']);
  });

  it('authors of WordPress posts are found by login, not by display name', async () => {
    const [s, admin] = await siteWithAdmin();
    await author(s, admin, 'harker', { name: 'Mina Harker' });
    await author(s, admin, 'quincey');
    const file = at('export.xml');
    const exported = wordpressExport([
      { id: 1, title: 'by name', content: 'Up.' },
      { id: 2, title: 'by login', content: 'Up.', author: 'quincey' },
      { id: 3, title: 'nobody here', content: 'Up.', author: 'renfield' },
    ]);
    await writeFile(file, exported);
    const source = await wordpressSource({ files: [file], timeZone: 'UTC' });
    const report = emptyReport(false, []);
    const options = { authorId: admin.id, isDryRun: false };
    for await (const item of runImport(s.deps, source, options)) addToReport(report, item);
    expect(await authors(s)).toEqual({ 'by name': null, 'by login': 'quincey', 'nobody here': null });
    expect(report.postsByAuthor).toEqual([
      { name: 'Mina Harker', username: null, posts: 1 },
      { name: 'quincey', username: 'quincey', posts: 1 },
      { name: 'renfield', username: null, posts: 1 },
    ]);
  });

  it('authors of imported posts are restored from an export as Markdown', async () => {
    const [s, other] = [await site(), await site()];
    const admin = await s.admin();
    const lucy = await author(s, admin, 'lucy');
    await publish(s, lucy, essay({ title: 'Hers' }));
    await publish(s, admin, essay({ title: 'His' }));
    const place = at('site');
    await exportMarkdown(s.deps, place);
    const texts = await Promise.all(
      (await readdir(place)).map(name => readFile(join(place, name, 'index.md'), 'utf8')),
    );
    expect(texts.map(text => /^author: (.*)$/m.exec(text)?.[1]).sort()).toEqual(['lucy', admin.username]);
    await author(other, await other.admin(), 'lucy');
    await run(other, {}, place);
    // The admin of both has the same username.
    expect(await authors(other)).toEqual({ Hers: 'lucy', His: admin.username });
  });

  it('authors of imported posts cannot fill a report with any number of names', async () => {
    const s = await site();
    await write(
      Object.fromEntries(
        Array.from({ length: 510 }, (_, index) => [`p${index}`, `author: n${index} ${'x'.repeat(5_000)}`]),
      ),
    );
    const { postsByAuthor } = await run(s, { isDryRun: true });
    expect(postsByAuthor).toHaveLength(500);
    expect(Math.max(...postsByAuthor.map(({ name }) => name.length))).toBeLessThanOrEqual(101);
  });
});
