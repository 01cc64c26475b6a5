import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { Input } from '../../contract/operations.ts';
import { exportMarkdown, exportMarkdownZip } from '../../server/moving/archive/markdown-targets.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { describeEngines } from '../support/engines.ts';
import { contentOf, target } from '../support/exported-content.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { importAll } from '../support/imports.ts';
import type { Person, Site } from '../support/site.ts';
import { storeFile } from '../support/storage.ts';

/** All that an author writes of an essay, but what an export as Markdown leaves out on purpose. */
type Exported = Required<
  Omit<Extract<Input<'createPost'>, { type: 'essay' }>, 'saveKey' | 'tagIds' | 'date' | 'isQuiet'>
>;

/** Posts with what could be lost on the way. Returns the id of the open one. */
async function fill(s: Site, admin: Person): Promise<string> {
  const store = async (name: string, bytes: Buffer) =>
    await storeFile(s.deps, { name, bytes, uploaderId: admin?.id ?? '' });
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#a63' } })
    .png()
    .toBuffer();
  const [photo, twin, paper] = [
    await store('Mein Bild (1).png', png),
    await store('mein_bild_1_.png', await sharp(png).negate().png().toBuffer()),
    await store('index.md', Buffer.from('# A file, not a post')),
  ];
  const full: Exported = {
    ...{ type: 'essay', isDraft: false, shownIn: 'timeline', mailsBeginning: true },
    title: 'On "rivers": # 007 — true',
    description: 'Where they come from.',
    content: `# On "rivers": # 007 — true\n\nIt says its title twice.  \n\n---\n\n![one](${photo.url})\n<img src="${twin.url}">\n[paper](${paper.url})`,
    tags: ['water', '1.10', 'true', 'a; b'],
    cardPicture: twin.url,
    attachments: [
      { url: paper.url, description: 'The paper: "all" of it' },
      { url: photo.url, description: 'In May', alt: 'A meadow: "green"' },
    ],
  };
  const [open = ''] = await publish(
    s,
    admin,
    full,
    shortPost('# No heading, two lines\n\nand `---` in it'),
    essay({ title: 'On rivers', tags: ['friends'] }),
    essay({ title: '中文', tags: [], isDraft: true }),
    essay({ title: 'On rivers', content: '---\ntitle: not mine\n---\nStill the text.' }),
  );
  await s.setDefaultTags(['water', '1.10', 'true', 'a; b']);
  const member = await s.member();
  const words = 'One\n---\n  two: "three"\n\n# four';
  const { comment } = await s.call(member, 'addComment', { postId: open, content: words });
  await s.call(admin, 'addComment', { postId: open, content: 'null', parentId: comment.id });
  const rude = (await s.call(member, 'addComment', { postId: open, content: 'Rude.' })).comment;
  await s.call(admin, 'hideComment', { commentId: rude.id, reason: 'Be "kind".' });
  await s.call(admin, 'setPinned', { postId: open, isPinned: true });
  await s.call(admin, 'setCommentsClosed', { postId: open, isClosed: true });
  return open;
}

/** Debian's package `hugo`, which not every machine has. */
const hasHugo = spawnSync('hugo', ['version']).status === 0;

