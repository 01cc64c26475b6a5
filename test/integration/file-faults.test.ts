import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { Outage, outages } from '../../server/db/outage.ts';
import { makeNextVariants } from '../../server/files/make-variants.ts';
import { type FileStore, readWhole } from '../../server/files/store/store.ts';
import { variantKey } from '../../server/files/variant.ts';
import { findFiles, linkFiles } from '../../server/posts/attachments.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { listen } from '../support/listen.ts';
import { objectPath } from '../support/multipart.ts';
import { openSite, refusal, type Site } from '../support/site.ts';
import { sizesOf, start, step, upload } from '../support/storage.ts';

/** A connection to PostgreSQL that can break after a commit and before its answer arrives. */
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
  });
  await listen(server);
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

/** Until a statement of a site on PostgreSQL waits for another transaction. */
async function somebodyWaits({ deps: { db } }: Site): Promise<void> {
  const waiting = sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows[0]?.count).toBeGreaterThan(0);
}

describeEngines(({ site, siteWithAdmin, migrated, engine }) => {
  it('the site keeps the bytes when it is unknown whether the row was written', async () => {
    const place = await migrated();
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

  /**
   * Two posts, the first of which carries a file, and a save of the second with it that waits to be
   * committed.
   */
  async function moved(s: Site) {
    const admin = await s.admin();
    const { url, id } = await upload(s, admin, 'a.bin', 'abcd');
    const attachments = [{ url, description: null }];
    const [from = '', to = ''] = await publish(s, admin, essay({ attachments }), essay());
    const save = (postId: string, carries: boolean) =>
      s.call(admin, 'updatePost', { ...essay({ attachments: carries ? attachments : [] }), postId });
    return { admin, id, url, from, to, attachments, save };
  }

  it('the site keeps a file that is moved from one post to another in two windows', async () => {
    const s = await site();
    const { admin, url, from, to, attachments, save } = await moved(s);
    const carried = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const attaching = s.deps.db.transaction().execute(async trx => {
      const found = await findFiles(
        trx,
        { id: to, isNew: false },
        { columns: { content: '', html: '' }, attachments, addable: { uploadedBy: admin?.id ?? '' } },
      );
      await linkFiles(trx, to, found);
      carried.resolve();
      await commit.promise;
    });
    await carried.promise;
    const detaching = save(from, false);
    if (engine === 'postgres') await somebodyWaits(s);
    commit.resolve();
    await Promise.all([attaching, detaching]);
    const stored = await s.request(url);
    expect([stored.status, await stored.text()]).toEqual([200, 'abcd']);
    expect((await s.call(null, 'getPost', { postId: to })).post.attachments).toHaveLength(1);
  });

  it('the site refuses to save a post with a file that is just being removed', async () => {
    const s = await site();
    const { id, to, save } = await moved(s);
    const removed = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const removing = s.deps.db.transaction().execute(async trx => {
      await trx.deleteFrom('files').where('id', '=', id).execute();
      removed.resolve();
      await commit.promise;
    });
    await removed.promise;
    const saving = refusal(save(to, true));
    if (engine === 'postgres') await somebodyWaits(s);
    commit.resolve();
    await removing;
    expect(await saving).toBe('invalid-argument');
  });

  it('the site makes the sizes of a picture once the store is back, and those of other pictures meanwhile', async () => {
    const [s, admin] = await siteWithAdmin();
    const noise = { type: 'gaussian', mean: 120, sigma: 40 } as const;
    const create = { width: 600, height: 40, channels: 3, background: '#a63', noise } as const;
    const picture = await sharp({ create }).jpeg({ quality: 95 }).toBuffer();
    const ids: string[] = [];
    for (const name of ['gone.jpg', 'a.jpg', 'b.jpg']) {
      s.wait(1_000);
      ids.push((await upload(s, admin, name, picture)).id);
    }
    const [gone = '', first = '', second = ''] = ids;
    await s.deps.files.remove(gone);
    const counts = async () => {
      const rows = await s.deps.db
        .selectFrom('files')
        .select(['id', 'variants'])
        .orderBy('created_at')
        .execute();
      return rows.map(({ variants }) => (JSON.parse(variants ?? 'null') as unknown[] | null)?.length);
    };
    const { files } = s.deps;
    const failing = (key: string): FileStore => ({
      ...files,
      read: (...args) => {
        if (args[0] === key) throw new Outage(outages.store, new Error('on purpose'));
        return files.read(...args);
      },
      put: async (...args) => {
        if (args[0].startsWith(key)) throw new Outage(outages.store, new Error('on purpose'));
        await files.put(...args);
      },
    });
    const makeNext = (store: FileStore) => makeNextVariants({ ...s.deps, files: store });

    expect(await makeNext(files)).toBe(true);
    expect(await counts()).toEqual([0, undefined, undefined]);
    await expect(makeNext(failing(first))).rejects.toThrow(outages.store);
    expect(await makeNext(failing(first))).toBe(true);
    expect(await counts()).toEqual([0, undefined, 1]);
    // It waits for a while; then the store fails in another way.
    expect(await makeNext(files)).toBe(false);
    s.wait(10_000);
    await expect(makeNext(failing(variantKey(first, 480)))).rejects.toThrow(outages.store);
    expect(await makeNext(files)).toBe(false);
    s.wait(10_000);
    expect(await makeNext(files)).toBe(true);
    expect(await counts()).toEqual([0, 1, 1]);
    expect((await s.request(`/files/${second}?width=480`, admin)).headers.get('content-type')).toBe(
      'image/webp',
    );
  });

  it('the site gives up the sizes of a picture that ended the process five times', async () => {
    const [s, admin] = await siteWithAdmin();
    const bytes = await sharp({ create: { width: 900, height: 9, channels: 3, background: '#a63' } })
      .png()
      .toBuffer();
    const { id } = await upload(s, admin, 'a.png', bytes);
    const row = () => sizesOf(s, id);
    for (let attempts = 1; attempts <= 5; attempts += 1) {
      // It never comes to an end, as in a process that has died.
      const read = async function* (): AsyncGenerator<Uint8Array> {
        yield await new Promise<Uint8Array>(() => {});
      };
      void makeNextVariants({ ...s.deps, files: { ...s.deps.files, read } });
      await expect.poll(row).toEqual({ variants: null, attempts });
      s.wait(10 * 60_000);
    }
    expect([await makeNextVariants(s.deps), await row()]).toEqual([true, { variants: '[]', attempts: 6 }]);
    expect(await makeNextVariants(s.deps)).toBe(false);
  });

  it('the site accepts the last step of an upload again after the store has failed', async () => {
    const [s, admin] = await siteWithAdmin();
    const video = Buffer.from(
      '\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x22moov\0\0\0\x1audta\0\0\0\x12\xa9namSecrettown',
      'latin1',
    );
    const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');
    const url = await start(s, admin, 'a.mp4', video.length, { md5Hash: md5Of(video) });
    const finish = () => step(s, admin, url, 'upload, finalize', { offset: 0, body: video });
    const { files } = s.deps;
    s.deps.files = {
      ...files,
      put: async () => {
        throw new Outage(outages.store, new Error('on purpose'));
      },
    };
    expect((await finish()).status).toBe(503);
    s.deps.files = files;
    const answer = await finish();
    const { contentType, md5Hash } = await answer.json();
    const stored = Buffer.from(
      await (await s.request(`${objectPath('a.mp4')}?alt=media`, admin)).arrayBuffer(),
    );
    expect([answer.status, contentType, stored.includes('Secrettown')]).toEqual([200, 'video/mp4', false]);
    expect([stored.length, md5Hash]).toEqual([video.length, md5Of(stored)]);
    expect(await readdir(join(s.config.dataDir, 'uploads'))).toEqual([]);
  });

  it('the site does not delay other writes while a slow store is asked what a file is', async () => {
    const [s, admin] = await siteWithAdmin();
    await upload(s, admin, 'a.txt', 'a line of text', 'text/plain');
    const { files } = s.deps;
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    s.deps.files = {
      ...files,
      read: async function* (...args) {
        const bytes = await readWhole(files, ...args);
        asked.resolve();
        await answered.promise;
        yield bytes;
      },
    };
    const change = s.request(objectPath('a.txt'), admin, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contentType: 'text/csv' }),
    });
    await asked.promise;
    // Another file replaces the one that is being read.
    await upload(s, admin, 'a.txt', '%PDF-1.7 x');
    answered.resolve();
    expect((await change).status).toBe(409);
    s.deps.files = files;
    expect((await (await s.request(objectPath('a.txt'), admin)).json()).contentType).toBe('application/pdf');
  });
});
