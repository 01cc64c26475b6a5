import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exportMarkdown } from '../../server/moving/archive/markdown-targets.ts';
import { markdownSource } from '../../server/moving/import/markdown/source.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { importAll } from '../support/imports.ts';
import { storeFile } from '../support/storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { at, write } = temporaryFolder();

describeEngines(({ site, siteWithAdmin }) => {
  it('an export as Markdown names the files of a text however their addresses are written there', async () => {
    const [s, other] = [await site(), await site()];
    const admin = await s.admin();
    const paper = { name: 'paper.pdf', bytes: Buffer.from('%PDF-1.4 one'), uploaderId: admin?.id ?? '' };
    const { url } = await storeFile(s.deps, paper);
    const whole = s.deps.config.publicUrl + url;
    const content = `![w](${url}?width=480) [p](${url}#page=3)\n\n[w]: ${whole}\n\nSee ${whole}#page=2, <${whole}>.`;
    await publish(s, admin, essay({ content }));
    const place = at('site');
    await exportMarkdown(s.deps, place);
    const [folder = ''] = await readdir(place);
    expect(await readFile(join(place, folder, 'index.md'), 'utf8')).toContain(
      `![w](paper.pdf) [p](paper.pdf#page=3)\n\n[w]: paper.pdf\n\nSee [paper.pdf#page=2](paper.pdf#page=2), [paper.pdf](paper.pdf).`,
    );
    await importAll(other.deps, await markdownSource(place, 'UTC'), { authorId: null, isDryRun: false });
    const post = await other.deps.db.selectFrom('posts').select('content').executeTakeFirstOrThrow();
    const file = await other.deps.db.selectFrom('files').select('id').executeTakeFirstOrThrow();
    expect(post.content).toContain(`[p](/files/${file.id}/paper.pdf#page=3)`);
    expect(post.content).not.toContain(url);
  });

  it('an export as Markdown has no attachment of which a program for sites would make a page', async () => {
    const [s, admin] = await siteWithAdmin();
    const names = [
      'index.html',
      'Index.HTM',
      'index.adoc',
      'a.html',
      'b.xhtml',
      'c.org',
      'index.md',
      'd.markdown',
    ];
    const attachments = [];
    for (const name of [...names, 'paper.pdf']) {
      const { url } = await storeFile(s.deps, { name, bytes: Buffer.from('x'), uploaderId: admin?.id ?? '' });
      attachments.push({ url, description: null });
    }
    await publish(s, admin, essay({ attachments, tags: ['friends'] }));
    const place = at('site');
    await exportMarkdown(s.deps, place);
    const [folder = ''] = await readdir(place);
    const found = (await readdir(join(place, folder))).filter(name => !/^[\w-]{16}-\w+\.text$/.test(name));
    expect(found.sort()).toEqual(['index.md', 'paper.pdf']);
  });

  it('an export as Markdown imports no file from outside its folder, whatever the text was changed to', async () => {
    const [s, admin] = await siteWithAdmin();
    const folder = at('site');
    const own =
      'coterie:\n  id: abcdefghijklmnop\n  type: short\n  created: 2026-01-01\n  files: {../secret.png: x.png}\n';
    await write({
      'site/secret.png': 'secret',
      'site/post/index.md': `---\ndate: 2026-01-01\n${own}---\n![x](../secret.png)\n`,
    });
    const source = await markdownSource(folder, 'UTC');
    for await (const item of runImport(s.deps, source, { authorId: admin?.id ?? null, isDryRun: false })) {
      expect(item.notes).toEqual([{ file: '../secret.png', text: 'lies outside of the folder' }]);
    }
    expect(await s.deps.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });
});