describeEngines(({ site }) => {
  it('an export as Markdown has the tags of a post that was saved with a new combination after the export had loaded the tags', async () => {
    const s = await site();
    const loaded = await s.deps.catalogue();
    await publish(s, await s.admin(), essay({ title: 'For friends', tags: ['friends'] }));
    const place = await target();
    await exportMarkdown({ ...s.deps, catalogue: async () => loaded }, place);
    const [folder = ''] = await readdir(place);
    expect(await readFile(join(place, folder, 'index.md'), 'utf8')).toContain('friends');
  });

  it.each([
    ['folder', exportMarkdown],
    ['zip archive', exportMarkdownZip],
  ])(
    'an export as Markdown is taken back from a %s without loss: posts, dates, tags, files, comments',
    async (_, exportTo) => {
      const [s, other] = [await site(), await site()];
      await fill(s, await s.admin());
      const place = await target();
      const told = await exportTo(s.deps, place);
      expect(told).toMatchObject({ posts: 5, files: 3, missing: [] });
      const open = () => markdownSource(place, 'UTC');
      other.wait(24 * 60 * 60_000);
      const author = await other.admin();
      const notes = [];
      for await (const item of runImport(other.deps, await open(), {
        authorId: author?.id ?? null,
        isDryRun: false,
      })) {
        notes.push(...item.notes, ...(item.reason === undefined ? [] : [item.reason]));
      }
      expect(notes).toEqual([]);
      expect(await contentOf(other)).toEqual(await contentOf(s));
      // Once more changes nothing.
      for await (const item of runImport(other.deps, await open(), {
        authorId: author?.id ?? null,
        isDryRun: false,
      })) {
        expect([item.source, item.outcome]).toEqual([item.source, 'unchanged']);
      }
    },
  );

  it('an export as Markdown is taken back without opening a closed post to those who have a tag of its name on another site', async () => {
    const [first, second, other] = [await site(), await site(), await site()];
    const holder = await other.member(['friends']);
    await publish(other, await other.admin(), essay({ title: 'On hills', tags: ['friends'] }));
    await other.setDefaultTags(['rain']);
    const importFrom = async ({ deps }: Site, publicUrl: string) => {
      const place = await target();
      await exportMarkdown({ ...deps, config: { ...deps.config, publicUrl } }, place);
      await importAll(other.deps, await markdownSource(place, 'UTC'), { authorId: null, isDryRun: false });
    };
    const closed = (title: string) => essay({ title, tags: ['friends', 'rain'] });
    await publish(
      first,
      await first.admin(),
      closed('On rivers'),
      essay({ title: 'On rain', tags: ['rain'] }),
    );
    await first.setDefaultTags(['rain']);
    await importFrom(first, 'https://rivers.example');
    // A tag that was given to somebody for the posts of one site opens no post of another.
    await publish(second, await second.admin(), closed('On lakes'));
    await importFrom(second, 'https://lakes.example');
    const titles = async (as: Person) =>
      (await other.call(as, 'getPosts', {})).posts.map(({ title }) => title);
    expect((await titles(holder)).sort()).toEqual(['On hills', 'On rain']);
    const { posts } = await other.call(await other.admin(), 'getPosts', { isAdmin: true });
    expect(Object.fromEntries(posts.map(({ title, tags }) => [title, tags]))).toEqual({
      'On hills': ['friends'],
      'On rain': ['rain'],
      'On rivers': ['friends 2', 'rain'],
      'On lakes': ['friends 3', 'rain 2'],
    });
  });

  it('an export as Markdown marks posts that visitors may not read as drafts for site generators', async () => {
    const s = await site();
    await fill(s, await s.admin());
    const folder = await target();
    await exportMarkdown(s.deps, folder);
    const texts = await Promise.all(
      (await readdir(folder)).map(name => readFile(join(folder, name, 'index.md'), 'utf8')),
    );
    const hidden = texts.filter(text => /^draft: true$/m.test(text));
    expect(hidden.map(text => /^ {2}state: (.*)$/m.exec(text)?.[1]).sort()).toEqual(['draft', 'published']);
    expect(hidden.some(text => /^ +- friends$/m.test(text))).toBe(true);
  });

  it.skipIf(!hasHugo)(
    'an export as Markdown is built by Hugo, which publishes nothing of what is closed',
    async () => {
      const s = await site();
      await fill(s, await s.admin());
      const folder = await target();
      const web = dirname(folder);
      await exportMarkdown(s.deps, join(web, 'content/posts'));
      await mkdir(join(web, 'layouts/_default'), { recursive: true });
      await writeFile(join(web, 'config.toml'), 'baseURL = "https://walks.example/"\ntitle = "Walks"\n');
      const list = '{{ range .Site.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}';
      await writeFile(join(web, 'layouts/_default/list.html'), list);
      await writeFile(join(web, 'layouts/index.html'), list);
      await writeFile(join(web, 'layouts/_default/single.html'), '<h1>{{ .Title }}</h1>{{ .Content }}');
      const { stderr } = await promisify(execFile)('hugo', ['--source', web]);
      expect(stderr).toBe('');
      const built = await readdir(join(web, 'public/posts'), { recursive: true });
      const open: string[] = [];
      for (const name of await readdir(join(web, 'content/posts'))) {
        const text = await readFile(join(web, 'content/posts', name, 'index.md'), 'utf8');
        if (!/^draft: true$/m.test(text)) open.push(name);
      }
      expect(open.length).toBeGreaterThan(0);
      const folders = new Set(built.filter(path => path.includes('/')).map(path => path.split('/')[0]));
      // Hugo writes addresses in lower case.
      expect([...folders].sort()).toEqual(open.map(name => name.toLowerCase()).sort());
      for (const name of open) {
        const files = await readdir(join(web, 'content/posts', name));
        expect(await readdir(join(web, 'public/posts', name.toLowerCase()))).toEqual(
          // To Hugo any other Markdown is a part of the page.
          ['index.html', ...files.filter(file => !file.endsWith('.md'))].sort(),
        );
      }
    },
  );

  it('an export as Markdown names its folders by the days of the site and the words of the posts', async () => {
    const s = await site();
    const admin = await s.admin();
    const { values, version } = await s.call(admin, 'getSiteSettings', {});
    await s.call(admin, 'saveSiteSettings', { values: { ...values, timeZone: 'Europe/Vienna' }, version });
    await publish(
      s,
      admin,
      essay({ title: 'Über Flüsse' }),
      essay({ title: 'رحلة إلى النهر' }),
      essay({ title: '한국어' }),
      essay({ title: `${'ab '.repeat(18)}😀𝒳𝒳𝒳` }),
      shortPost('A walk **along** the river, early in the morning, with nobody else about.'),
      shortPost('🌊'),
    );
    const published_at = Date.parse('2026-11-28T23:30:00Z');
    await s.deps.db.updateTable('posts').set({ published_at }).execute();
    const folder = await target();
    await exportMarkdown(s.deps, folder);
    const names = (await readdir(folder)).sort();
    expect(names.every(name => name.startsWith('2026-11-29-') && Buffer.byteLength(name) < 255)).toBe(true);
    expect(names).toEqual(
      expect.arrayContaining([
        '2026-11-29-uber-flusse',
        '2026-11-29-رحلة-إلى-النهر',
        '2026-11-29-한국어',
        '2026-11-29-a-walk-along-the-river-early-in-the-morning-with',
      ]),
    );
    const other = await site();
    await importAll(other.deps, await markdownSource(folder, 'Europe/Vienna'));
    expect(await other.deps.db.selectFrom('posts').select('id').execute()).toHaveLength(6);
  });

  it('an export as Markdown refuses a folder that is not empty, and begins again after it was killed', async () => {
    const s = await site();
    await fill(s, await s.admin());
    const folder = await target();
    await mkdir(folder);
    await writeFile(join(folder, 'mine.md'), 'Mine.');
    await expect(exportMarkdown(s.deps, folder)).rejects.toThrow('not empty');
    expect(await readdir(folder)).toEqual(['mine.md']);
    await rm(folder, { recursive: true });
    await mkdir(join(`${folder}.unfinished`, 'half'), { recursive: true });
    await exportMarkdown(s.deps, folder);
    expect(await readdir(dirname(folder))).toEqual(['site']);
    expect(await readdir(folder)).not.toContain('half');
  });

  it('an export as Markdown refuses a place where there is a file, before it writes anything', async () => {
    const s = await site();
    const place = await target();
    await writeFile(place, 'Mine.');
    await expect(exportMarkdown(s.deps, place)).rejects.toThrow('is not a folder');
    expect(await readdir(dirname(place))).toEqual([basename(place)]);
  });
});
