import { type Request, ratio, requireWrk } from './load.ts';
import { BenchSite, startBare } from './servers.ts';

/**
 * `npm run bench`: the ratios of bars.md, each within one run. "Bare" is plain node:http with the same number of bytes
 * under the same load. `--large` adds a site of 1,000,000 posts.
 */
const largePosts = process.argv.includes('--large') ? 1_000_000 : 100_000;
const json = { 'content-type': 'application/json' };
const rows: { what: string; measured: string; bar: string; rate: string }[] = [];
const note = (what: string, measured: string, bar: string, rate = '') => {
  rows.push({ what, measured, bar, rate });
  process.stdout.write(`${what}: ${measured} (bar ${bar})${rate && `, ${rate}`}\n`);
};

requireWrk();
const bare = await startBare(3910);
process.stdout.write('Seeding 10,000 posts\n');
const site = await BenchSite.seeded(10_000, 3911);
await site.start();
await site.stop();
note('start to first answer, ms', (await site.start()).toFixed(0), '< 1000');
note('memory at rest, MB', site.memory().toFixed(0), '< 150');

const cookie = await site.memberCookie();
const page1 = { url: `${site.url}/api/getPosts`, headers: json, body: '{"data":{"page":1}}' };
const member = (request: Request) => ({ ...request, headers: { ...request.headers, cookie } });
const firstPost = (await (await site.call('getPosts', {})).json()).result.posts.find(
  (post: { type: string }) => post.type === 'essay',
);
const postPage = { url: `${site.url}/post/${firstPost.id}` };

await compare('visitor: timeline page', { url: `${site.url}/` }, 0.5);
await compare('visitor: post page', postPage, 0.5);
await compare('visitor: getPosts page 1', page1, 0.4);
await compare('member, 20 tags: getPosts page 1', member(page1), 0.15);
await compare('member: timeline page', member({ url: `${site.url}/` }), 0.03);
await compare('member: post page', member(postPage), 0.03);
const deep = await ratio(member({ ...page1, body: '{"data":{"page":1000}}' }), member(page1));
note('member: page 1,000 against page 1, time', (1 / deep.ratio).toFixed(2), '<= 2');
note('memory under load, MB', site.memory().toFixed(0), '< 300');

process.stdout.write(`Seeding 1,000 and ${largePosts.toLocaleString('en-US')} posts\n`);
const small = await BenchSite.seeded(1_000, 3912);
const large = await BenchSite.seeded(largePosts, 3913);
await small.start();
await large.start();
const smallPage = {
  ...page1,
  url: `${small.url}/api/getPosts`,
  headers: { ...json, cookie: await small.memberCookie() },
};
const largePage = {
  ...page1,
  url: `${large.url}/api/getPosts`,
  headers: { ...json, cookie: await large.memberCookie() },
};
const growth = await ratio(largePage, smallPage);
note(
  `member: ${largePosts.toLocaleString('en-US')} posts against 1,000, time`,
  (1 / growth.ratio).toFixed(2),
  '<= 1.5',
);

for (const server of [site, small, large]) await server.stop();
bare.stop();
process.stdout.write('\n');
console.table(rows);

async function compare(what: string, request: Request, bar: number): Promise<void> {
  const init = request.body === undefined ? {} : { method: 'POST', body: request.body };
  const answer = await fetch(request.url, { ...init, headers: request.headers ?? {} });
  const bytes = (await answer.arrayBuffer()).byteLength;
  const { ratio: measured, ours } = await ratio(request, { url: `${bare.url}/${bytes}` });
  note(what, measured.toFixed(3), `>= ${bar}`, `${ours.toFixed(0)}/s, ${bytes} bytes`);
}
