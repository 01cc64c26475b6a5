import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { createId } from '../../server/base/id.ts';
import { markerName } from '../../server/db/folder-marker.ts';
import type { Deps } from '../../server/deps.ts';
import { sweepStaged } from '../../server/files/jobs.ts';
import { isRemembered } from '../../server/limits/attempts.ts';
import { prepareMail } from '../../server/mail/prepare.ts';
import { openBackupPlace } from '../../server/moving/archive/backup-place.ts';
import { noteBackup, readBackupState } from '../../server/moving/archive/backup-state.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { backUpWhenDue, begunMark } from '../../server/moving/archive/schedule.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { verifyArchive } from '../../server/moving/archive/verify.ts';
import { startS3 } from '../conformance/server.ts';
import { environment, program } from '../processes/built.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { faultyWay } from '../support/faulty-way.ts';
import { openSite, type Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';

const hour = 60 * 60_000;
const day = 24 * hour;

const cleanups: (() => Promise<unknown>)[] = [];

/** What a folder of backups holds beside its marker. */
const archivesIn = async (folder: string) =>
  (await readdir(folder)).filter(name => name !== markerName).sort();

/**
 * As {@link backUpWhenDue}, in a process that is killed in the middle. Resolves with whether it had begun,
 * and with what ends it in this process, which then notes a failure.
 */
async function backUpUntilKilled(
  { deps }: Site,
  stopping = deps.stopping,
): Promise<{ hasBegun: boolean; end: () => Promise<void> }> {
  const [begun, end] = [Promise.withResolvers<true>(), Promise.withResolvers<never>()];
  const files: Deps['files'] = {
    ...deps.files,
    // biome-ignore lint/correctness/useYield: it is killed before
    read: async function* () {
      begun.resolve(true);
      await end.promise;
    },
  };
  // It renews nothing any more: its clock has stopped, too.
  const now = deps.clock();
  end.promise.catch(() => {});
  const running = backUpWhenDue({ ...deps, files, stopping, clock: () => now });
  const hasBegun = await Promise.race([begun.promise, running.then(() => false)]);
  return {
    hasBegun,
    end: async () => {
      end.reject(new Error('killed'));
      await running;
    },
  };
}
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describeEngines('scheduled backups', ({ migrated, location }) => {
  /** A site with a schedule; its clock begins at midnight. */
  const open = async (settings: Record<string, string>) => {
    const site = await openSite(await migrated(), { BACKUP_AT: '03:30', ...settings });
    cleanups.push(site.close);
    return site;
  };

  it('makes a backup once when an admin asks for it, with no time set', async () => {
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

  it('makes a backup that an admin asked for at the next start when the server stops in the middle', async () => {
    const s = await open({ BACKUP_AT: '' });
    const admin = await s.admin();
    await upload(s, admin, 'a.txt', 'some words');
    await s.call(admin, 'requestBackup', {});
    const stopping = new AbortController();
    const { hasBegun, end } = await backUpUntilKilled(s, stopping.signal);
    stopping.abort();
    await end();
    expect(hasBegun).toBe(true);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ isWanted: true, failure: null });
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      isWanted: false,
      last: { files: 1 },
      failure: null,
    });
    // The archive itself asks for none.
    const [name = ''] = await archivesIn(join(s.config.dataDir, 'backups'));
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(join(s.config.dataDir, 'backups', name)));
    const restored = await openSite(place, { BACKUP_AT: '' });
    cleanups.push(restored.close);
    await backUpWhenDue(restored.deps);
    expect(await archivesIn(join(place.dataDir, 'backups')).catch(() => [])).toEqual([]);
  });

  it('reports that a backup which an admin asked for has killed the server, with no time set', async () => {
    const s = await open({ BACKUP_AT: '' });
    const admin = await s.admin();
    await upload(s, admin, 'a.txt', 'some words');
    await s.call(admin, 'requestBackup', {});
    const { hasBegun, end } = await backUpUntilKilled(s);
    expect(hasBegun).toBe(true);
    s.wait(hour);
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      isWanted: false,
      last: null,
      failure: { error: expect.stringContaining('stopped while it was made') },
    });
    await end();
  });

  it('makes a backup each day, verifies it, keeps the newest ones, and touches no other file', async () => {
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
      s.wait(day);
      await Promise.all([backUpWhenDue(s.deps), backUpWhenDue(s.deps)]);
    }
    const kept = (await names()).filter(name => name !== 'mine.tar');
    expect(kept).toHaveLength(2);
    expect(kept).not.toContain(first);
    const { manifest } = await verifyArchive(await archiveFile(join(folder, kept[1] ?? '')));
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      last: { name: kept[1], createdAt: manifest.createdAt, posts: 1, files: 0, missing: 0 },
      failure: null,
      isLate: false,
    });
    expect(await readdir(join(s.config.dataDir, 'uploads'))).toEqual([]);
    s.wait(2 * day);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ isLate: true });
  });

  it('does not let what was left of backups that were killed fill the disk', async () => {
    const s = await open({});
    const uploads = join(s.config.dataDir, 'uploads');
    await backUpWhenDue(s.deps);
    const [name = ''] = await archivesIn(join(s.config.dataDir, 'backups'));
    const left = [`${name}.kpZ2Yw.unfinished`, name];
    for (const file of [...left, 'of-another']) await writeFile(join(uploads, file), 'half');
    s.wait(day);
    await backUpWhenDue(s.deps);
    expect(await readdir(uploads)).toEqual(['of-another']);
  });

  it('of which files are missing that the one before had fails, removes nothing, and is mailed to admins', async () => {
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
      s.wait(day);
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
    s.wait(hour);
    await backUpWhenDue(s.deps);
    const { last, failure } = await s.call(admin, 'getBackupState', {});
    expect([failure, last?.missing, await names()]).toEqual([null, 0, [last?.name]]);
    expect(two.id).not.toBe(one.id);
  });

  it('made by hand exits with 2 where it lacks more files than the one before, until that is accepted', async () => {
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

  it('leaves no half archive for good where it was broken off, and touches none that may be under way', async () => {
    const s = await open({});
    const folder = join(s.config.dataDir, 'backups');
    await mkdir(folder);
    const left = `coterie-2025-01-01.tar.${createId()}.unfinished`;
    const upgrade = 'coterie-before-0041-first-release-20250101.db.unfinished';
    const others = ['mine.tar', 'mine.unfinished', `coterie-now.tar.${createId()}.unfinished`];
    const files = join(s.config.dataDir, 'files');
    await mkdir(files);
    const half = join(files, `${createId()}.${createId()}.unfinished`);
    const old = new Date(s.deps.clock() - 2 * day);
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

  it('reports why a backup failed, and tries again an hour later', async () => {
    const blocked = join(await mkdtemp(join(tmpdir(), 'coterie-test-')), 'blocked');
    cleanups.push(() => rm(join(blocked, '..'), { recursive: true }));
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

  it('is tried again in an hour when its process was killed, and after five times only once a day', async () => {
    const s = await open({});
    const admin = await s.admin();
    await upload(s, admin, 'a.txt', 'some words');
    const tries: number[] = [];
    const ends: (() => Promise<void>)[] = [];
    for (let hours = 0; hours < 60; hours += 1) {
      const { hasBegun, end } = await backUpUntilKilled(s);
      if (hasBegun) tries.push(hours);
      ends.push(end);
      s.wait(hour);
    }
    expect(tries).toEqual([0, 2, 4, 6, 8, 28, 52]);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      last: null,
      failure: { error: expect.stringContaining('stopped while it was made'), isDaily: true },
    });
    s.wait(day);
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ failure: null, isLate: false });
    for (const end of ends) await end();
  });

  it('is made again, and reported as no fault, when its process is asked to stop and ended in the middle', async () => {
    const s = await open({});
    await upload(s, await s.admin(), 'a.txt', 'some words');
    const stopping = new AbortController();
    const { hasBegun, end } = await backUpUntilKilled(s, stopping.signal);
    expect([hasBegun, await isRemembered(s.deps, begunMark)]).toEqual([true, true]);
    stopping.abort();
    await expect.poll(() => isRemembered(s.deps, begunMark)).toBe(false);
    s.wait(hour);
    await backUpWhenDue(s.deps);
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: { files: 1 }, failure: null });
    await end();
  });

  it('that is restored makes a site whose own backup is made at once', async () => {
    const s = await open({});
    await backUpWhenDue(s.deps);
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: {}, failure: null });
    const [name = ''] = await archivesIn(join(s.config.dataDir, 'backups'));
    const place = await location();
    await restoreSite({ ...s.config, ...place }, await archiveFile(join(s.config.dataDir, 'backups', name)));
    const restored = await openSite(place, { BACKUP_AT: '03:30' });
    cleanups.push(restored.close);
    await backUpWhenDue(restored.deps);
    expect(await readBackupState(restored.deps.db)).toMatchObject({ last: {}, failure: null });
  });

  it('keeps what two processes note of backups at the same time', async () => {
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

describeEngines('scheduled backups in an S3 store', ({ migrated, engine }) => {
  it.skipIf(engine === 'postgres')('are read back from there', async () => {
    const s3 = await startS3();
    cleanups.push(s3.close);
    const s = await openSite(await migrated(), { BACKUP_AT: '03:30', BACKUP_URL: s3.url });
    cleanups.push(s.close);
    await backUpWhenDue(s.deps);
    const { last, schedule } = await s.call(await s.admin(), 'getBackupState', {});
    expect(last?.bytes).toBeGreaterThan(2_048);
    expect(schedule?.where).toMatch(/^s3:\/\/[^@]+$/);
  });

  /** A site that keeps one backup in a store, which is reached over a way with faults. */
  const openOverFaultyWay = async () => {
    const s3 = await startS3();
    cleanups.push(s3.close);
    const way = await faultyWay(s3.url);
    cleanups.push(way.close);
    const settings = { BACKUP_AT: '03:30', BACKUP_KEEP: '1', BACKUP_URL: way.url };
    const s = await openSite(await migrated(), settings);
    cleanups.push(s.close);
    const place = await openBackupPlace(s.deps, null);
    const kept = async () => {
      const names: string[] = [];
      for await (const { key } of place.list()) names.push(key);
      return names.sort();
    };
    return { s, way, kept };
  };

  it.skipIf(engine === 'postgres')(
    'one that is not whole there is removed, and pushes out no good one',
    async () => {
      const { s, way, kept } = await openOverFaultyWay();
      await backUpWhenDue(s.deps);
      const good = await kept();
      expect(good).toHaveLength(1);
      way.fault = 'changes';
      s.wait(day);
      await backUpWhenDue(s.deps);
      expect(await s.call(await s.admin(), 'getBackupState', {})).toMatchObject({
        last: { name: good[0] },
        failure: { error: expect.stringMatching(/damaged|not a whole archive/) },
      });
      expect(await kept()).toEqual(good);
      way.fault = undefined;
      s.wait(61 * 60_000);
      await backUpWhenDue(s.deps);
      expect(await kept()).toHaveLength(1);
      expect(await kept()).not.toEqual(good);
    },
  );

  it.skipIf(engine === 'postgres')(
    'one that cannot be read back stays until a newer one was read, and pushes out no good one',
    async () => {
      const { s, way, kept } = await openOverFaultyWay();
      await backUpWhenDue(s.deps);
      const [good] = await kept();
      way.fault = 'breaks';
      s.wait(day);
      await backUpWhenDue(s.deps);
      const [, unread] = await kept();
      expect(unread).toBeDefined();
      expect(await s.call(await s.admin(), 'getBackupState', {})).toMatchObject({
        last: { name: good },
        failure: { error: expect.stringContaining('cannot be reached') },
      });
      s.wait(61 * 60_000);
      await backUpWhenDue(s.deps);
      expect(await kept()).toEqual([good, unread, expect.any(String)]);
      // While nothing can be read back, they do not pile up.
      s.wait(61 * 60_000);
      await backUpWhenDue(s.deps);
      expect(await kept()).toHaveLength(3);
      expect(await kept()).not.toContain(unread);
      way.fault = undefined;
      s.wait(61 * 60_000);
      await backUpWhenDue(s.deps);
      const { last } = await s.call(await s.admin(), 'getBackupState', {});
      expect(await kept()).toEqual([last?.name]);
      expect([good, unread]).not.toContain(last?.name);
    },
  );
});
