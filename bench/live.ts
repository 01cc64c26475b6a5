import { Agent, get, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median } from './load.ts';
import { BenchSite } from './servers.ts';
import { Writers } from './writers.ts';

/**
 * `npm run bench:live`: opens streams of readers on one process, spread evenly over posts, while other posts
 * are liked, and measures the memory of each reader, the processor time of all, and how long a comment takes
 * to reach the last reader of its post (bars.md). `--readers 2000 --posts 1` opens all of them on one post.
 */
const { values: options } = parseArgs({
  options: {
    readers: { type: 'string', default: '10000' },
    posts: { type: 'string', default: '2000' },
    likes: { type: 'string', default: '50' },
  },
});
const readers = Number(options.readers);
const posts = Number(options.posts);
const likes = Number(options.likes);
/** How many streams an account may have open. */
const perAccount = 32;
const likedPosts = 10;
const comments = 20;
const seconds = 10;

// Everybody may read a quarter of the seeded posts.
const site = await BenchSite.seeded(6 * (posts + likedPosts), Math.ceil(readers / perAccount) + 1, 3920);
await site.start();
const cookies = await site.memberCookies(Math.ceil(readers / perAccount) + 1);
const ids = openPosts(posts + likedPosts);
const followed = ids.slice(0, posts);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** Called with each event about comments. */
let heard = (_text: string) => {};

// With the first streams the server loads what all streams need, which does not count for a reader.
const first = cookies.pop() ?? '';
await Promise.all(followed.slice(0, perAccount).map(postId => openStream(postId, first)));
const before = site.memory();
const streams: IncomingMessage[] = [];
// A few at once, as browsers reconnect to a restarted server; all at once would take 15 kB more for each
// reader.
for (const cookie of cookies) {
  const count = Math.min(perAccount, readers - streams.length);
  const postIds = Array.from({ length: count }, (_, index) => postOf(streams.length + index));
  streams.push(...(await Promise.all(postIds.map(postId => openStream(postId, cookie)))));
}
const after = site.memory();
print(`${readers} readers of ${posts} posts`, `${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after`);
print('a reader', `${(((after - before) * 1024) / readers).toFixed(1)} kB (bar < 30)`);

const shareOfCore = async () => {
  const start = site.cpuSeconds();
  await sleep(seconds * 1_000);
  return ((site.cpuSeconds() - start) / seconds).toFixed(2);
};
print('nothing is written', `${await shareOfCore()} of a core`);
const writing = new Writers(site, cookies, ids.slice(posts), { likes, comments: 0 }).start();
print(`${likes} likes a second elsewhere`, `${await shareOfCore()} of a core (bar < 0.5)`);
const times: number[] = [];
for (let n = 0; n < comments; n += 1) times.push(await commentOn(postOf(n * 7), `Comment ${n}.`));
await writing.stop();
print(
  `a comment to the last of ${readers / posts} readers`,
  `median ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms (bar < 1000)`,
);
print('memory at the end', `${site.memory().toFixed(0)} MB`);
for (const stream of streams) stream.destroy();
agent.destroy();
await site.remove();

/** How long it takes until a comment has reached everybody who has its post open, in milliseconds. */
async function commentOn(postId: string, content: string): Promise<number> {
  let missing = streams.filter((_, index) => postOf(index) === postId).length;
  const all = Promise.withResolvers<void>();
  heard = text => {
    if (text.includes(JSON.stringify(content))) missing -= 1;
    if (missing === 0) all.resolve();
  };
  const start = performance.now();
  const answer = await site.call('addComment', { postId, content }, { cookie: cookies[0] ?? '' });
  if (!answer.ok) throw new Error(await answer.text());
  await all.promise;
  return performance.now() - start;
}

/** Resolves once the server has sent the state of the post. */
function openStream(postId: string, cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${site.url}/live?post=${postId}`, { agent, headers: { cookie } }, response => {
      if (response.statusCode !== 200) reject(new Error(`A stream was answered ${response.statusCode}.`));
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (text.includes('event: gone')) reject(new Error('The post is not shared with this reader.'));
        if (text.includes('event: state')) resolve(response);
        if (text.includes('event: comments')) heard(text);
      });
      response.on('error', () => {});
    }).on('error', reject);
  });
}

function postOf(reader: number): string {
  return followed[reader % posts] ?? '';
}

/** The newest posts without a tag. */
function openPosts(count: number): string[] {
  const database = new DatabaseSync(`${site.dataDir}/coterie.db`, { readOnly: true });
  const rows = database
    .prepare(
      `select id from posts where published_at is not null and tag_set_id not in (select tag_set_id from tag_set_tags)
       order by published_at desc limit ?`,
    )
    .all(count);
  database.close();
  if (rows.length < count) throw new Error(`Only ${rows.length} posts are open to everybody.`);
  return rows.map(({ id }) => String(id));
}

function print(what: string, measured: string): void {
  process.stdout.write(`${what}: ${measured}\n`);
}
