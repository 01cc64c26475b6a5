import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { startS3 } from '../conformance/server.ts';
import { randomFrom } from '../faults/rounds.ts';
import { startProcesses } from '../processes/start-beside.ts';
import { describeEngines } from '../support/engines.ts';
import { sendInterleaved } from '../support/interleaved-uploads.ts';
import { bucketPath, objectPath } from '../support/multipart.ts';
import { openSite } from '../support/site.ts';
import { start, step } from '../support/storage.ts';
import { newFolder } from '../support/temporary-folder.ts';

describeEngines(({ siteWithAdmin, migrated, engine }) => {
  it('files whose steps go to three processes in turn, interrupted and repeated, equal what was sent', async () => {
    const [s, admin] = await siteWithAdmin();
    const { urls, stop } = await startProcesses(s, [{}, {}, {}]);
    try {
      const names = Array.from({ length: 12 }, (_, index) => `posts/${index}.bin`);
      const sending = { urls, headers: { cookie: admin.cookie }, random: randomFrom(7) };
      const report = await sendInterleaved(sending, names);
      expect(report.uploads).toBe(12);
      expect(Math.min(report.broken, report.doubled)).toBeGreaterThan(5);
      expect(await examine(s.deps)).toEqual([]);
    } finally {
      await stop();
    }
  });

  it('a new largest file counts in every process at once, but where the environment decides it', async () => {
    const [s, admin] = await siteWithAdmin();
    const { urls, stop } = await startProcesses(s, [{}, {}, { FILE_MAX_MIB: '2' }]);
    const begin = async (url: string) => {
      const headers = {
        cookie: admin.cookie,
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(1024 * 1024 + 1),
      };
      return (await fetch(url + bucketPath('a.bin'), { method: 'POST', headers, body: '{}' })).status;
    };
    try {
      expect(await Promise.all(urls.map(begin))).toEqual([200, 200, 200]);
      await s.call(admin, 'saveSiteSettings', { values: { fileMaxMib: 1 }, version: 0 });
      expect(await Promise.all(urls.map(begin))).toEqual([413, 413, 200]);
    } finally {
      await stop();
    }
  });

  // SQLite lies in the folder.
  it.skipIf(engine === 'sqlite')(
    'a store that all processes reach is enough, without a folder in common',
    async () => {
      const s3 = await startS3();
      const folder = await newFolder();
      const s = await openSite(await migrated(), { FILES_URL: s3.url });
      const homes = ['one', 'two'].map(name => ({ FILES_URL: s3.url, DATA_DIR: join(folder, name) }));
      const { urls, stop } = await startProcesses(s, homes);
      try {
        const admin = await s.admin();
        const sending = { urls, headers: { cookie: admin.cookie }, random: randomFrom(8) };
        expect((await sendInterleaved(sending, ['posts/a.bin', 'posts/b.bin', 'posts/c.bin'])).uploads).toBe(
          3,
        );
      } finally {
        await stop();
        await s.close();
        await s3.close();
      }
    },
  );

  it('bytes that the store has changed or lost are refused with a sentence, and the upload ends', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const damage of ['changed', 'cut short', 'gone'] as const) {
      const name = `posts/${damage}.bin`;
      const url = await start(s, admin, name, 8);
      await step(s, admin, url, 'upload', { offset: 0, body: 'abcd' });
      const { key } = await s.deps.db.selectFrom('upload_parts').select('key').executeTakeFirstOrThrow();
      const path = join(s.config.dataDir, 'files', key);
      const bytes = await readFile(path, 'latin1');
      if (damage === 'gone') await rm(path);
      else await writeFile(path, damage === 'changed' ? bytes.replace('b', 'x') : bytes.slice(1));
      const refused = await step(s, admin, url, 'upload, finalize', { offset: 4, body: 'efgh' });
      expect([refused.status, (await refused.json()).error.message]).toEqual([
        409,
        'The bytes of this upload were damaged on the server. Please upload the file again.',
      ]);
      expect((await s.request(objectPath(name), admin)).status).toBe(404);
      expect((await step(s, admin, url, 'query')).status).toBe(404);
      expect(await s.deps.db.selectFrom('upload_parts').select('key').execute()).toEqual([]);
    }
  });
});
