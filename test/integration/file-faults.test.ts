import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { describeEngines } from '../engines.ts';
import { openSite } from '../site.ts';
import { objectPath, start, step } from '../storage.ts';

/** A line to PostgreSQL that can be told to break when a commit has been done and before its answer arrives. */
async function breakableLine(databaseUrl: string) {
  const target = new URL(databaseUrl);
  let isToBreak = false;
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname);
    let isBreaking = false;
    near.on('data', bytes => {
      if (isToBreak && bytes.includes('commit\0')) [isToBreak, isBreaking] = [false, true];
      far.write(bytes);
    });
    far.on('data', bytes => (isBreaking ? near.destroy() : near.write(bytes)));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    breakAtCommit: () => {
      isToBreak = true;
    },
    close: () => server.close(),
  };
}

describeEngines('files, when something fails', ({ location }) => {
  it('keeps the bytes when nobody knows whether the row is there', async () => {
    const place = await location();
    // With SQLite a commit and its answer are one call.
    const line = place.databaseUrl === undefined ? undefined : await breakableLine(place.databaseUrl);
    const s = await openSite({ ...place, databaseUrl: line?.url });
    try {
      const admin = await s.admin();
      const url = await start(s, admin, 'a.bin', 4);
      const finish = () => step(s, admin, url, 'upload, finalize', { offset: 0, body: 'abcd' });
      line?.breakAtCommit();
      expect((await finish()).status).toBe(line === undefined ? 200 : 503);
      const again = await finish();
      expect([again.status, again.headers.get('x-goog-upload-status')]).toEqual([200, 'final']);
      const stored = await s.request(`${objectPath('a.bin')}?alt=media`, admin);
      expect([stored.status, await stored.text()]).toEqual([200, 'abcd']);
    } finally {
      await s.close();
      line?.close();
    }
  });
});
