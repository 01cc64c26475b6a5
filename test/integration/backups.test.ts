import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { createId } from '../../server/base/id.ts';
import { sweepStaged } from '../../server/files/jobs.ts';
import { prepareMail } from '../../server/mail/prepare.ts';
import { noteBackup, readBackupState } from '../../server/moving/archive/backup-state.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { backUpWhenDue } from '../../server/moving/archive/schedule.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { environment, program } from '../processes/built.ts';
import { archivesIn, openForBackups } from '../support/backups.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { openSite } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { newFolder } from '../support/temporary-folder.ts';

describeEngines(({ migrated, location }) => {
  const open = async (settings: Record<string, string>) => openForBackups(await migrated(), settings);

  it('the schedule makes a backup once when an admin asks for it, with no time set', async () => {
    const s = await open({ BACKUP_AT: '' });
    const admin = await s.admin();
    await backUpWhenDue(s.deps);
    const folder = join(s.config.dataDir, 'backups');
    expect(await archivesIn(folder).catch(() => [])).toEqual([]);
    expect(await s.call(admin, 'requestBackup', {})).toMatchObject({ isWanted: true, schedule: null });
    await backUpWhenDue(s.deps);
    s.wait(60_000);
    await backUpWhenDue(s.deps);
    expect(await archivesIn(folder)).toHaveLength(1);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ isWanted: false, isLate: false });
  });

  it('the schedule makes a backup each day, verifies it, keeps the newest ones, and touches no other file', async () => {
    const s = await open({ BACKUP_KEEP: '2' });
    const admin = await s.admin();
    await publish(s, admin, essay());
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      schedule: { at: '03:30', keep: 2, where: join(s.config.dataDir, 'backups') },
      last: null,
      isLate: true,
    });
    const folder = join(s.config.dataDir, 'backups');
    const names = () => archivesIn(folder);
    await backUpWhenDue(s.deps);
    const [first = ''] = await names();
    await writeFile(join(folder, 'mine.tar'), 'something else');
    // Twice a day is once too often.
    s.wait(3 * 60 * 60_000);
    await backUpWhenDue(s.deps);
    expect(await names()).toEqual([first, 'mine.tar']);
    for (let days = 1; days <= 3; days += 1) {
      s.wait(dayMs);
      await Promise.all([backUpWhenDue(s.deps), backUpWhenDue(s.deps)]);
    }
    const kept = (await names()).filter(name => name !== 'mine.tar');
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(first);
    const { manifest } = await verifyArchive(await archiveFile(join(folder, kept[1] ?? '')));
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      last: { name: kept[1], createdAt: manifest.createdAt, posts: 1, files: 0, missing: 0 },
      kept: [1, 0].map(at => ({ name: kept[at], storedAt: expect.any(String), bytes: expect.any(Number) })),
      isBesideSite: true,
      failure: null,
      isLate: false,
    });
    expect(await readdir(join(s.config.dataDir, 'uploads'))).toEqual([]);
    s.wait(2 * dayMs);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ isLate: true });
  });

  it('a backup that lacks files of the previous one fails, removes nothing, and is mailed to admins', async () => {
    const s = await open({ BACKUP_KEEP: '1' });
    const admin = await s.admin();
    const [one, two] = [await upload(s, admin, 'a.txt', 'one'), await upload(s, admin, 'b.txt', 'two')];
    const folder = join(s.config.dataDir, 'backups');
    const names = async () => (await readdir(folder)).filter(name => name.startsWith('backup-')).sort();
    await backUpWhenDue(s.deps);
    const [good = ''] = await names();
    const store = join(s.config.dataDir, 'files');
    await rename(join(store, one.id), join(store, 'aside'));
    for (let times = 0; times < 3; times += 1) {
      s.wait(dayMs);
      await backUpWhenDue(s.deps);
    }
    // The newest of those that failed stays beside the good one: it may have what that lacks.
    expect(await names()).toEqual([good, expect.any(String), expect.any(String)]);
    const error = expect.stringMatching(/^The bytes of 1 file were not there, 0 at the backup before/);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      last: { name: good, files: 2, missing: 0 },
      failure: { error },
    });
    const mails = await s.deps.db.selectFrom('mails').selectAll().execute();
    expect(mails).toMatchObject([{ kind: 'backup-failed', user_id: admin?.id, state: 'queued' }]);
    const [mail] = mails;
    if (mail === undefined) throw new Error('No mail was queued.');
    expect((await prepareMail(s.deps, mail)).text).toContain('The bytes of 1 file were not there');
    await rename(join(store, 'aside'), join(store, one.id));
    s.wait(hourMs);
    await backUpWhenDue(s.deps);
    const { last, failure } = await s.call(admin, 'getBackupState', {});
    expect([failure, last?.missing, await names()]).toEqual([null, 0, [last?.name]]);
    expect(two.id).not.toBe(one.id);
  });

  it('a backup made by hand exits with 2 where it lacks more files than the one before, until that is accepted', async () => {
    const s = await open({});
    const admin = await s.admin();
    const { id } = await upload(s, admin, 'a.txt', 'one');
    const { dataDir, databaseUrl } = s.config;
    const env = { ...environment, DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '' };
    const coterie = async (...args: string[]) =>
      await promisify(execFile)(process.execPath, [program, ...args], { cwd: dataDir, env }).then(
        ({ stderr }) => ({ code: 0, stderr }),
        ({ code, stderr }) => ({ code, stderr }),
      );
    expect(await coterie('export', 'one.tar')).toEqual({ code: 0, stderr: '' });
    await s.deps.files.remove(id);
    expect(await coterie('export', 'two.tar')).toEqual({
      code: 2,
      stderr: expect.stringContaining('The bytes of 1 file were not there, 0 at the backup before'),
    });
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: { name: 'one.tar' }, failure: {} });
    expect((await coterie('export', 'three.tar', '--accept-missing')).code).toBe(0);
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: { name: 'three.tar' }, failure: null });
    expect((await coterie('export', 'four.tar')).code).toBe(0);
  });

  it('the schedule leaves no half archive for good where it was broken off, and touches none that may be under way', async () => {
    const s = await open({});
    const folder = join(s.config.dataDir, 'backups');
    await mkdir(folder);
    const left = `coterie-2025-01-01.tar.${createId()}.unfinished`;
    const upgrade = 'coterie-before-0041-first-release-20250101.db.unfinished';
    const others = ['mine.tar', 'mine.unfinished', `coterie-now.tar.${createId()}.unfinished`];
    const files = join(s.config.dataDir, 'files');
    await mkdir(files);
    const half = join(files, `${createId()}.${createId()}.unfinished`);
    const old = new Date(s.deps.clock() - 2 * dayMs);
    const copies = ['.rehearsal-a1B2c3', '.upgrade-a1B2c3'];
    const abandoned = [left, upgrade, ...copies, 'mine.unfinished'].map(name => join(folder, name));
    for (const path of [...abandoned, half]) {
      await writeFile(path, 'half');
      await utimes(path, old, old);
    }
    for (const name of others) if (name !== 'mine.unfinished') await writeFile(join(folder, name), 'half');
    await sweepStaged(s.deps);
    expect((await readdir(folder)).sort()).toEqual(others.sort());
    expect(await readdir(files)).toEqual([]);
  });

  it('the schedule reports why a backup failed, and tries again an hour later', async () => {
    const blocked = join(await newFolder(), 'blocked');
    await writeFile(blocked, 'a file where a folder should be');
    const s = await open({ BACKUP_URL: blocked });
    const admin = await s.admin();
    await backUpWhenDue(s.deps);
    const state = await s.call(admin, 'getBackupState', {});
    expect(state).toMatchObject({ last: null, failure: { error: expect.stringContaining(blocked) } });
    await rm(blocked);
    await backUpWhenDue(s.deps);
    expect((await s.call(admin, 'getBackupState', {})).last).toBeNull();
    s.wait(61 * 60_000);
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ failure: null, isLate: false });
  });

  it('a site restored from a backup makes its own backup at once', async () => {
    const s = await open({});
    await backUpWhenDue(s.deps);
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: {}, failure: null });
    const [name = ''] = await archivesIn(join(s.config.dataDir, 'backups'));
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(join(s.config.dataDir, 'backups', name)));
    const restored = await openSite(place, { BACKUP_AT: '03:30' });
    onTestFinished(restored.close);
    await backUpWhenDue(restored.deps);
    expect(await readBackupState(restored.deps.db)).toMatchObject({ last: {}, failure: null });
  });

  it('the schedule keeps what two processes note of backups at the same time', async () => {
    const s = await open({});
    const failure = { at: 1, error: 'No room', kills: 0 };
    for (let times = 1; times <= 20; times += 1) {
      const unread = [`backup-${times}`];
      await Promise.all([noteBackup(s.deps.db, { unread }), noteBackup(s.deps.db, { failure })]);
      expect(await readBackupState(s.deps.db)).toMatchObject({ unread, failure });
      await noteBackup(s.deps.db, { unread: [], failure: null });
    }
  });
});
