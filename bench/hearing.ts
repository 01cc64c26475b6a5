import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../test/support/no-settings.ts';
import { dayMs } from '../server/base/clock.ts';
import type { Deps } from '../server/deps.ts';
import { deliverDue } from '../server/mail/deliver.ts';
import { queueDigests } from '../server/mail/wishes/digests.ts';
import { mailJobs } from '../server/mail/worker.ts';
import { createDatabase, startPostgres } from '../test/support/postgres.ts';
import { startSmtp } from '../test/support/smtp.ts';
import { openBench, type Where, type Wish } from './hearing-site.ts';
import { median } from './load.ts';

/**
 * `npm run bench:hearing`: what it costs to publish to 10,000 readers with mixed wishes, to send them a
 * digest, and to answer feeds of their own, each beside what it was without the feature; and whether all of
 * 5,000 readers are reached through a mail server that takes ten a second. `--engine sqlite` measures one
 * engine, `--parts plain,digests` only these parts.
 */
const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '10000' },
    slow: { type: 'string', default: '5000' },
    engine: { type: 'string' },
    parts: { type: 'string', default: 'plain,clicks,mails,digests,feeds,slow' },
  },
});
const parts = new Set(values.parts.split(','));
const readers = Number(values.readers);
const perSecond = 10;

type Site = Awaited<ReturnType<typeof openBench>>;
type Costs = { text: string; each: number };

/** Of ten readers six hear at once, two of them with the whole post, three daily and one weekly. */
const mixed = (index: number): Wish => ({
  rhythm: index % 10 < 6 ? 'at-once' : index % 10 < 9 ? 'daily' : 'weekly',
  isWhole: index % 10 < 2,
});

/** As it was: each gets the beginning of each post, and nobody answers by mail. */
const plain = (): Wish => ({ rhythm: 'at-once', isWhole: false });

const words = 'We walked up to the mill, and had coffee in the garden. '.repeat(40);
const essay = (title: string) => ({
  type: 'essay',
  title,
  description: 'A walk',
  content: words,
  tags: [],
  isDraft: false,
});
const queuedMails = async ({ db }: Deps) =>
  (await db.selectFrom('mails').select('id').where('state', '=', 'queued').limit(1).execute()).length;

for (const engine of ['sqlite', 'postgres']) {
  if (values.engine !== undefined && values.engine !== engine) continue;
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  const newSite = async () => ({ databaseUrl: postgres && (await createDatabase(postgres.url)) });
  print(engine, `${readers} readers`);
  const before = parts.has('plain') ? await publishingPlainly(await newSite()) : undefined;
  if (['clicks', 'mails', 'digests', 'feeds'].some(part => parts.has(part)))
    await publishing(await newSite(), before);
  if (parts.has('slow')) await slowServer(Number(values.slow), await newSite());
  await postgres?.stop();
}

/** A process that takes all mails. */
async function startSink() {
  const sink = fork(join(import.meta.dirname, 'mail-sink.ts'));
  const [port] = await once(sink, 'message');
  return { url: `smtp://127.0.0.1:${port}`, stop: () => sink.disconnect() };
}

/** What it costs without wishes and answers. Returns the milliseconds of processor time of each mail. */
async function publishingPlainly(where: Where): Promise<number> {
  const sink = await startSink();
  const site = await openBench(sink.url, { ...where, isPlain: true });
  await site.addReaders(readers, plain);
  await site.call(site.adminCookie, 'createPost', essay('To all'));
  const { text, each } = await costs(() => deliverDue(site.deps));
  print('the mails of a post, without wishes and answers', text);
  sink.stop();
  await site.close();
  return each;
}

/** `before` is what a mail cost without wishes and answers, where that was measured. */
async function publishing(where: Where, before: number | undefined): Promise<void> {
  const beside = ({ text, each }: Costs) =>
    before === undefined
      ? text
      : `${text}, ${(each / before).toFixed(2)} times the processor time of a plain one`;
  const sink = await startSink();
  const site = await openBench(sink.url, where);
  const { deps, call, adminCookie } = site;
  const clicks = async () => {
    const [drafts, published]: [number[], number[]] = [[], []];
    for (let n = 0; n < 15; n += 1) {
      drafts.push(
        await timed(() => call(adminCookie, 'createPost', { ...essay(`Draft ${n}`), isDraft: true })),
      );
      published.push(await timed(() => call(adminCookie, 'createPost', essay(`Post ${n}`))));
    }
    // Nobody is to be told of them.
    await deps.db.deleteFrom('announcements').execute();
    const [publishing, saving] = [median(published), median(drafts)];
    return `${publishing.toFixed(1)} ms, a draft ${saving.toFixed(1)} ms: ${(publishing / saving).toFixed(2)} times as long`;
  };
  if (parts.has('clicks')) {
    await clicks();
    print('the click that publishes, no readers', await clicks());
  }
  const ids = await site.addReaders(readers, mixed);
  if (parts.has('clicks')) print(`the click that publishes, ${readers} readers`, await clicks());
  if (parts.has('mails')) {
    await call(adminCookie, 'createPost', essay('To all'));
    print('the mails of a post', beside(await costs(() => deliverDue(deps))));
  }
  if (parts.has('digests')) await digests(site, beside);
  if (parts.has('feeds')) await feeds(site, ids.slice(0, 200));
  sink.stop();
  await site.close();
}

