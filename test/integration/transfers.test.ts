import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { setAdmin } from '../../server/accounts/members/roles.ts';
import { sweepFiles } from '../../server/files/jobs.ts';
import { workOnTransfers } from '../../server/moving/transfers/work.ts';
import { sweepTransfers } from '../../server/moving/transfers/write.ts';
import { describeEngines } from '../support/engines.ts';
import { exportOf, post as ghostPost } from '../support/ghost-import.ts';
import { png } from '../support/png.ts';
import { refusal } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { check, hour, latest, leftIn, markdown, reportOf, starting, work } from '../support/transfers.ts';
import { wordpressExport, wordpressSite } from '../support/wordpress-export.ts';
import { zipOf } from '../support/zip.ts';

const short = (lines: { source: string; text: string }[]) =>
  lines.map(({ source, text }) => ({ source, text }));

describeEngines(({ site, siteWithAdmin }) => {
  it('an import in the browser is checked first, reports what would be imported, and writes nothing until an admin starts it', async () => {
    const [s, admin] = await siteWithAdmin();
    const transferId = await check(
      s,
      admin,
      markdown({ 'walks/a.md': '---\ntitle: A\ntags: [hills]\n---\nUp.', 'walks/b.md': 'Down.', 'c.md': '' }),
    );
    expect(await latest(s, admin)).toMatchObject({ state: 'waiting', by: admin.username });
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ id: transferId, state: 'checked', done: 3, total: 3 });
    const dry = await reportOf(s, admin, transferId);
    expect(dry).toMatchObject({
      isDryRun: true,
      counts: { post: { created: 2, skipped: 1 } },
      postsByTag: { hills: 1 },
      skipped: [{ source: 'c.md' }],
    });
    expect((await s.call(admin, 'listPosts', {})).posts).toEqual([]);

    await s.call(admin, 'startImport', { transferId });
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'done', done: 3, files: [] });
    expect(await reportOf(s, admin, transferId)).toMatchObject({ ...dry, isDryRun: false });
    expect((await s.call(admin, 'listPosts', {})).posts).toHaveLength(2);
    expect(await leftIn(s)).toEqual({ uploads: [], files: [] });
    const { entries } = await s.call(admin, 'getHistory', { kind: 'import-started' });
    const chosen = { opens: false, leavesTagsOut: false };
    expect(entries).toMatchObject([{ actor: { id: admin.id }, thing: { name: 'Markdown' }, ...chosen }]);
  });

  it('an import in the browser opens no post from which the source has taken tags, until an admin says so', async () => {
    const [s, admin] = await siteWithAdmin();
    const bring = async (text: string, opens?: boolean) => {
      const transferId = await check(
        s,
        admin,
        markdown({ 'a.md': text, 'b.md': 'Apples, and more apples.' }),
      );
      await work(s);
      const dry = await reportOf(s, admin, transferId);
      await s.call(admin, 'startImport', { transferId, opens });
      await work(s);
      const { posts } = await s.call(null, 'getPosts', {});
      const { open, closed } = await reportOf(s, admin, transferId);
      if (!opens) expect([short(open), short(closed)]).toEqual([short(dry.open), short(dry.closed)]);
      return {
        open: short(open),
        closed: short(dry.closed),
        posts: posts.map(post => ('html' in post ? post.html.replaceAll(/<[^>]*>/g, '').trim() : '')).sort(),
      };
    };
    const apples = { source: 'b.md', text: 'Apples, and more apples.' };
    const closed = [{ source: 'a.md', text: 'family' }];
    const others = ['Apples, and more apples.'];
    expect(await bring('---\ntags: family\n---\nUp.')).toEqual({ open: [apples], closed: [], posts: others });
    expect(await bring('Up.')).toEqual({ open: [apples], closed, posts: others });
    expect(await bring('Up.', true)).toMatchObject({ closed, posts: [...others, 'Up.'] });
  });

  it('an import in the browser makes an admin of the source a member, and says so', async () => {
    const [s, admin] = await siteWithAdmin();
    const user = { id: 'u1', email: 'jane@example.com', slug: 'jane', name: 'Jane', status: 'active' };
    const json = exportOf({
      roles: [{ id: 'r1', name: 'Administrator' }],
      users: [{ ...user, created_at: '2020-01-01 00:00:00' }],
      roles_users: [{ role_id: 'r1', user_id: 'u1' }],
      posts: [ghostPost('p1', { html: '<p>Bread.</p>' })],
    });
    const { url } = await upload(s, admin, 'posts/imports/1_ghost.json', Buffer.from(json));
    const { transferId } = await s.call(admin, 'checkImport', {
      source: 'ghost',
      files: [{ slot: 'export', url }],
    });
    await work(s);
    const text = 'it was an admin there: make it one under Users, if it is to be one here';
    expect((await reportOf(s, admin, transferId)).notes).toContainEqual(expect.objectContaining({ text }));
    await s.call(admin, 'startImport', { transferId });
    await work(s);
    const { users } = await s.call(admin, 'getUsers', { list: 'approved' });
    expect(users).toMatchObject([{ username: 'jane', isAdmin: false }]);
  });

  it('the report of an import in the browser names the field of the form for a missing file, and the post by its title and id', async () => {
    const [s, admin] = await siteWithAdmin();
    const show = `<img src="${wordpressSite}/wp-content/uploads/2020/05/a.png">`;
    const xml = wordpressExport([{ id: 1, title: 'A', content: `Up. ${show}` }]);
    const { url } = await upload(s, admin, 'posts/imports/1_site.xml', xml);
    const files = [{ slot: 'export', url }];
    const { transferId } = await s.call(admin, 'checkImport', { source: 'wordpress', files });
    await work(s);
    const note = {
      source: 'posts/1',
      title: 'A',
      file: `${wordpressSite}/wp-content/uploads/2020/05/a.png`,
      text: 'stays where it is, because no copy of wp-content/uploads was given (choose it under “Media” and check the files again)',
    };
    expect((await reportOf(s, admin, transferId)).notes).toEqual([note]);
    await s.call(admin, 'startImport', { transferId });
    await work(s);
    const [post] = (await s.call(admin, 'getPosts', { isAdmin: true })).posts;
    expect((await reportOf(s, admin, transferId)).notes).toEqual([{ ...note, postId: post?.id }]);
  });

  it('an import in the browser imports a WordPress export with its media, and assigns posts of an unknown author to nobody', async () => {
    const [s, admin] = await siteWithAdmin();
    const show = `<img src="${wordpressSite}/wp-content/uploads/2020/05/a.png">`;
    const xml = wordpressExport([{ id: 1, title: 'A', content: `Up. ${show}`, comments: [{ id: 5 }] }]);
    const { url } = await upload(s, admin, 'posts/imports/1_site.xml', xml);
    const media = await upload(
      s,
      admin,
      'posts/imports/2_m.zip',
      zipOf([{ name: '2020/05/a.png', bytes: png }]),
    );
    const files = [
      { slot: 'export', url },
      { slot: 'media', url: media.url },
    ];
    const { transferId } = await s.call(admin, 'checkImport', { source: 'wordpress', files });
    await work(s);
    expect(await reportOf(s, admin, transferId)).toMatchObject({ files: 1, comments: 1 });
    await s.call(admin, 'startImport', { transferId });
    await work(s);
    const { posts } = await s.call(admin, 'getPosts', { isAdmin: true });
    expect(posts).toMatchObject([{ title: 'A', authorId: null, commentCount: 1 }]);
    // The picture of the post alone.
    expect((await leftIn(s)).files).toHaveLength(1);
  });

  it('an import in the browser runs one at a time, and uses only files that this admin has uploaded for it', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const theirs = await upload(s, other, 'posts/imports/x.zip', markdown({ 'a.md': 'A.' }));
    const ofPost = await upload(s, admin, 'posts/x.zip', markdown({ 'a.md': 'A.' }));
    const asked = (slot: string, url: string) =>
      refusal(s.call(admin, 'checkImport', { source: 'markdown', files: [{ slot, url }] }));
    expect(await asked('archive', theirs.url)).toBe('not-found');
    expect(await asked('archive', ofPost.url)).toBe('not-found');
    expect(await asked('archive', '/files/../etc/passwd')).toBe('not-found');
    expect(await asked('users', theirs.url)).toBe('invalid-argument');
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    expect(await refusal(check(s, other, markdown({ 'longer.md': 'A.' })))).toBe('already-exists');
    expect(await refusal(s.call(other, 'startExport', { format: 'archive' }))).toBe('already-exists');
    const member = await s.member();
    for (const name of ['getTransfers', 'startExport'] as const)
      expect(await refusal(s.call(member, name, { format: 'archive' }))).toBe('permission-denied');
  });

  it('an import in the browser reports why it cannot read a file, by its original name, and deletes it', async () => {
    const [s, admin] = await siteWithAdmin();
    const name = "1_$& $' toots.zip";
    const { url } = await upload(s, admin, `posts/imports/${name}`, markdown({ 'a.md': 'A.' }));
    await s.call(admin, 'checkImport', { source: 'mastodon', files: [{ slot: 'archive', url }] });
    await work(s);
    const { state, error } = await latest(s, admin);
    expect({ state, error }).toEqual({
      state: 'failed',
      error: `There is no outbox.json of a Mastodon archive in ${name}.`,
    });
    expect(await leftIn(s)).toEqual({ uploads: [], files: [] });
    await check(s, admin, Buffer.from('PK\x03\x04 no archive'));
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'failed', error: /^The archive cannot be read/ });
  });

  it('an import in the browser names the file that it cannot read, of more than ten', async () => {
    const [s, admin] = await siteWithAdmin();
    const parts = Array.from({ length: 11 }, (_, n) => (n < 10 ? wordpressExport([]) : Buffer.from('<rss>')));
    const uploads = parts.map((part, n) => upload(s, admin, `posts/imports/${n}.xml`, part));
    const files = (await Promise.all(uploads)).map(({ url }) => ({ slot: 'export', url }));
    await s.call(admin, 'checkImport', { source: 'wordpress', files });
    await work(s);
    expect((await latest(s, admin)).error).toMatch(/^10\.xml cannot be imported\./);
  });

  it('an import in the browser ends when an admin stops it, and when the admin who began it loses the role', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const first = await check(s, admin, markdown({ 'a.md': 'A.' }));
    await s.call(other, 'endTransfer', { transferId: first });
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'cancelled' });
    expect(await leftIn(s)).toEqual({ uploads: [], files: [] });
    s.wait(1);
    const second = await check(s, admin, markdown({ 'a.md': 'A.' }));
    await work(s);
    await s.call(admin, 'startImport', { transferId: second });
    s.wait(1);
    await setAdmin(s.deps, admin.id, false);
    await work(s);
    expect(await latest(s, other)).toMatchObject({ id: second, state: 'failed' });
    expect((await s.call(other, 'listPosts', {})).posts).toEqual([]);
  });

  it('an import of a stuck process ends when the admin who began it loses the role or the account', async () => {
    const s = await site();
    await s.admin();
    const hanging = join(s.config.dataDir, 'hanging.mjs');
    await writeFile(hanging, "process.on('message', () => {});");
    const db = s.deps.db;
    for (const end of [
      (id: string) => setAdmin(s.deps, id, false),
      (id: string) => db.deleteFrom('users').where('id', '=', id).execute(),
    ]) {
      const admin = await s.admin();
      const id = await check(s, admin, markdown({ 'a.md': 'A.' }));
      const state = async () => {
        const row = await db.selectFrom('transfers').select('state').where('id', '=', id).executeTakeFirst();
        return row?.state;
      };
      const ended = workOnTransfers(s.deps, { ...starting, program: pathToFileURL(hanging) });
      await expect.poll(state).toBe('running');
      await end(admin.id);
      await ended;
      expect(await state()).toBe('failed');
    }
  });

  it('an import in the browser ends if the admin lacks the second factor that the site requires', async () => {
    const [s, admin] = await siteWithAdmin();
    const id = await check(s, admin, markdown({ 'a.md': 'A.' }));
    await work(s);
    await s.call(admin, 'startImport', { transferId: id });
    await s.deps.db.insertInto('settings').values({ name: 'admin-factor', value: 'required' }).execute();
    s.wait(1);
    await work(s);
    const row = await s.deps.db.selectFrom('transfers').select('state').executeTakeFirst();
    expect(row).toEqual({ state: 'failed' });
    expect(await s.deps.db.selectFrom('posts').select('id').execute()).toEqual([]);
  });

  it('an import that is not started for a day ends, and its files are deleted', async () => {
    const [s, admin] = await siteWithAdmin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    await work(s);
    s.wait(23 * hour);
    await sweepTransfers(s.deps);
    expect(await latest(s, admin)).toMatchObject({ state: 'checked' });
    s.wait(2 * hour);
    await sweepTransfers(s.deps);
    expect(await latest(s, admin)).toMatchObject({ state: 'cancelled' });
    expect((await leftIn(s)).files).toEqual([]);
    // Uploaded, and never checked.
    await upload(s, admin, 'posts/imports/left.csv', 'login,pass');
    s.wait(3 * 24 * hour + 1);
    await sweepFiles(s.deps);
    expect(await s.deps.db.selectFrom('files').selectAll().execute()).toEqual([]);
  });

  it('an import that an admin starts just as it expires continues, with its files', async () => {
    const [s, admin] = await siteWithAdmin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    await work(s);
    s.wait(25 * hour);
    const started = { state: 'waiting', is_dry_run: false, began_at: null } as const;
    const { sweeping } = await s.deps.db.transaction().execute(async trx => {
      await trx.updateTable('transfers').set(started).execute();
      // It finds the import as it was before, and must wait until the admin has started it.
      return { sweeping: sweepTransfers(s.deps) };
    });
    await sweeping;
    expect(await latest(s, admin)).toMatchObject({ state: 'waiting' });
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'done', done: 1 });
  });
});
