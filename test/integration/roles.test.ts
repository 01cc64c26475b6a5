import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { queueMail } from '../../server/mail/write.ts';
import { startProcess } from '../processes/start-server.ts';
import { openSite } from '../support/site.ts';
import { newFolder } from '../support/temporary-folder.ts';

it('a process answers requests, or works in the background, as its role says', async () => {
  const dataDir = await newFolder();
  const mails = async () => await readdir(join(dataDir, 'mail')).catch(() => []);
  const headers = { 'content-type': 'application/json' };
  const getPosts = { method: 'POST', headers, body: '{"data":{}}' };
  const children: Awaited<ReturnType<typeof startProcess>>['child'][] = [];
  const start = async (role: string) => {
    const { port, child, ended } = await startProcess({ DATA_DIR: dataDir, ROLE: role });
    children.push(child);
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
    const stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    return { statusOf, stop };
  };
  try {
    const s = await openSite({ dataDir, databaseUrl: undefined });
    const { id: userId } = await s.member();
    await queueMail(s.deps.db, Date.now(), { kind: 'approved', userId, data: { isAuthor: false } });
    await s.close();

    const web = await start('web');
    expect(await web.statusOf('/api/getPosts', getPosts)).toBe(200);
    await web.stop();
    expect(await mails()).toEqual([]);

    const worker = await start('worker');
    expect(await worker.statusOf('/readyz')).toBe(200);
    expect(await worker.statusOf('/api/getPosts', getPosts)).toBe(404);
    for (const path of ['/', '/feed.xml', '/api/docs']) {
      expect([path, await worker.statusOf(path)]).toEqual([path, 404]);
    }
    await expect.poll(mails).not.toEqual([]);
    await worker.stop();
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
});
