import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { afterEach, expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { endAccess } from '../../server/accounts/sessions/end-access.ts';
import { Downloads } from '../../server/limits/downloads.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, shortPost } from '../support/factories.ts';
import { listen } from '../support/listen.ts';
import { objectPath } from '../support/multipart.ts';
import { type Person, renewSessions, type Site } from '../support/site.ts';
import { carry, type Upload, upload } from '../support/storage.ts';
import { hour, work } from '../support/transfers.ts';

/** More than a connection takes before its reader reads. */
const size = 64 * 1024 * 1024;

type Scene = { s: Site; admin: Person; reader: NonNullable<Person>; postId: string; file: Upload };

/** A post for friends with a large file, and a member who may read it. */
async function openScene(s: Site): Promise<Scene> {
  const admin = await s.admin();
  const reader = await s.member(['friends']);
  const { post } = await s.call(admin, 'createPost', essay({ tags: ['friends'] }));
  const file = await upload(s, admin, 'posts/large.bin', 'x');
  await truncate(join(s.config.dataDir, 'files', file.id), size);
  await s.deps.db.updateTable('files').set({ size }).where('id', '=', file.id).execute();
  await carry(s, post.id, file.id);
  return { s, admin, reader, postId: post.id, file };
}

const closings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

type Download = {
  /** Resolves once the server has done with it, though nobody reads. */
  ended: Promise<unknown>;
  /** Reads on, and says how many bytes came in all. */
  read(): Promise<number>;
};

/** Asks for a file and reads nothing of it yet. */
async function download(s: Site, path: string, headers: Record<string, string>): Promise<Download> {
  const handled: unknown[] = [];
  const server = createServer(
    getRequestListener((...request) => {
      const answer = s.app.fetch(...request);
      handled.push(answer);
      return answer;
    }),
  );
  await listen(server);
  closings.push(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  const arrived = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  const [, answer] = await arrived;
  // A short part may have come, and the connection have ended, before it is read.
  const closed = new Promise(resolve => response.once('close', resolve));
  response.on('error', () => {});
  return {
    ended: once(answer, 'close'),
    read: async () => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      await closed;
      await Promise.all(handled);
      return bytes;
    },
  };
}

const ends: Record<string, (scene: Scene) => Promise<unknown>> = {
  'the denial of the reader': ({ s, reader }) => denyUser(s.deps, reader.id),
  'the end of the session': ({ s, reader }) => s.call(reader, 'signOut', {}),
  'the end of all that opens the account': ({ s, reader }) => endAccess(s.deps.db, s.deps, reader.id),
  'a tag taken from the reader': ({ s, admin, reader }) =>
    s.call(admin, 'setApprovedTags', { userId: reader.id, tags: [] }),
  'a tag given to the post': ({ s, admin, postId }) =>
    s.call(admin, 'updatePost', { ...essay({ tags: ['friends', 'family'] }), postId }),
  'the deletion of the post': ({ s, admin, postId }) => s.call(admin, 'deletePost', { postId }),
};

describeEngines(({ site, siteWithAdmin }) => {
  for (const [name, end] of Object.entries(ends)) {
    it(`7. ${name} ends a running download`, async () => {
      const scene = await openScene(await site());
      const { s, file, reader } = scene;
      const { ended, read } = await download(s, `/files/${file.id}`, { cookie: reader.cookie });
      await end(scene);
      await ended;
      expect(await read()).toBeLessThan(size);
    });
  }

  for (const [name, end] of Object.entries(ends)) {
    it(`7. ${name} ends a running download of all pictures`, async () => {
      const scene = await openScene(await site());
      const { s, postId, file, reader } = scene;
      await s.deps.db.updateTable('files').set({ type: 'image/png' }).where('id', '=', file.id).execute();
      const { ended, read } = await download(s, `/post/${postId}/pictures.zip`, { cookie: reader.cookie });
      await end(scene);
      await ended;
      expect(await read()).toBeLessThan(size);
    });
  }

  it('an export under way arrives whole, though a newer one has taken its place', async () => {
    const [s, admin] = await siteWithAdmin();
    const post = await s.call(admin, 'createPost', shortPost('One.'));
    const { transferId } = await s.call(admin, 'startExport', { format: 'markdown' });
    await work(s);
    const { made_key: key } = await s.deps.db
      .selectFrom('transfers')
      .select('made_key')
      .executeTakeFirstOrThrow();
    await truncate(join(s.config.dataDir, 'files', key ?? ''), size);
    await s.deps.db
      .updateTable('transfers')
      .set({ made: JSON.stringify({ name: 'posts.zip', size }) })
      .execute();
    const { read } = await download(s, `/exports/${transferId}`, { cookie: admin.cookie });
    s.wait(hour);
    await renewSessions(s);
    await s.call(admin, 'startExport', { format: 'markdown' });
    await work(s);
    expect((await s.request(`/exports/${transferId}`, admin)).status).toBe(404);
    await s.call(admin, 'deletePost', { postId: post.post.id });
    expect(await read()).toBe(size);
  });

  it('7. a new default tag that is removed again ends a download of a visitor', async () => {
    const { s, file, admin } = await openScene(await site());
    await s.setDefaultTags(['friends']);
    const { ended, read } = await download(s, `/files/${file.id}`, {});
    await s.call(admin, 'setDefaultTags', { tags: [] });
    await ended;
    expect(await read()).toBeLessThan(size);
  });

  it('7. a new address of a personal feed ends the downloads by the old one', async () => {
    const { s, file, reader } = await openScene(await site());
    const sound = { type: 'audio/wav', name: 'large.wav' };
    await s.deps.db.updateTable('files').set(sound).where('id', '=', file.id).execute();
    const { pathname, search } = new URL((await s.call(reader, 'makePersonalFeed', {})).url);
    const feed = await (await s.request(pathname + search)).text();
    const [, path = ''] = /<link rel="enclosure" href="https?:\/\/[^/]+([^"]+)"/.exec(feed) ?? [];
    const { ended, read } = await download(s, path, {});
    await s.call(reader, 'makePersonalFeed', {});
    await ended;
    expect(await read()).toBeLessThan(size);
  });

  it('7. the end of a token ends its downloads, and so does the end of the session behind an address', async () => {
    const { s, file, reader } = await openScene(await site());
    const { token } = await s.makeToken(reader);
    const byToken = await download(s, `${objectPath('posts/large.bin')}?alt=media`, {
      authorization: `Bearer ${token}`,
    });
    const described = await s.request(objectPath('posts/large.bin'), reader);
    const { downloadTokens } = await described.json();
    const address = `${objectPath('posts/large.bin')}?alt=media&token=${downloadTokens}`;
    const byAddress = await download(s, address, {});
    expect(file.size).toBe('1');
    await endAccess(s.deps.db, s.deps, reader.id);
    for (const { ended, read } of [byToken, byAddress]) {
      await ended;
      expect(await read()).toBeLessThan(size);
    }
  });

  it('68. a client that reads nothing for two minutes is cut, and one that reads a little is not', async () => {
    const { s, file, reader } = await openScene(await site());
    s.deps.downloads = new Downloads(s.deps.clock);
    const { ended, read } = await download(s, `/files/${file.id}`, { cookie: reader.cookie });
    const cut: unknown[] = [];
    const slow = s.deps.downloads.begin(null, reason => cut.push(reason));
    for (let minute = 0; minute < 5; minute += 1) {
      s.wait(60_000);
      slow.took(128 * 1024);
      s.deps.downloads.cutSlow();
    }
    await ended;
    expect(await read()).toBeLessThan(size);
    expect(cut).toEqual([]);
    slow.end();
  });

  it('68. a network may have a limited number of open downloads, a /48 eight times as many, and others are not affected', async () => {
    const { s, file, reader } = await openScene(await site());
    s.deps.downloads = new Downloads(s.deps.clock, 2);
    const ask = (peer: string) => s.request(`/files/${file.id}`, reader, { peer });
    const [first, second, third] = [
      await ask('203.0.113.1'),
      await ask('203.0.113.1'),
      await ask('203.0.113.1'),
    ];
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers.get('retry-after')).toBe('5');
    expect((await ask('203.0.113.2')).status).toBe(200);
    await first.body?.cancel();
    expect((await ask('203.0.113.1')).status).toBe(200);
    const statuses: number[] = [];
    for (let index = 0; index < 17; index += 1) {
      statuses.push((await ask(`2001:db8:0:${index.toString(16)}00::1`)).status);
    }
    expect(statuses).toEqual([...Array(16).fill(200), 429]);
    expect((await ask('2001:db8:1::1')).status).toBe(200);
  });

  it('a download is complete although others write and the rights of other readers change', async () => {
    const { s, file, admin, reader, postId } = await openScene(await site());
    const { read } = await download(s, `/files/${file.id}`, { cookie: reader.cookie });
    await s.call(admin, 'addComment', { postId, content: 'Still here.' });
    await s.call(admin, 'createPost', shortPost());
    await s.call(admin, 'updatePost', { ...essay({ title: 'Another', tags: ['friends'] }), postId });
    await s.call(admin, 'addTag', { name: 'family' });
    await s.call(admin, 'setDefaultTags', { tags: ['family'] });
    expect(await read()).toBe(size);
  });
});