/** A digest of ten posts for each reader. */
async function digests(site: Site, beside: (costs: Costs) => string): Promise<void> {
  const { deps, call, adminCookie } = site;
  await deps.db.updateTable('subscriptions').set({ rhythm: 'daily', digest_at: site.now() }).execute();
  site.wait(1_000);
  for (let n = 0; n < 10; n += 1) await call(adminCookie, 'createPost', essay(`For the digest ${n}`));
  await deps.db.updateTable('announcements').set({ expanded_at: site.now() }).execute();
  site.wait(2 * dayMs);
  const queueing = await timed(() => queueDigests(deps));
  print(
    'the digests of ten posts',
    `queued in ${queueing.toFixed(0)} ms, ${beside(await costs(() => deliverDue(deps)))}`,
  );
}

/** Answers each reader's feed, and beside it the feed that all visitors have. */
async function feeds(site: Site, ids: readonly string[]): Promise<void> {
  const paths: string[] = [];
  for (const id of ids) {
    const { result } = await site.call(await site.cookieOf(id), 'makePersonalFeed', {});
    const { pathname, search } = new URL(result.url ?? '');
    paths.push(pathname + search);
  }
  const etags = new Map<string, string>();
  for (const path of paths) etags.set(path, (await fetch(site.url + path)).headers.get('etag') ?? '');
  const rate = async (of: readonly string[], knows = false) => {
    const all = Array.from({ length: 5 }, () => of).flat();
    const ask = async (path: string) => {
      const headers = knows ? { 'if-none-match': etags.get(path) ?? '' } : {};
      await (await fetch(site.url + path, { headers })).text();
    };
    const ms = await timed(async () => {
      while (all.length > 0) await Promise.all(all.splice(0, 8).map(ask));
    });
    return (5_000 * of.length) / ms;
  };
  const open = await rate(paths.map(() => '/feed.xml'));
  const own = await rate(paths);
  const unchanged = await rate(paths, true);
  print(
    'feeds a second',
    `${own.toFixed(0)} of one’s own, ${unchanged.toFixed(0)} of one’s own unchanged, ${open.toFixed(0)} of the open one: ${(open / own).toFixed(2)} times as many`,
  );
}

/** Mails a post by a server that takes ten mails a second, in seconds of the site's clock. */
async function slowServer(count: number, where: Where): Promise<void> {
  let [taken, refused, seconds] = [0, 0, 0];
  const asked = new Map<string, number>();
  const waits: number[] = [];
  const smtp = await startSmtp({
    refuseMessage: () => {
      taken += 1;
      if (taken <= perSecond) return undefined;
      refused += 1;
      return { code: 454, sentence: 'Throttling failure: Maximum sending rate exceeded.' };
    },
    onMail: ({ to, source }) => {
      const since = /^Subject: Log in/m.test(source) ? asked.get(to) : undefined;
      if (since !== undefined) waits.push(seconds - since);
    },
  });
  const site = await openBench(smtp.url, where);
  const { deps } = site;
  await site.addReaders(count, plain);
  await site.call(site.adminCookie, 'createPost', essay('To all'));
  const [worker] = mailJobs(deps, () => seconds * 1_000);
  do {
    taken = 0;
    if (seconds % 50 === 25) {
      const to = `reader${count - 1 - asked.size}@example.com`;
      asked.set(to, seconds);
      await site.call('', 'requestSignInLink', { email: to });
    }
    await worker?.run();
    seconds += 1;
    site.wait(1_000);
  } while ((await queuedMails(deps)) > 0);
  const told = smtp.mails.filter(({ source }) => /^Precedence: bulk/im.test(source)).map(({ to }) => to);
  print(
    `${count} readers, ten mails a second`,
    `${told.length} mails to ${new Set(told).size} readers in ${seconds} s (${count / perSecond} s at best), ${refused} refusals`,
  );
  print(
    `${asked.size} log-in links meanwhile`,
    `${waits.length} came, after ${median(waits)} s, the last after ${Math.max(...waits)} s`,
  );
  await site.close();
  await smtp.stop();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Mails a second, the processor time of each, and the memory of the process. */
async function costs(deliver: () => Promise<{ sent: number }>): Promise<Costs> {
  const [before, begun, cpu] = [rss(), performance.now(), process.cpuUsage()];
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rss());
  }, 50);
  const { sent } = await deliver();
  clearInterval(watch);
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - begun;
  const each = (user + system) / 1_000 / sent;
  const text = `${sent} mails, ${((1_000 * sent) / ms).toFixed(0)} a second, ${each.toFixed(2)} ms of processor each, ${before} MB before and ${most} MB at most`;
  return { text, each };
}

function rss(): number {
  return Math.round(process.memoryUsage.rss() / 1024 ** 2);
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what}: ${figure} (load ${loadavg()[0]?.toFixed(1)})\n`);
}
