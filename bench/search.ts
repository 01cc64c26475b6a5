import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/support/postgres.ts';
import { seedPassword } from './seed/members.ts';
import { BenchSite } from './servers.ts';

/**
 * `npm run bench:search`: how long a visitor's, a member's and an admin's search of 100,000 posts with 400
 * combinations of tags takes, what saving a post costs, and how long others wait while the effect of other
 * default tags is computed for 10,000 members, and the archive. `--engine sqlite` measures one engine,
 * `--posts N` a smaller site. `--data-dir FOLDER`, with `--database-url URL` for PostgreSQL, measures a site
 * that `npm run bench:seed` has filled, and leaves it.
 */
const { values: options } = parseArgs({
  options: {
    engine: { type: 'string' },
    posts: { type: 'string', default: '100000' },
    members: { type: 'string', default: '10000' },
    'data-dir': { type: 'string' },
    'database-url': { type: 'string' },
  },
});
const [posts, members] = [Number(options.posts), Number(options.members)];
const rounds = 25;
/** A person may search sixty times a minute: ten terms, each once before it is measured. */
const searches = 5;
const bar = '50, most 150';

const port = 3915;
const dataDir = options['data-dir'];
if (dataDir !== undefined) await measureKept(dataDir, options['database-url']);
else await measureSeeded();

async function measureSeeded(): Promise<void> {
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (options.engine !== undefined && options.engine !== engine) continue;
    const postgres = engine === 'postgres' ? await startPostgres() : undefined;
    try {
      const settings = postgres && { DATABASE_URL: `${postgres.url}/postgres` };
      process.stdout.write(`${engine}: seeding ${posts} posts and ${members} members\n`);
      const site = await BenchSite.seeded(posts, members, port, settings);
      await site.start();
      try {
        await measure(engine, site);
      } finally {
        await site.remove();
      }
    } finally {
      await postgres?.stop();
    }
  }
}

async function measureKept(folder: string, databaseUrl: string | undefined): Promise<void> {
  const site = new BenchSite(folder, port, databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl });
  await site.start();
  try {
    await measure(databaseUrl === undefined ? 'sqlite' : 'postgres', site);
  } finally {
    await site.stop();
  }
}

async function measure(engine: string, site: BenchSite): Promise<void> {
  const authorization = `Bearer ${await site.adminToken()}`;
  const ask = async (name: string, data: unknown) => {
    const answer = await site.call(name, data, { authorization });
    const { result, error } = await answer.json();
    if (error !== undefined) throw new Error(`${name}: ${error.message}`);
    return result;
  };
  const { tags } = await ask('getTags', {});
  const names: string[] = tags.map((tag: { name: string }) => tag.name);
  const previews: number[] = [];
  const alone = await waits(site, () => sleep(2_000));
  const beside = await waits(site, async () => {
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      await ask('previewDefaultTags', { tags: names.filter((_, index) => index % 2 === round % 2) });
      previews.push(performance.now() - start);
    }
  });
  print(engine, 'previewDefaultTags, ms', previews);
  print(engine, 'a visitor beside nothing, ms', alone);
  print(engine, 'a visitor beside previewDefaultTags, ms', beside);
  for (const content of ['The zyzzyva is a weevil.', '昨天我们在东京的码头散步。'])
    await ask('createPost', { type: 'short', content, tags: [], isDraft: false });
  const saves: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await ask('createPost', {
      type: 'essay',
      title: `Saved ${round}`,
      description: 'To measure how long it takes.',
      content: Array.from({ length: 300 }, (_, index) => `word${(index * 7 + round) % 190}`).join(' '),
      isDraft: true,
    });
    saves.push(performance.now() - start);
  }
  print(engine, 'saving an essay of 300 words, ms', saves);
  // Terms by how many posts hold them.
  const terms = {
    'one post has it': 'zyzzyva',
    'no post has it': 'nosuchword',
    'no post has it, but one like it': 'zyzyva',
    'no post has both, many have one': 'rain zyzzyvas',
    'many posts have both': 'rain harbour',
    'many posts have it': 'rain',
    'most posts have it': 'the',
    'the beginning of many words': 'ph',
    'one letter': 's',
    Chinese: '码头',
  };
  const member = async (number: number) => {
    const email = `member${number}@example.com`;
    const answer = await site.call('signIn', { email, password: seedPassword });
    return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  };
  // The first one has written thousands of comments, all of which a search compares.
  const people = {
    visitor: {},
    member: await member(Math.ceil(members / 2)),
    'member of many comments': await member(1),
    admin: { authorization },
  };
  const newest = new Date().getUTCFullYear();
  for (const [who, headers] of Object.entries(people)) {
    for (const [what, q] of Object.entries(terms)) {
      const search = async () => {
        const { result, error } = await (await site.call('search', { q }, headers)).json();
        if (error !== undefined) throw new Error(`search as ${who}: ${error.message}`);
        return result;
      };
      const { posts: shown, hasNextPage } = await search();
      const found = `${shown.length}${hasNextPage ? '+' : ''} shown`;
      print(engine, `search as ${who}, ${what} (${found}), ms`, await timesOf(search, searches), bar);
    }
    // With a query no page comes from a cache.
    let year = newest;
    const archive = async () => {
      year = year === newest - 8 ? newest : year - 1;
      const page = await fetch(`${site.url}/archive?year=${year}`, { headers });
      if (!page.ok) throw new Error(`The archive as ${who}: ${page.status}`);
      await page.arrayBuffer();
    };
    await archive();
    print(engine, `the page of the archive as ${who}, ms`, await timesOf(archive, rounds), bar);
  }
}

async function timesOf(act: () => Promise<unknown>, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) {
    const start = performance.now();
    await act();
    times.push(performance.now() - start);
  }
  return times;
}

/** How long each of a visitor's requests took while something else ran. Milliseconds. */
async function waits(site: BenchSite, act: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const acting = act().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const start = performance.now();
    await (await site.call('getPosts', {})).arrayBuffer();
    times.push(performance.now() - start);
  }
  await acting;
  return times;
}

function print(engine: string, what: string, times: readonly number[], bar = ''): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1);
  process.stdout.write(
    `${engine}, ${what}: least ${at(0)}, median ${at(0.5)}, most ${at(1)}${bar && ` (bar ${bar})`}\n`,
  );
}
