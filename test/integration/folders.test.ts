import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, expect, it } from 'vitest';
import { examineSite } from '../../server/cli/examine.ts';
import { openDatabase } from '../../server/db/connect.ts';
import { markerName } from '../../server/db/folder-marker.ts';
import { outages } from '../../server/db/outage.ts';
import { markFilesFolder } from '../../server/files/store/own-folder.ts';
import type { RequestVariables } from '../../server/http/request.ts';
import { readBackupState } from '../../server/moving/archive/backup-state.ts';
import { exportSite } from '../../server/moving/archive/export.ts';
import { backUpWhenDue } from '../../server/moving/archive/schedule.ts';
import { startServer } from '../../server/start.ts';
import { healthSurface } from '../../server/surfaces/health.ts';
import { describeEngines } from '../support/engines.ts';
import { objectPath } from '../support/multipart.ts';
import { openSite, type Site, sourcePages } from '../support/site.ts';
import { start, step, upload } from '../support/storage.ts';

const day = 24 * 60 * 60_000;

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describeEngines(({ migrated, engine }) => {
  /** A site with its folder marked, and a file in it. */
  async function openMarked(settings: Record<string, string> = {}) {
    const s = await openSite(await migrated(), settings);
    cleanups.push(s.close);
    await markFilesFolder(s.deps);
    const admin = await s.admin();
    const file = await upload(s, admin, 'a.txt', 'some words');
    const folder = join(s.config.dataDir, 'files');
    return { s, admin, file, folder };
  }
  /** Takes a folder away as a volume goes: an empty one is in its place. Returns what mounts it again. */
  async function unmount(folder: string) {
    await rename(folder, `${folder}-away`);
    await mkdir(folder);
    return async () => {
      await rm(folder, { recursive: true });
      await rename(`${folder}-away`, folder);
    };
  }
  const uploadStatus = async (s: Site, admin: Awaited<ReturnType<Site['admin']>>) => {
    const url = await start(s, admin, 'b.txt', 4);
    return (await step(s, admin, url, 'upload, finalize', { offset: 0, body: 'abcd' })).status;
  };

  it('a folder that is not mounted takes no uploads and no backups, and the process is not ready until it is there again', async () => {
    const { s, admin, file, folder } = await openMarked({ BACKUP_AT: '03:30' });
    await backUpWhenDue(s.deps);
    expect((await s.request('/readyz')).status).toBe(200);
    const mount = await unmount(folder);
    s.wait(day);
    expect((await s.request('/readyz')).status).toBe(503);
    expect(await uploadStatus(s, admin)).toBe(503);
    expect((await s.request(`${objectPath('a.txt')}?alt=media`, admin)).status).toBe(503);
    expect(await readdir(folder)).toEqual([]);
    await backUpWhenDue(s.deps);
    const { last, failure } = await readBackupState(s.deps.db);
    expect(last).toMatchObject({ files: 1, missing: 0 });
    expect(failure?.error).toContain(`${folder} is not the folder in which this site keeps its files`);
    const config = { ...s.config, port: 0, host: '127.0.0.1' };
    await expect(startServer(config, sourcePages)).rejects.toThrow('Is a volume not mounted?');

    await mount();
    s.wait(day);
    expect((await s.request('/readyz')).status).toBe(200);
    expect(await uploadStatus(s, admin)).toBe(200);
    expect(await (await s.request(`/files/${file.id}`, admin)).text()).toBe('some words');
  });

  it('a folder of backups that is not mounted gets none and loses none', async () => {
    const { s } = await openMarked({ BACKUP_AT: '03:30' });
    const folder = join(s.config.dataDir, 'backups');
    await backUpWhenDue(s.deps);
    const mount = await unmount(folder);
    s.wait(day);
    await backUpWhenDue(s.deps);
    expect(await readdir(folder)).toEqual([]);
    const { failure } = await readBackupState(s.deps.db);
    const sentence = `${folder} is not the folder in which this site keeps its backups`;
    expect(failure?.error).toContain(sentence);
    // As `coterie export` does.
    const byHand = exportSite(s.deps).catch((error: Error) => error.cause);
    expect(await byHand).toMatchObject({ message: expect.stringContaining(sentence) });
    expect(await readdir(folder)).toEqual([]);
    await mount();
    s.wait(day);
    await backUpWhenDue(s.deps);
    expect(await readBackupState(s.deps.db)).toMatchObject({ failure: null });
  });

  it('a folder without a marker that has the files of the database gets one', async () => {
    const { s, folder } = await openMarked();
    const marked = async () => (await readdir(folder)).includes(markerName);
    expect(await marked()).toBe(true);
    // As by a copy that leaves out hidden files.
    await rm(join(folder, markerName));
    await markFilesFolder(s.deps);
    expect(await marked()).toBe(true);
    // A site of an earlier version.
    await s.deps.db.deleteFrom('settings').where('name', '=', 'folders').execute();
    await rm(join(folder, markerName));
    await markFilesFolder(s.deps);
    expect(await marked()).toBe(true);
    // A marker that lies where the volume is mounted, from before it was.
    const mount = await unmount(folder);
    await writeFile(join(folder, markerName), 'another\n');
    await expect(markFilesFolder(s.deps)).rejects.toThrow(outages.folder);
    // Somebody who says that this is it.
    await writeFile(join(folder, markerName), '');
    await markFilesFolder(s.deps);
    await s.deps.files.check();
    await mount();
  });

  it('a folder with prepared videos alone, whose originals were dropped, gets its marker again', async () => {
    const { s, file, folder } = await openMarked();
    await rm(join(folder, markerName));
    // As files/make-variants.ts leaves them: what was made is the file.
    await rename(join(folder, file.id), join(folder, `${file.id}.1080`));
    const variants = JSON.stringify([{ width: 1080, type: 'video/mp4', size: 10, isOriginal: true }]);
    await s.deps.db.updateTable('files').set({ variants }).where('id', '=', file.id).execute();
    await markFilesFolder(s.deps);
    expect(await readdir(folder)).toContain(markerName);
  });

  it.runIf(engine === 'sqlite')(
    'a folder whose volume is not mounted does not become a new site beside the files of one',
    async () => {
      const { s } = await openMarked();
      const { dataDir } = s.config;
      await s.close();
      cleanups.pop();
      await rm(join(dataDir, 'coterie.db'));
      await expect(openDatabase({ dataDir, databaseUrl: undefined })).rejects.toThrow('no coterie.db');
      expect(await readdir(dataDir)).not.toContain('coterie.db');
    },
  );
});

describeEngines(({ site }) => {
  it('readiness and doctor say that the disk is full', async () => {
    const s = await site();
    const app: Hono<RequestVariables> = new Hono();
    let free = 0;
    const roomIn = async () => free;
    healthSurface(app, s.deps, roomIn);
    const found = async () => (await examineSite(s.config, roomIn)).map(({ rule }) => rule);
    expect((await app.request('/readyz')).status).toBe(503);
    expect(await found()).toEqual(['There is room on the disk.']);
    free = 1024 ** 3;
    expect((await app.request('/readyz')).status).toBe(200);
    expect(await found()).toEqual([]);
  });
});
