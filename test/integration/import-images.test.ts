import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { uploaded } from '../support/author-files.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { importedId } from '../support/imports.ts';
import { markdownFolder, outcomes } from '../support/markdown-folder.ts';
import { png } from '../support/png.ts';
import type { Person } from '../support/site.ts';
import { mp3Frame } from '../support/videos.ts';

const { at, write, run } = markdownFolder();

describeEngines(({ site }) => {
  it('a sound that an imported text shows as an image plays in its post', async () => {
    const s = await site();
    const admin = await s.admin();
    await write({ 'blog/talk.md': '![Rain at night](rain.mp3)', 'blog/rain.mp3': mp3Frame });
    await run(s, { authorId: admin.id });
    const { post } = await s.call(admin, 'getPost', { postId: await importedId(s, 'blog/talk.md') });
    const [address = ''] = post.content?.match(/\/files\/[\w-]+\/rain\.mp3/) ?? [];
    expect(post.html).toMatch(
      `<audio src="${address}" controls preload="metadata" aria-label="Rain at night">`,
    );
    expect((await s.request(address, admin)).headers.get('content-type')).toBe('audio/mpeg');
  });

  it('images of an import are taken from local files, and served to readers of the post', async () => {
    const s = await site();
    const get = async (path: string, as: Person, headers: Record<string, string> = {}) =>
      await s.request(path, as, { headers });
    const friend = await s.member(['friends']);
    const stranger = await s.member([]);
    const uploader = await s.admin();
    await writeFile(at('..', 'coterie-outside.png'), png);
    await symlink(at('..', 'coterie-outside.png'), at('link.png'));
    await write({
      'blog/private.md':
        '---\ntitle: P\ntags: friends\n---\n![a [b](c)](./pics/my%20one.png "t") ![](<pics/my one.png>) ![r][ref] <img alt=x src="/top.svg">\n\n[ref]: pics/my%20one.png\n\n`![](pics/my%20one.png)`',
      'blog/missing.md':
        '---\ntitle: M\n---\n![](gone.png) ![](../../coterie-outside.png) ![](../link.png) ![](secret.txt) ![](https://x.y/z.png)',
      'blog/open.md': '---\ntitle: O\n---\n![](pics/my%20one.png)',
      'blog/pics/my one.png': png,
      'blog/secret.txt': 'secret',
      'static/top.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const files = await run(s, { authorId: uploader.id });
    expect(files.find(file => file.source === 'blog/missing.md')?.notes).toEqual([
      { file: 'gone.png', text: 'was not found' },
      { file: '../../coterie-outside.png', text: 'lies outside of the folder' },
      { file: '../link.png', text: 'lies outside of the folder' },
      { file: 'secret.txt', text: 'is not a picture that browsers show' },
    ]);
    const { post } = await s.call(uploader, 'getPost', { postId: await importedId(s, 'blog/private.md') });
    const { content = '' } = post;
    const [picture] = content.match(/\/files\/[\w-]+/) ?? [];
    const drawing = /src="(\/files\/[^"]+)"/.exec(content)?.[1] ?? '';
    expect(content).toBe(
      `![a [b](c)](${picture} "t") ![](${picture}) ![r][ref] <img alt=x src="${drawing}">\n\n[ref]: ${picture}\n\n\`![](pics/my%20one.png)\``,
    );
    expect(post.html).toContain(`src="${picture}"`);

    const answer = await get(picture ?? '', friend);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(png);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, no-cache',
      'content-disposition': 'inline; filename="my one.png"',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    const again = await get(picture ?? '', friend, { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect((await get(drawing, friend)).headers.get('content-disposition')).toMatch(/^attachment;/);
    expect((await get(picture ?? '', uploader)).status).toBe(200);
    for (const person of [null, stranger]) {
      expect((await get(picture ?? '', person)).status).toBe(404);
      expect((await get(picture ?? '', person, { 'if-none-match': '*' })).status).toBe(404);
    }
    const open = await s.call(null, 'getPost', { postId: await importedId(s, 'blog/open.md') });
    const [publicPicture] = open.post.html.match(/\/files\/[\w-]+/) ?? [];
    expect((await get(publicPicture ?? '', null)).headers.get('cache-control')).toBe('public, no-cache');
    expect((await get('/files/..%2F..%2Fetc%2Fpasswd', uploader)).status).toBe(404);

    // The text changes, the picture does not: it is stored once. A picture that is gone is removed.
    await write({ 'blog/private.md': '---\ntitle: P\ntags: friends\n---\nNew ![](pics/my%20one.png)' });
    await run(s, { authorId: uploader.id });
    expect((await s.call(friend, 'getPost', { postId: post.id })).post.content).toBe(`New ![](${picture})`);
    expect((await get(drawing, uploader)).status).toBe(404);
    const rows = await s.deps.db.selectFrom('files').select('id').execute();
    expect((await readdir(join(s.config.dataDir, 'files'))).sort()).toEqual(rows.map(row => row.id).sort());
    expect(rows).toHaveLength(2);
    await rm(at('..', 'coterie-outside.png'));
  });

  it('images of an import may be as large as uploads, and are not read again if they are stored already', async () => {
    const s = await site();
    await s.call(await s.admin(), 'saveSiteSettings', { values: { fileMaxMib: 1 }, version: 0 });
    await write({
      'a.md': '![](large.png) ![](/files/abcdefghijklmnop) ![](/files/abcdefghijklmnop/a.png)',
      'large.png': Buffer.concat([png, Buffer.alloc(1024 * 1024)]),
    });
    expect(await run(s)).toMatchObject([
      { outcome: 'created', notes: [{ file: 'large.png', text: 'is larger than 1 MB' }] },
    ]);
  });

  it('images of other posts show nothing and open to nobody, whoever has uploaded them', async () => {
    const s = await site();
    const importer = await s.admin();
    await write({ 'a.md': '---\ntags: friends\n---\n![](a.png)', 'a.png': png });
    await run(s);
    const nobodys = await s.deps.db.selectFrom('files').select('id').executeTakeFirstOrThrow();
    const [own, others] = [await uploaded(s, importer), await uploaded(s, await s.admin())];
    await publish(s, importer, essay({ content: `![](${own.url})`, tags: ['friends'] }));
    await s.deps.db.updateTable('files').set({ width: 4, height: 3, placeholder: 'data:tiny' }).execute();
    const urls = [`/files/${nobodys.id}`, own.url, others.url];
    const named = urls.map(url => `![](${url})`).join(' ');
    await write({ 'open.md': named, 'update.md': 'Open.' });
    // By the command line, which may name no author, and as the admin who uploaded one of them.
    await run(s);
    await write({ 'open-too.md': named, 'update.md': named });
    await run(s, { authorId: importer.id });
    const statuses = await Promise.all(urls.map(async url => (await s.request(url)).status));
    expect(statuses).toEqual([404, 404, 404]);
    for (const name of ['open.md', 'open-too.md', 'update.md']) {
      const { html } = (await s.call(null, 'getPost', { postId: await importedId(s, name) })).post;
      for (const url of urls) expect(html).toContain(`src="${url}"`);
      expect(html).not.toMatch(/data-tiny|width="/);
    }
  });

  it('images of an import may stand under two names in one post, and are stored once', async () => {
    const s = await site();
    await write({
      'a.md': '![](beach.png) ![](beach-1.png)',
      'b.md': 'Two.',
      'beach.png': png,
      'beach-1.png': png,
    });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'created', 'b.md': 'created' });
    const { html } = (await s.call(null, 'getPost', { postId: await importedId(s, 'a.md') })).post;
    const shown = [...html.matchAll(/src="([^"]+)"/g)].map(([, address = '']) => address);
    expect(await Promise.all(shown.map(async address => (await s.request(address)).status))).toEqual([
      200, 200,
    ]);
    expect(await s.deps.db.selectFrom('files').select('id').execute()).toHaveLength(1);
  });

  it('images of an import are found by their bytes when an interrupted run has stored them under another name', async () => {
    const s = await site();
    await write({ 'a.md': '![](beach.png)', 'beach.png': png });
    await run(s);
    await s.deps.db.deleteFrom('post_files').execute();
    await write({ 'a.md': '![](beach-1.png)', 'beach-1.png': png });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'updated' });
    expect(await s.deps.db.selectFrom('files').select('id').execute()).toHaveLength(1);
  });

  it('images of an import stay on their post when its text is imported again', async () => {
    const s = await site();
    await write({ 'a.md': 'Once. ![](a.png)', 'a.png': png });
    await run(s);
    await write({ 'a.md': 'Twice. ![](a.png)' });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'updated' });
    const { post } = await s.call(null, 'getPost', { postId: await importedId(s, 'a.md') });
    const [address = ''] = post.html.match(/\/files\/[\w-]+/) ?? [];
    expect((await s.request(address)).status).toBe(200);
    expect(post.html).toMatch(/Twice\. <img width/);
  });

  it('images of an import are added later if they were missing before', async () => {
    const s = await site();
    await write({ 'a.md': '# A\n\n![](late.png)' });
    await run(s);
    await write({ 'late.png': png });
    expect(outcomes(await run(s))).toEqual({ 'a.md': 'updated' });
    expect(await s.deps.db.selectFrom('post_files').select('file_id').execute()).toHaveLength(1);
  });
});
