import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, it } from 'vitest';
import { setAdmin } from '../../server/accounts/decisions.ts';
import { verifyArchive } from '../../server/archive/verify.ts';
import { sweepFiles } from '../../server/files/jobs.ts';
import { workOnTransfers } from '../../server/transfers/work.ts';
import { sweepTransfers } from '../../server/transfers/write.ts';
import { describeEngines } from '../engines.ts';
import { essay } from '../factories.ts';
import { type Person, refusal, type Site } from '../site.ts';
import { upload } from '../storage.ts';
import { wordpressExport, wordpressSite } from '../wordpress-export.ts';
import { zipOf } from '../zip.ts';

const program = pathToFileURL(join(inject('programs'), 'transfer-process.js'));
const hour = 60 * 60_000;

/** Does what waits, as a process of the site does once a second. */
const work = (s: Site) => workOnTransfers(s.deps, { program, niceness: 0 });
const latest = async (s: Site, admin: Person) => {
  const [first] = (await s.call(admin, 'getTransfers', {})).transfers;
  if (first === undefined) throw new Error('There is no transfer.');
  return first;
};
const reportOf = async (s: Site, admin: Person, transferId: string) => {
  const { report } = await s.call(admin, 'getTransferReport', { transferId });
  if (report === null) throw new Error('There is no report.');
  return report;
};

const markdown = (posts: Record<string, string>) =>
  zipOf(Object.entries(posts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));

/** Uploads an archive for an import, and has it checked. Returns the id of the transfer. */
async function check(s: Site, admin: Person, bytes: Buffer, source: 'markdown' | 'mastodon' = 'markdown') {
  const { url } = await upload(s, admin, `posts/imports/${bytes.length}_walks.zip`, bytes);
  const files = [{ slot: 'archive', url }];
  return (await s.call(admin, 'checkImport', { source, files })).transferId;
}

/** Names of what lies in the data folder for uploads and in the store of files. */
const leftIn = async ({ config }: Site) => ({
  uploads: await readdir(join(config.dataDir, 'uploads')).catch(() => []),
  files: await readdir(join(config.dataDir, 'files')).catch(() => []),
});

