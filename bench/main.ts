import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { bytesOf, median, type Request, ratio, requireProgram } from './load.ts';
import { BenchSite, newestEssay, startBare } from './servers.ts';
import { Writers } from './writers.ts';

/**
 * `npm run bench`: the ratios of bars.md, each within one run. "Bare" is plain node:http, which gets the same
 * requests and answers with the same number of bytes, in turn with ours. `--only <part of a name>` measures
 * less; `--large` adds a site of 1,000,000 posts.
 */
const { values: options } = parseArgs({
  options: { only: { type: 'string' }, large: { type: 'boolean', default: false } },
});
/** No account may send more than 600 requests a minute, so members take turns. */
const members = 600;
const json = { 'content-type': 'application/json' };
const rows: { what: string; measured: string; bar: string; rate: string }[] = [];
const isWanted = (what: string) => options.only === undefined || what.includes(options.only);
const note = (what: string, measured: string, bar: string, rate = '') => {
  rows.push({ what, measured, bar, rate });
  process.stdout.write(`${what}: ${measured} (bar ${bar})${rate && `, ${rate}`}\n`);
};

requireProgram('wrk');
const bare = await startBare(3910);
const page = (site: BenchSite, number: number): Request => ({
  url: `${site.url}/api/getPosts`,
  headers: json,
  body: JSON.stringify({ data: { page: number } }),
});

process.stdout.write('Seeding 10,000 posts\n');
const site = await BenchSite.seeded(10_000, members, 3911);
await site.start();
await site.stop();
note('start to first answer, ms', (await site.timedStart()).toFixed(0), '< 250');
note('memory at rest, MB', site.memory().toFixed(0), '< 90');

const cookies = await site.memberCookies(members);
const asMembers = (request: Request): Request => ({ ...request, cookies });
const postPage = { url: await newestEssay(site.url) };

const timeline = { url: `${site.url}/` };
/** The headers of Chrome for a page. */
const compressed = (request: Request): Request => ({
  ...request,
  headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
});

await compare('visitor: timeline page', timeline, 0.7);
await compare('visitor: post page', postPage, 0.7);
await compare('visitor: getPosts page 1', page(site, 1), 0.7);
await compare('member, 20 tags: getPosts page 1', asMembers(page(site, 1)), 0.2);
await compare('member: timeline page, compressed', asMembers(compressed(timeline)), 0.2);
await compare('member: post page, compressed', asMembers(compressed(postPage)), 0.2);

// The posts on everybody's first page, so that each write changes an answer that is measured.
const liked = (await (await site.call('getPosts', {})).json()).result.posts.map(
  (post: { id: string }) => post.id,
);
const writers = new Writers(site, cookies, liked);
await compareWhileWriting('visitor: timeline page', timeline, 0.75);
await compareWhileWriting('visitor: timeline page, compressed', compressed(timeline), 0.75);
await compareWhileWriting('visitor: post page', postPage, 0.75);
await compareWhileWriting('visitor: post page, compressed', compressed(postPage), 0.75);
await compareWhileWriting('member, 20 tags: getPosts page 1', asMembers(page(site, 1)), 0.75);
note('memory under load, MB', site.memory().toFixed(0), '< 250');

if (isWanted('visitor: timeline page, on PostgreSQL') || isWanted('visitor: post page, on PostgreSQL')) {
  process.stdout.write('Seeding 10,000 posts on PostgreSQL\n');
  const postgres = await startPostgres();
  const other = await BenchSite.seeded(10_000, 1, 3914, { DATABASE_URL: `${postgres.url}/postgres` });
  await other.start();
  await compare('visitor: timeline page, on PostgreSQL', { url: `${other.url}/` }, 0.4);
  await compare('visitor: post page, on PostgreSQL', { url: await newestEssay(other.url) }, 0.4);
  await other.remove();
  await postgres.stop();
}

for (const posts of options.large ? [100_000, 1_000_000] : [100_000]) {
  const growth = `growth: ${posts.toLocaleString('en-US')} posts against 1,000`;
  const depth = `depth: page 1,000 against page 1 of ${posts.toLocaleString('en-US')} posts, member`;
  if (!isWanted(growth) && !isWanted(depth)) continue;
  process.stdout.write(`Seeding 1,000 and ${posts.toLocaleString('en-US')} posts\n`);
  const small = await BenchSite.seeded(1_000, members, 3912);
  const large = await BenchSite.seeded(posts, members, 3913);
  await small.start();
  await large.start();
  const asked = async (of: BenchSite, who: 'visitor' | 'member') =>
    who === 'visitor' ? page(of, 1) : { ...page(of, 1), cookies: await of.memberCookies(members) };
  for (const who of ['visitor', 'member'] as const) {
    await compareTimes(`${growth}, ${who}`, await asked(large, who), await asked(small, who), 1.5);
  }
  const people = { cookies: await large.memberCookies(members) };
  await compareTimes(depth, { ...page(large, 1_000), ...people }, { ...page(large, 1), ...people }, 2);
  await small.remove();
  await large.remove();
}

await site.remove();
bare.stop();
process.stdout.write('\n');
console.table(rows);

async function compare(what: string, request: Request, bar: number): Promise<void> {
  if (!isWanted(what)) return;
  const bytes = await sizeOf(request);
  const { ratio: measured, ours } = await ratio(request, { ...request, url: `${bare.url}/${bytes}` });
  note(what, measured.toFixed(3), `>= ${bar}`, `${ours.toFixed(0)}/s, ${bytes} bytes`);
}

async function compareTimes(what: string, request: Request, other: Request, bar: number): Promise<void> {
  if (!isWanted(what)) return;
  const { ratio: measured, ours } = await ratio(request, other);
  note(what, (1 / measured).toFixed(2), `<= ${bar}`, `${ours.toFixed(0)}/s`);
}

/**
 * The rate while 50 likes and 10 comments a second arrive, as a share of the rate without them: of more
 * rounds, because the two rates are so close that the machine's own noise is seen.
 */
async function compareWhileWriting(name: string, request: Request, bar: number): Promise<void> {
  const what = `${name}, while writing`;
  if (!isWanted(what)) return;
  const { ratio: measured, ours } = await ratio(request, request, {
    rounds: 15,
    during: () => writers.start(),
  });
  note(what, measured.toFixed(2), `>= ${bar}`, `${ours.toFixed(0)}/s`);
}

/** The bytes of an answer's body as it is sent; for several people the median. */
async function sizeOf({ cookies: people = [''], ...request }: Request): Promise<number> {
  const sizes: number[] = [];
  for (const cookie of people.slice(0, 21)) sizes.push(await bytesOf(request, cookie));
  return median(sizes);
}
