import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../scripts/chromium.ts';
import { RunningSite } from '../test/e2e/site.ts';
import { freePort } from '../test/support/free-port.ts';
import { median } from './load.ts';
import { newestEssay } from './servers.ts';

/**
 * `npm run bench:browser`: measures the built server for a visitor with a slow phone (bars.md, "The reader's
 * browser"): Chromium with a processor four times slower, 1.6 Mbit/s and 150 ms a round trip, nothing cached.
 * Each figure is the median of several rounds, followed by the best round, which is more reliable on a busy
 * machine.
 */
const rounds = 7;
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const cpuSlowdown = 4;
const phone = { width: 412, height: 823 };
/** From this length on a task delays the answer to a touch. Milliseconds. */
const longTask = 50;

const figures = ['first paint', 'largest paint', 'blocked', 'layout shift', 'script kB', 'all kB'] as const;
const bars: Record<(typeof figures)[number], string> = {
  'first paint': '<= 500',
  'largest paint': '<= 500',
  blocked: '< 100',
  'layout shift': '0',
  'script kB': '<= 95',
  'all kB': '',
};
type Visit = Record<(typeof figures)[number], number>;

const dataDir = await mkdtemp(join(tmpdir(), 'coterie-browser-'));
const site = new RunningSite(dataDir, await freePort());
await site.start();
await site.seed('--posts', '1000', '--members', '20');
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
const table: Record<string, Record<string, string>> = { bar: bars };
for (const [page, url] of [
  ['timeline', site.url],
  ['post', await newestEssay(site.url)],
] as const) {
  const visits: Visit[] = [];
  for (let round = 0; round < rounds; round += 1) visits.push(await visit(browser, url));
  table[page] = Object.fromEntries(
    figures.map(figure => {
      const all = visits.map(each => each[figure]);
      const [middle, best] = [median(all), Math.min(...all)].map(value => Number(value.toFixed(2)));
      return [figure, middle === best ? `${best}` : `${middle}, best ${best}`];
    }),
  );
}
console.table(table);
await browser.close();
await site.stop();
await rm(dataDir, { recursive: true });

/** One cold visit of a page. Times in milliseconds from the click, sizes as they were sent. */
async function visit(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: phone, deviceScaleFactor: 2, isMobile: true });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', network);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  const bytes = countBytes(cdp);
  await page.addInitScript(observe);
  await page.goto(url);
  await page.locator('html[data-hydrated]').waitFor();
  const seen = await page.evaluate(() => window.seen);
  await context.close();
  return {
    'first paint': seen.firstPaint,
    'largest paint': seen.largestPaint,
    blocked: seen.tasks
      .filter(({ start }) => start + longTask > seen.firstPaint)
      .reduce((sum, { duration }) => sum + Math.max(0, duration - longTask), 0),
    'layout shift': seen.shift,
    'script kB': bytes.script / 1_000,
    'all kB': bytes.all / 1_000,
  };
}

type Seen = {
  firstPaint: number;
  largestPaint: number;
  shift: number;
  tasks: { start: number; duration: number }[];
};
declare global {
  interface Window {
    seen: Seen;
  }
}

/** Runs in the page before its own scripts. */
function observe(): void {
  const seen: Seen = { firstPaint: 0, largestPaint: 0, shift: 0, tasks: [] };
  window.seen = seen;
  const watch = (type: string, note: (entry: PerformanceEntry & { value?: number }) => void) =>
    new PerformanceObserver(list => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') seen.firstPaint = startTime;
  });
  watch('largest-contentful-paint', ({ startTime }) => {
    seen.largestPaint = startTime;
  });
  watch('layout-shift', ({ value = 0 }) => {
    seen.shift += value;
  });
  watch('longtask', ({ startTime, duration }) => {
    seen.tasks.push({ start: startTime, duration });
  });
}

function countBytes(cdp: CDPSession): { script: number; all: number } {
  const bytes = { script: 0, all: 0 };
  const scripts = new Set<string>();
  cdp.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId);
  });
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.all += encodedDataLength;
    if (scripts.has(requestId)) bytes.script += encodedDataLength;
  });
  return bytes;
}
