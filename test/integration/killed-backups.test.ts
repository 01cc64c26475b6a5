import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { dayMs, hourMs } from '../../server/base/clock.ts';
import { isRemembered } from '../../server/db/marks.ts';
import type { Deps } from '../../server/deps.ts';
import { readBackupState } from '../../server/moving/archive/backup-state.ts';
import { restoreSite } from '../../server/moving/archive/restore.ts';
import { backUpWhenDue, backupBegun } from '../../server/moving/archive/schedule.ts';
import { archiveFile } from '../../server/moving/archive/source.ts';
import { archivesIn, openForBackups } from '../support/backups.ts';
import { describeEngines } from '../support/engines.ts';
import { openSite, type Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';

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

describeEngines(({ migrated, location }) => {
  const open = async (settings: Record<string, string>) => openForBackups(await migrated(), settings);

  it('the schedule makes a backup that an admin asked for at the next start when the server stops in the middle', async () => {
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
    onTestFinished(restored.close);
    await backUpWhenDue(restored.deps);
    expect(await archivesIn(join(place.dataDir, 'backups')).catch(() => [])).toEqual([]);
  });

  it('the schedule reports that a backup which an admin asked for has killed the server, with no time set', async () => {
    const s = await open({ BACKUP_AT: '' });
    const admin = await s.admin();
    await upload(s, admin, 'a.txt', 'some words');
    await s.call(admin, 'requestBackup', {});
    const { hasBegun, end } = await backUpUntilKilled(s);
    expect(hasBegun).toBe(true);
    s.wait(hourMs);
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      isWanted: false,
      last: null,
      failure: { error: expect.stringContaining('stopped while it was made') },
    });
    await end();
  });

  it('the schedule does not let what was left of backups that were killed fill the disk', async () => {
    const s = await open({});
    const uploads = join(s.config.dataDir, 'uploads');
    await backUpWhenDue(s.deps);
    const [name = ''] = await archivesIn(join(s.config.dataDir, 'backups'));
    const left = [`${name}.kpZ2Yw.unfinished`, name];
    for (const file of [...left, 'of-another']) await writeFile(join(uploads, file), 'half');
    s.wait(dayMs);
    await backUpWhenDue(s.deps);
    expect(await readdir(uploads)).toEqual(['of-another']);
  });

  it('a backup is tried again in an hour when its process was killed, and after five times only once a day', async () => {
    const s = await open({});
    const admin = await s.admin();
    await upload(s, admin, 'a.txt', 'some words');
    const tries: number[] = [];
    const ends: (() => Promise<void>)[] = [];
    for (let hours = 0; hours < 60; hours += 1) {
      const { hasBegun, end } = await backUpUntilKilled(s);
      if (hasBegun) tries.push(hours);
      ends.push(end);
      s.wait(hourMs);
    }
    expect(tries).toEqual([0, 2, 4, 6, 8, 28, 52]);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
      last: null,
      failure: { error: expect.stringContaining('stopped while it was made'), isDaily: true },
    });
    s.wait(dayMs);
    await backUpWhenDue(s.deps);
    expect(await s.call(admin, 'getBackupState', {})).toMatchObject({ failure: null, isLate: false });
    for (const end of ends) await end();
  });

  it('a backup is made again, and reported as no fault, when its process is asked to stop and ended in the middle', async () => {
    const s = await open({});
    await upload(s, await s.admin(), 'a.txt', 'some words');
    const stopping = new AbortController();
    const { hasBegun, end } = await backUpUntilKilled(s, stopping.signal);
    expect([hasBegun, await isRemembered(s.deps, backupBegun)]).toEqual([true, true]);
    stopping.abort();
    await expect.poll(() => isRemembered(s.deps, backupBegun)).toBe(false);
    s.wait(hourMs);
    await backUpWhenDue(s.deps);
    expect(await readBackupState(s.deps.db)).toMatchObject({ last: { files: 1 }, failure: null });
    await end();
  });
});
