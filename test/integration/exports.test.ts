import { expect, it } from 'vitest';
import { sweepFiles } from '../../server/files/jobs.ts';
import { readBackupState } from '../../server/moving/archive/backup-state.ts';
import { backUpWhenDue } from '../../server/moving/archive/schedule.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { removeEarlierExports, sweepTransfers } from '../../server/moving/transfers/write.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';
import { refusal, renewSessions } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { check, hour, latest, leftIn, work } from '../support/transfers.ts';

describeEngines(({ site, siteWithAdmin }) => {
  const made = async (s: Site, admin: Person, format: 'archive' | 'markdown') => {
    const { transferId } = await s.call(admin, 'startExport', { format });
    await work(s);
    return { transferId, transfer: await latest(s, admin) };
  };

  it('an export of the whole site is a complete archive, only for admins', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('an export of the whole site counts as the last backup, and leaves the schedule unchanged', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.call(admin, 'createPost', essay());
    await s.call(admin, 'requestBackup', {});
    await backUpWhenDue(s.deps);
    const { last } = await readBackupState(s.deps.db);
    const shown = async () => (await s.call(admin, 'getBackupState', {})).last;
    await made(s, admin, 'markdown');
    expect(await shown()).toEqual(last);
    s.wait(1);
    // Its process has another clock, of later.
    const { transfer } = await made(s, admin, 'archive');
    const { name, size } = transfer.made ?? {};
    expect(await shown()).toMatchObject({ name, bytes: size, where: null, posts: 1 });
    expect((await readBackupState(s.deps.db)).last).toEqual(last);
    // It is deleted after a day, and hides no failure of a schedule.
    await s.call(admin, 'saveSiteSettings', { values: { backupAt: '03:00' }, version: 0 });
    expect(await shown()).toEqual(last);
  });

  it('an export of the whole site is no backup if it lacks more files than the last one', async () => {
    const [s, admin] = await siteWithAdmin();
    const { id } = await upload(s, admin, 'a.txt', 'some words');
    await made(s, admin, 'archive');
    const { last } = await s.call(admin, 'getBackupState', {});
    expect(last).toMatchObject({ files: 1, missing: 0 });
    await s.deps.files.remove(id);
    s.wait(1);
    expect((await made(s, admin, 'archive')).transfer).toMatchObject({ made: { missing: 1 } });
    expect((await s.call(admin, 'getBackupState', {})).last).toEqual(last);
  });

  it('an export of the posts is a zip archive that can be imported again', async () => {
    const [s, admin] = await siteWithAdmin();
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

  it('an export in the browser is not made for somebody who has lost the role of an admin before it begins', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const { transferId } = await s.call(admin, 'startExport', { format: 'markdown' });
    await s.call(other, 'setAdmin', { userId: admin.id, isAdmin: false });
    await work(s);
    expect(await latest(s, other)).toMatchObject({ state: 'failed', made: null });
    expect(await refusal(s.call(other, 'openExport', { transferId }))).toBe('not-found');
  });

  it('an export in the browser is in the history once for each session that downloads it, by whatever parts', async () => {
    const s = await site();
    const [admin, other] = [await s.admin(), await s.admin()];
    const { transferId } = await made(s, admin, 'archive');
    const address = `/exports/${transferId}`;
    const downloads = async () =>
      (await s.call(admin, 'getHistory', { kind: 'export-downloaded' })).entries.map(
        ({ actor }) => actor?.id,
      );
    await s.call(admin, 'openExport', { transferId });
    expect((await s.request(address, admin, { method: 'HEAD' })).status).toBe(200);
    expect(await downloads()).toEqual([]);
    for (const range of ['bytes=1-', 'bytes=0-0', 'bytes=5-9']) {
      const answer = await s.request(address, other, { headers: { range }, peer: '203.0.113.1' });
      expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([206, true]);
    }
    expect(await downloads()).toEqual([other.id]);
    await (await s.request(address, admin)).arrayBuffer();
    expect((await downloads()).sort()).toEqual([admin.id, other.id].sort());
    // Later it is another download, also before what was noted of the first is swept.
    s.wait(11 * 60_000);
    await renewSessions(s);
    expect((await s.request(address, other)).status).toBe(200);
    expect(await downloads()).toHaveLength(3);
  });

  it('an export in the browser takes the place of the one before it of its kind, so that exports do not fill the disk', async () => {
    const [s, admin] = await siteWithAdmin();
    const posts = await made(s, admin, 'markdown');
    const kept: number[] = [];
    for (let times = 1; times <= 3; times += 1) {
      s.wait(hour);
      await renewSessions(s);
      await made(s, admin, 'archive');
      kept.push((await leftIn(s)).files.length);
    }
    expect(kept).toEqual([2, 2, 2]);
    const { transfers } = await s.call(admin, 'getTransfers', {});
    expect(transfers.map(({ state, made }) => [state, made !== null])).toEqual([
      ['done', true],
      ['done', false],
      ['done', false],
      ['done', true],
    ]);
    expect((await s.request(`/exports/${posts.transferId}`, admin)).status).toBe(200);
    expect((await s.request(`/exports/${transfers[1]?.id}`, admin)).status).toBe(404);
  });

  it('an export in the browser stays where the process that made the one before it stood still before it deleted the earlier ones', async () => {
    const [s, admin] = await siteWithAdmin();
    await made(s, admin, 'markdown');
    const earlier = await s.deps.db.selectFrom('transfers').selectAll().executeTakeFirstOrThrow();
    s.wait(hour);
    await renewSessions(s);
    const { transferId } = await made(s, admin, 'markdown');
    await removeEarlierExports(s.deps, earlier);
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(200);
  });

  it('an export in the browser can be downloaded only by an admin with a recent sign-in, and is deleted after a day', async () => {
    const [s, admin] = await siteWithAdmin();
    const { transferId } = await made(s, admin, 'archive');
    const before = new Date(s.deps.clock() - 11 * 60_000).toISOString();
    await s.deps.db.updateTable('sessions').set({ created_at: before }).execute();
    expect(await refusal(s.call(admin, 'openExport', { transferId }))).toBe('failed-precondition');
    expect(await refusal(s.call(admin, 'startExport', { format: 'archive' }))).toBe('failed-precondition');
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(400);
    await s.deps.db.updateTable('sessions').set({ password_given_at: s.deps.clock() }).execute();
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
