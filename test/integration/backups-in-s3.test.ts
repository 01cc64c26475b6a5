import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { dayMs } from '../../server/base/clock.ts';
import { openBackupPlace } from '../../server/moving/archive/backup-place.ts';
import { backUpWhenDue } from '../../server/moving/archive/schedule.ts';
import { startS3 } from '../conformance/server.ts';
import { describeEngines } from '../support/engines.ts';
import { openSite } from '../support/site.ts';

/**
 * A way to a store on which, while it is said so, the last byte of each piece of a backup changes, reading
 * one breaks off, or no size is answered.
 */
async function faultyWay(storeUrl: string) {
  const { hostname, port } = new URL(storeUrl);
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    if (method === 'HEAD' && way.fault === 'hides sizes') {
      answer.writeHead(503).end();
      return;
    }
    const onward = request({ hostname, port, method, path, headers }, async found => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      for await (const chunk of found as AsyncIterable<Buffer>) {
        const last = chunk.length - 1;
        const isReading = method === 'GET' && path?.includes('/backup-');
        if (isReading && way.fault === 'breaks') {
          answer.destroy();
          return;
        }
        if (isReading && way.fault === 'changes') chunk[last] = (chunk[last] ?? 0) ^ 1;
        answer.write(chunk);
      }
      answer.end();
    });
    asked.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(storeUrl);
  url.port = String((server.address() as AddressInfo).port);
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => void server.close(resolve));
  };
  const way = { url: url.href, fault: undefined as 'changes' | 'breaks' | 'hides sizes' | undefined, close };
  return way;
}

describeEngines(({ migrated, engine }) => {
  it.skipIf(engine === 'postgres')('scheduled backups in an S3 store are read back from there', async () => {
    const s3 = await startS3();
    onTestFinished(s3.close);
    const s = await openSite(await migrated(), { BACKUP_AT: '03:30', BACKUP_URL: s3.url });
    onTestFinished(s.close);
    await backUpWhenDue(s.deps);
    const { last, schedule } = await s.call(await s.admin(), 'getBackupState', {});
    expect(last?.bytes).toBeGreaterThan(2_048);
    expect(schedule?.where).toMatch(/^s3:\/\/[^@]+$/);
  });

  /** A site that keeps one backup in a store, which is reached over a way with faults. */
  const openOverFaultyWay = async () => {
    const s3 = await startS3();
    onTestFinished(s3.close);
    const way = await faultyWay(s3.url);
    onTestFinished(way.close);
    const settings = { BACKUP_AT: '03:30', BACKUP_KEEP: '1', BACKUP_URL: way.url };
    const s = await openSite(await migrated(), settings);
    onTestFinished(s.close);
    const place = await openBackupPlace(s.deps, null);
    const kept = async () => {
      const names: string[] = [];
      for await (const { key } of place.list()) names.push(key);
      return names.sort();
    };
    return { s, way, kept };
  };

  it.skipIf(engine === 'postgres')(
    'a scheduled backup that is not whole in an S3 store is removed, and pushes out no good one',
    async () => {
      const { s, way, kept } = await openOverFaultyWay();
      await backUpWhenDue(s.deps);
      const good = await kept();
      expect(good).toHaveLength(1);
      way.fault = 'changes';
      s.wait(dayMs);
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
    'a scheduled backup that cannot be read back from an S3 store stays until a newer one was read, and pushes out no good one',
    async () => {
      const { s, way, kept } = await openOverFaultyWay();
      await backUpWhenDue(s.deps);
      const [good] = await kept();
      way.fault = 'breaks';
      s.wait(dayMs);
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

  it.skipIf(engine === 'postgres')(
    'a scheduled backup that was read back counts as made although the store answers no size afterwards',
    async () => {
      const { s, way, kept } = await openOverFaultyWay();
      await backUpWhenDue(s.deps);
      const [first] = await kept();
      way.fault = 'hides sizes';
      s.wait(dayMs);
      await backUpWhenDue(s.deps);
      const [second] = await kept();
      expect(second).not.toBe(first);
      const admin = await s.admin();
      expect(await s.call(admin, 'getBackupState', {})).toMatchObject({
        last: { name: second },
        failure: null,
        kept: [{ name: first }],
      });
      expect(await s.deps.db.selectFrom('mails').select('kind').execute()).toEqual([]);
      way.fault = undefined;
      s.wait(dayMs);
      await backUpWhenDue(s.deps);
      const { last, kept: listed } = await s.call(admin, 'getBackupState', {});
      expect(listed).toEqual([{ name: last?.name, bytes: last?.bytes, storedAt: expect.any(String) }]);
    },
  );
});
