import { Agent, get, type IncomingMessage } from 'node:http';
import { BenchSite } from './servers.ts';

/**
 * `node bench/live.ts` on the built program: open readers of one post's comments on one process, what each costs in
 * memory, and how long a comment takes to the last of them (bars.md). Bounded: it ends by itself within a minute.
 */
const readers = Number(process.argv[2] ?? 2_000);
const commentsToSend = 5;
const perAccount = 32;
const deadlineMs = 60_000;

const deadline = setTimeout(() => {
  process.stderr.write('The measurement took too long.\n');
  process.exit(1);
}, deadlineMs);
process.env.MAX_CONNECTIONS_PER_ADDRESS = String(readers + 100);
const site = await BenchSite.seeded(50, 100, 3920);
await site.start();
const cookies = await site.memberCookies(Math.ceil(readers / perAccount) + 1);
const { posts } = (await (await site.call('getPosts', {}, { cookie: cookies[0] ?? '' })).json()).result;
const open = posts.find((post: { tags: string[] }) => post.tags.length === 0) ?? posts[0];

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
let heard = () => {};
// With the first streams the server loads what all of them need: not a reader's cost.
const first = cookies.pop() ?? '';
await Promise.all(Array.from({ length: perAccount }, () => openStream(first)));
const before = site.memory();
const streams: IncomingMessage[] = [];
// A few at once, as browsers come back to a server that has been restarted; all at once costs 15 kB a reader more.
for (const cookie of cookies) {
  const count = Math.min(perAccount, readers - streams.length);
  streams.push(...(await Promise.all(Array.from({ length: count }, () => openStream(cookie)))));
}
const after = site.memory();
process.stdout.write(
  `${readers} readers: ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after, ` +
    `${(((after - before) * 1024) / readers).toFixed(1)} kB a reader\n`,
);

for (let n = 1; n <= commentsToSend; n += 1) {
  let missing = readers;
  const all = Promise.withResolvers<void>();
  heard = () => {
    missing -= 1;
    if (missing === 0) all.resolve();
  };
  const start = performance.now();
  const answer = await site.call(
    'addComment',
    { postId: open.id, content: `Comment ${n}` },
    { cookie: cookies[0] ?? '' },
  );
  if (!answer.ok) throw new Error(await answer.text());
  await all.promise;
  process.stdout.write(
    `comment ${n} reached the last reader after ${(performance.now() - start).toFixed(0)} ms\n`,
  );
}
process.stdout.write(`memory at the end: ${site.memory().toFixed(0)} MB\n`);
for (const stream of streams) stream.destroy();
agent.destroy();
await site.remove();
clearTimeout(deadline);

/** Resolves once the server has said how the post stands. */
function openStream(cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${site.url}/live?post=${open.id}`, { agent, headers: { cookie } }, response => {
      if (response.statusCode !== 200) reject(new Error(`A stream was answered ${response.statusCode}.`));
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (text.includes('event: gone')) reject(new Error('The post is not shared with this reader.'));
        if (text.includes('event: state')) resolve(response);
        if (text.includes('event: comments')) heard();
      });
      response.on('error', () => {});
    }).on('error', reject);
  });
}
