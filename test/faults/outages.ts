import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { seedPassword } from '../../bench/seed/members.ts';
import { freePort } from '../support/free-port.ts';
import { bucketPath, multipart } from '../support/multipart.ts';
import { type Answer as MailAnswer, startSmtp } from '../support/smtp.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const run = promisify(execFile);
const within = 30_000;
/** For mails: after each failure the worker waits twice as long, up to five minutes. */
const mailsWithin = 180_000;

/** A site with a public post, somebody who writes, and a visitor who has been on the timeline. */
async function openScene(place: Place, settings: Record<string, string> = {}, dataDir?: string) {
  const site = await place.site(settings, dataDir);
  await site.start();
  await site.createAdmin();
  const admin = new Client(site.url);
  await admin.signIn('mina@example.com');
  const write = (content: string) =>
    admin.ask('createPost', { type: 'short', content, tags: [], isDraft: false });
  const created = await write('The first.');
  assert.ok(created !== null && 'result' in created);
  const postId = created.result.post.id;
  const read = async (path = '/') => {
    const response = await fetch(`${site.url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  assert.equal((await read()).status, 200);
  return { site, admin, write, read, postId };
}

/** Waits until something holds. Returns how long it took, in seconds. */
async function until(what: string, holds: () => Promise<boolean>, patience = within): Promise<number> {
  const start = performance.now();
  while (!(await holds())) {
    assert.ok(performance.now() - start < patience, `It does not come to this: ${what}`);
    await sleep(50);
  }
  return Math.round((performance.now() - start) / 100) / 10;
}

const isSaved = (answer: Awaited<ReturnType<Client['ask']>>) => answer !== null && 'result' in answer;

function assertRefused(answer: Awaited<ReturnType<Client['ask']>>, status: number, message: RegExp): void {
  assert.ok(answer !== null && 'status' in answer, 'It was not refused.');
  assert.equal(answer.status, status);
  assert.match(answer.message, message);
}

/** Case 66. PostgreSQL is killed while the site answers requests, and started again. */
export async function databaseGone(place: Place) {
  const { postgres } = place;
  if (postgres === undefined) return await databaseLocked(place);
  const { site, write, read, postId } = await openScene(place);
  await postgres.kill();
  const refused = await write('Into the void.');
  assertRefused(refused, 503, /The database cannot be reached/);
  const page = await read();
  assert.equal(page.status, 200, 'A page that everybody may read was known.');
  assert.match(page.text, /The first\./);
  const other = await read(`/post/${postId}`);
  assert.equal(other.status, 503);
  assert.match(other.text, /The database cannot be reached/);
  assert.equal((await read('/healthz')).status, 200);
  assert.equal((await read('/readyz')).status, 503);
  await postgres.restart();
  const seconds = await until('writing works again', async () => isSaved(await write('The second.')));
  await until('reading is fresh again', async () => (await read()).text.includes('The second.'));
  assert.equal((await read(`/post/${postId}`)).status, 200);
  assert.doesNotMatch(site.output, /unexpected error/);
  return { recoveredAfterSeconds: seconds };
}

/** Case 66. Another process holds SQLite's lock. */
async function databaseLocked(place: Place) {
  const { site, write, read } = await openScene(place);
  const other = new DatabaseSync(join(place.dataDir, 'coterie.db'));
  other.exec('begin exclusive');
  const start = performance.now();
  const answer = write('Behind a lock.');
  assert.equal((await read()).status, 200);
  assertRefused(await answer, 503, /The database is busy/);
  const refusedAfterSeconds = Math.round((performance.now() - start) / 1_000);
  // A write that waits for a shorter time is saved.
  const waiting = write('The second.');
  await sleep(500);
  other.exec('commit');
  other.close();
  assert.ok(isSaved(await waiting));
  assert.match((await read()).text, /The second\./);
  assert.doesNotMatch(site.output, /unexpected error/);
  return { refusedAfterSeconds };
}

/** Case 65. The disk of the data folder is full: on a file system of 24 MiB, which only root can make. */
export async function diskFull(place: Place) {
  if (process.getuid?.() !== 0) return 'needs root, for a file system of its own';
  const folder = await mkdtemp(join(tmpdir(), 'coterie-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder]);
  try {
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const { site, write, read, admin } = await openScene(place, {}, dataDir);
    try {
      const upload = async (name: string, bytes: number) => {
        const { headers, ...body } = multipart(Buffer.alloc(bytes, 'a line of text\n'), {}, 'text/plain');
        const response = await fetch(`${site.url}${bucketPath(`posts/${name}`)}`, {
          ...body,
          headers: { ...admin.credentials, ...headers },
        });
        return { status: response.status, text: await response.text() };
      };
      assert.equal((await upload('small.txt', 10_000)).status, 200);
      await fill(join(folder, 'ballast'));
      const refused = await upload('large.txt', 200_000);
      assert.ok(refused.status >= 400 && refused.status !== 500, `${refused.status} ${refused.text}`);
      assert.match(refused.text, /no space|disk/i);
      if (place.postgres === undefined) {
        assertRefused(await write('x'.repeat(300)), 503, /disk of the server is full/);
      }
      assert.equal((await read()).status, 200);
      assert.equal((await read('/login')).status, 200, 'Also a page that nobody has read before.');
      await rm(join(folder, 'ballast'));
      await until('writing works again', async () => isSaved(await write('The second.')));
      assert.equal((await upload('large.txt', 200_000)).status, 200);
      assert.match((await read()).text, /The second\./);
      assert.match(await site.cli('doctor'), /No problems found/);
      assert.doesNotMatch(site.output, /unexpected error/);
      return { upload: `${refused.status} ${refused.text.slice(0, 120)}` };
    } finally {
      await site.stop();
    }
  } finally {
    await run('umount', ['-l', folder]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes until nothing more fits, and then the last bytes. */
async function fill(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, '..'));
  await writeFile(path, Buffer.alloc(bavail * bsize)).catch((error: NodeJS.ErrnoException) => {
    // The site has taken a page meanwhile.
    if (error.code !== 'ENOSPC') throw error;
  });
}

/** The SMTP server cannot be reached, is silent, accepts one connection at a time, and refuses some mails. */
export async function smtpGone(place: Place) {
  const port = await freePort();
  const { site, write } = await openScene(place, {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'blog@example.org',
  });
  await site.seed('--posts', '0', '--members', '12', '--comments', '0', '--likes', '0', '--force');
  for (let index = 1; index <= 12; index += 1) {
    const member = new Client(site.url);
    await member.signIn(`member${index}@example.com`, seedPassword);
    assert.ok(await member.call('setSubscription', { subscribed: true }));
  }
  assert.ok(isSaved(await write('Nobody is there.')));
  await until('the worker has noticed', async () => site.output.includes('mail cannot be sent at present'));
  const silent = await listenAndSayNothing(port);
  assert.ok(isSaved(await write('Nobody says a word.')));
  await until('the worker has tried', async () => silent.connections() > 0);
  assert.ok(isSaved(await write('And the author does not wait.')));
  await silent.stop();
  const answer = (to: string): MailAnswer => (to.startsWith('member7@') ? 'refuse' : 'take');
  const smtp = await startSmtp({ port, answer, maxClients: 1 });
  try {
    const allHaveCome = async () => aboutPosts(smtp.mails).length >= 33;
    const seconds = await until('all mails have come', allHaveCome, mailsWithin);
    const counts = Map.groupBy(aboutPosts(smtp.mails), mail => mail.to);
    assert.equal(counts.size, 11);
    for (const [to, mails] of counts) assert.equal(mails.length, 3, to);
    assert.doesNotMatch(site.output, /unexpected error/);
    return { mails: 33, seconds };
  } finally {
    await site.stop();
    await smtp.stop();
  }
}

const aboutPosts = (mails: readonly { to: string; source: string }[]) =>
  mails.filter(mail => mail.to.startsWith('member') && mail.source.includes('List-Unsubscribe'));

async function listenAndSayNothing(port: number) {
  let count = 0;
  const server: Server = createServer(() => {
    count += 1;
  }).listen(port, '127.0.0.1');
  const sockets = new Set<import('node:net').Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await once(server, 'listening');
  return {
    connections: () => count,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