describeEngines('an import in the browser', ({ site }) => {
  it('is checked first, says what would come, and writes nothing until an admin starts it', async () => {
    const s = await site();
    const admin = await s.admin();
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
    expect(entries).toMatchObject([{ actor: { id: admin.id }, thing: { name: 'Markdown' } }]);
  });

  it('takes an export of WordPress with its media, and gives nobody the posts of an author who is not here', async () => {
    const s = await site();
    const admin = await s.admin();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
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

  it('is one at a time, and takes only what this admin has uploaded for it', async () => {
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

  it('says why it cannot read a file, by the name that the file was uploaded with, and deletes it', async () => {
    const s = await site();
    const admin = await s.admin();
    const { url } = await upload(s, admin, 'posts/imports/1_toots.zip', markdown({ 'a.md': 'A.' }));
    await s.call(admin, 'checkImport', { source: 'mastodon', files: [{ slot: 'archive', url }] });
    await work(s);
    const { state, error } = await latest(s, admin);
    expect({ state, error }).toEqual({
      state: 'failed',
      error: 'There is no outbox.json of a Mastodon archive in 1_toots.zip.',
    });
    expect(await leftIn(s)).toEqual({ uploads: [], files: [] });
    await check(s, admin, Buffer.from('PK\x03\x04 no archive'));
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'failed', error: /^The archive cannot be read/ });
  });

  it('is ended by an admin while it waits, and by losing the role of who began it', async () => {
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

  it('goes on for no admin who lacks the second factor that the site requires', async () => {
    const s = await site();
    const admin = await s.admin();
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

  it('that nobody starts for a day is ended, and its files are deleted', async () => {
    const s = await site();
    const admin = await s.admin();
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

  it('that a process has died of goes on in the next one, without doubles', async () => {
    const s = await site();
    const admin = await s.admin();
    const posts = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}.md`, `Words ${index}.`]),
    );
    const transferId = await check(s, admin, markdown(posts));
    await work(s);
    await s.call(admin, 'startImport', { transferId });
    // What a process leaves that was killed after some posts: it has told nobody.
    const stopping = new AbortController();
    const halted = workOnTransfers({ ...s.deps, stopping: stopping.signal }, { program, niceness: 0 });
    const count = async () => (await s.call(admin, 'listPosts', {})).posts.length;
    await expect.poll(count).toBeGreaterThan(0);
    stopping.abort();
    await halted;
    await work(s);
    expect(await latest(s, admin)).toMatchObject({ state: 'done' });
    const rows = await s.deps.db.selectFrom('posts').select('content').execute();
    expect(rows.map(row => row.content).sort()).toEqual(Object.values(posts).sort());
  });

  it('that processes die of again and again is given up', async () => {
    const s = await site();
    const admin = await s.admin();
    await check(s, admin, markdown({ 'a.md': 'A.' }));
    const dying = join(s.config.dataDir, 'dying.mjs');
    await writeFile(dying, "process.on('message', () => process.kill(process.pid, 'SIGKILL'));");
    for (let time = 0; time < 6; time += 1) {
      await workOnTransfers(s.deps, { program: new URL(`file://${dying}`), niceness: 0 });
      s.wait(1);
    }
    expect(await latest(s, admin)).toMatchObject({ state: 'failed', error: /^It was interrupted 5 times/ });
  });
});

describeEngines('an export in the browser', ({ site }) => {
  const made = async (s: Site, admin: Person, format: 'archive' | 'markdown') => {
    const { transferId } = await s.call(admin, 'startExport', { format });
    await work(s);
    return { transferId, transfer: await latest(s, admin) };
  };

  it('of the whole site is an archive that is whole, for admins alone', async () => {
    const s = await site();
    const admin = await s.admin();
    await s.call(admin, 'createPost', essay());
    const { transferId, transfer } = await made(s, admin, 'archive');
    expect(transfer).toMatchObject({ state: 'done', made: { posts: 1, missing: 0 } });
    const { url } = await s.call(admin, 'openExport', { transferId });
    const answer = await s.request(url, admin);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="?coterie-/);
    expect(bytes).toHaveLength(transfer.made?.size ?? 0);
    const open = async function* () {
      yield bytes;
    };
    expect((await verifyArchive({ name: 'download', open })).manifest.kinds.posts?.rows).toBe(1);
    for (const person of [null, await s.member(), await s.denied()])
      expect((await s.request(url, person)).status).toBe(404);
    const { token } = await s.makeToken(admin);
    expect((await s.request(url, null, { headers: { authorization: `Bearer ${token}` } })).status).toBe(403);
    const { entries } = await s.call(admin, 'getHistory', {});
    expect(entries.map(entry => entry.kind)).toEqual(
      expect.arrayContaining(['export-made', 'export-downloaded']),
    );
  });

  it('of the posts is a zip archive that an import takes back', async () => {
    const s = await site();
    const admin = await s.admin();
    const { post } = await s.call(admin, 'createPost', essay({ title: 'Rivers' }));
    const { transferId } = await made(s, admin, 'markdown');
    const { url } = await s.call(admin, 'openExport', { transferId });
    const bytes = Buffer.from(await (await s.request(url, admin)).arrayBuffer());
    await s.call(admin, 'deletePost', { postId: post.id });
    s.wait(1);
    const imported = await check(s, admin, bytes);
    await work(s);
    await s.call(admin, 'startImport', { transferId: imported });
    await work(s);
    expect((await s.call(admin, 'getPost', { postId: post.id })).post.title).toBe('Rivers');
  });

  it('is downloaded only by an admin who has signed in just now, and deleted after a day', async () => {
    const s = await site();
    const admin = await s.admin();
    const { transferId } = await made(s, admin, 'archive');
    const before = new Date(Date.now() - 11 * 60_000).toISOString();
    await s.deps.db.updateTable('sessions').set({ created_at: before }).execute();
    expect(await refusal(s.call(admin, 'openExport', { transferId }))).toBe('failed-precondition');
    expect(await refusal(s.call(admin, 'startExport', { format: 'archive' }))).toBe('failed-precondition');
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(400);
    await s.deps.db.updateTable('sessions').set({ password_given_at: Date.now() }).execute();
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(200);
    s.wait(23 * hour);
    await sweepTransfers(s.deps);
    await sweepFiles(s.deps);
    expect((await leftIn(s)).files).toHaveLength(1);
    // By the clock of the process that made it.
    await s.deps.db
      .updateTable('transfers')
      .set({ ended_at: s.deps.clock() - 25 * hour })
      .execute();
    await sweepTransfers(s.deps);
    expect((await leftIn(s)).files).toEqual([]);
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(404);
    expect(await latest(s, admin)).toMatchObject({ state: 'done', made: null });
  });
});
