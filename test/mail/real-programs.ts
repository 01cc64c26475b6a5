import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import PostalMime from 'postal-mime';
import { expect, it, onTestFinished } from 'vitest';
import { createListener } from '../../server/app.ts';
import { serverOptions } from '../../server/http/connections.ts';
import { essay, publish } from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { noPages } from '../support/no-pages.ts';
import { openSite } from '../support/site.ts';
import { silence } from '../support/sounds.ts';
import { upload } from '../support/storage.ts';
import { kinds, sendEveryKind, title } from './every-kind.ts';
import { startPostfix } from './postfix.ts';

const run = promisify(execFile);
/** What SpamAssassin calls spam has 5.0 points. */
const maxPoints = 1;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-mail-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function makeSite(settings: Record<string, string>) {
  const s = await openSite({ dataDir: await makeFolder(), databaseUrl: undefined }, settings);
  onTestFinished(s.close);
  return s;
}

/** What SpamAssassin says by its local rules alone, without what it has learned here before. */
async function spamScore(mail: string) {
  const rules = ['use_bayes 0', 'use_auto_whitelist 0', 'score ALL_TRUSTED 0', 'score NO_RELAYS 0'];
  const args = ['-L', '-t', ...rules.map(rule => `--cf=${rule}`)];
  const running = run('spamassassin', args, { maxBuffer: 2 ** 26 });
  running.child.stdin?.end(mail);
  const { stdout } = await running;
  const status = /^X-Spam-Status:((?:.|\n[ \t])*)/m.exec(stdout)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
  const points = Number(/score=(-?[\d.]+)/.exec(status)?.[1] ?? Number.NaN);
  const hit = /tests=(.*?) autolearn/.exec(status)?.[1]?.replaceAll(', ', ',') ?? '';
  return { points, hit };
}

it('Postfix delivers a mail of each kind, and SpamAssassin takes none for spam', async () => {
  const postfix = await startPostfix();
  const s = await makeSite({
    SMTP_URL: postfix.url,
    PUBLIC_URL: 'https://blog.example.org',
    MAIL_FROM: 'The Lockhouse <blog@example.org>',
    MAIL_REPLY_ADDRESS: 'reply+{}@blog.example.org',
    SITE_TITLE: 'The Lockhouse',
  });
  const toLucy = async () => {
    const about = async () =>
      (await postfix.mails()).find(mail => mail.includes(`Subject: ${title}`) && /^To: .*lucy@/m.test(mail));
    await expect.poll(about).toBeDefined();
    return (await about()) ?? '';
  };
  const sent = await sendEveryKind(s, toLucy);
  expect([...new Set(sent.values())].sort()).toEqual(Object.keys(kinds).sort());
  await expect.poll(async () => (await postfix.mails()).length).toBe(sent.size);
  const judged = new Set<string>();
  for (const mail of await postfix.mails()) {
    const id = /^Message-ID: <([^@]+)@/im.exec(mail)?.[1] ?? '';
    const kind = sent.get(id) ?? 'unknown';
    if (judged.has(kind)) continue;
    judged.add(kind);
    const { text = '', html = '' } = await PostalMime.parse(mail);
    expect({ kind, hasBoth: text.length > 50 && html.length > 50 }).toEqual({ kind, hasBoth: true });
    const { points, hit } = await spamScore(mail);
    console.log(`${kind.padEnd(14)} ${points.toFixed(1).padStart(5)}  ${hit}`);
    expect.soft({ kind, isGood: points < maxPoints }).toEqual({ kind, isGood: true });
  }
  expect(judged.size).toBe(Object.keys(kinds).length);
});

it('newsboat reads the feed of the site, of a tag and of an account, and the podcast', async () => {
  const port = await freePort();
  const s = await makeSite({ PUBLIC_URL: `http://localhost:${port}`, SITE_TITLE: 'The Lockhouse' });
  const server = createServer(serverOptions, createListener(s.deps, noPages));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await s.setDefaultTags(['walks']);
  const { url } = await upload(s, admin, 'tide.wav', silence);
  await publish(
    s,
    admin,
    essay({ title: 'Up to the <mill> & back', tags: ['walks'] }),
    essay({ title: 'Grüße, 今日は' }),
    essay({ title: 'For friends', tags: ['friends'], content: `[Sound: tide](${url})` }),
  );
  const own = new URL((await s.call(lucy, 'makePersonalFeed', {})).url);
  const { publicUrl } = s.config;
  const titles = await readByNewsboat([
    `${publicUrl}/feed.xml`,
    `${publicUrl}/feed.xml?tag=walks`,
    own.href,
    `${publicUrl}/podcast.xml${own.search}`,
  ]);
  console.log(titles);
  expect(titles).toEqual([
    ['The Lockhouse', 'Grüße, 今日は', 'Up to the <mill> & back'],
    ['The Lockhouse: walks', 'Up to the <mill> & back'],
    ['The Lockhouse (lucy)', 'For friends', 'Grüße, 今日は', 'Up to the <mill> & back'],
    ['The Lockhouse (lucy)', 'For friends'],
  ]);
});

/** The title of each feed, and those of its entries by the alphabet, as newsboat keeps them. */
async function readByNewsboat(urls: readonly string[]): Promise<string[][]> {
  const all: string[][] = [];
  for (const url of urls) {
    // It keeps an entry once, also one of several feeds.
    const folder = await makeFolder();
    const path = (name: string) => join(folder, name);
    await writeFile(path('urls'), url);
    await writeFile(path('config'), '');
    const args = ['-u', path('urls'), '-c', path('cache.db'), '-C', path('config'), '-x', 'reload'];
    await run('newsboat', args, { env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' } });
    const db = new DatabaseSync(path('cache.db'), { readOnly: true });
    const titlesIn = (table: string) =>
      db
        .prepare(`select title from ${table} order by title`)
        .all()
        .map(row => String(row.title));
    all.push([...titlesIn('rss_feed'), ...titlesIn('rss_item')]);
    db.close();
  }
  return all;
}
