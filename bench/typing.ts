import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CDPSession, chromium, type Page } from '@playwright/test';
import { chromiumArgs, findChromium } from '../scripts/chromium.ts';
import { startSession } from '../test/e2e/accounts.ts';
import { RunningSite } from '../test/e2e/site.ts';
import { freePort } from '../test/support/free-port.ts';

/**
 * `npm run bench:typing`: measures how long a key takes to show in an essay of 50,000 characters beside its
 * preview, with a processor four times slower (bars.md, "The reader's browser"), at the end of the text and
 * in its middle.
 */
const cpuSlowdown = 4;
const essayCharacters = 50_000;
const keys = 140;
/** A shorter event is not reported by the browser. Milliseconds. */
const shortest = 16;

const dataDir = await mkdtemp(join(tmpdir(), 'coterie-typing-'));
const site = new RunningSite(dataDir, await freePort());
await site.start();
await site.createAdmin();
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: site.url });
await startSession(site, context, 'mina');
const page = await context.newPage();
await page.goto('/admin/posts/new');
await page.getByText('Essay', { exact: true }).click();
const field = page.getByRole('textbox', { name: 'Content' });
await field.click();
await page.keyboard.insertText(essay());
const cdp = await context.newCDPSession(page);
const table: Record<string, Record<string, number | string>> = { bar: { 'p98, ms': '<= 100' } };
for (const place of ['end', 'middle'] as const) table[place] = await type(page, cdp, place);
console.table(table);
await browser.close();
await site.stop();
await rm(dataDir, { recursive: true });

/** Headings, lists and paragraphs with marks and links. */
function essay(): string {
  const words =
    'The river rose in the night and *nobody* in the house had heard it, not even the dog, which `sleeps` at the door and [knows](https://example.com/a) all. ';
  let text = '';
  for (let block = 0; text.length < essayCharacters; block += 1) {
    if (block % 12 === 0) text += `## Part ${block}\n\n`;
    else if (block % 7 === 0) text += `- one ${block}\n- two **strong**\n- three\n\n`;
    else text += `${words.repeat(3)}\n\n`;
  }
  return text;
}

/** Types as a person does, with rests in which the preview follows. */
async function type(page: Page, cdp: CDPSession, place: 'end' | 'middle') {
  await field.focus();
  await page.keyboard.press('ControlOrMeta+End');
  if (place === 'middle') {
    await page.keyboard.press('ControlOrMeta+Home');
    for (let pages = 0; pages < 30; pages += 1) await page.keyboard.press('PageDown');
    await page.keyboard.press('End');
  }
  await page.waitForTimeout(3_000);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuSlowdown });
  await page.evaluate(durationThreshold => {
    const durations: number[] = [];
    Object.assign(window, { durations });
    new PerformanceObserver(list => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') durations.push(duration);
    }).observe({ type: 'event', durationThreshold } as PerformanceObserverInit);
  }, shortest);
  const typed =
    'and then the water came, over the wall and through the garden, to the stair where we stood. ';
  for (let key = 0; key < keys; key += 1) {
    const pause = 110 + (key % 23 === 22 ? 600 : (key * 37) % 60);
    const began = Date.now();
    await page.keyboard.press(typed.charAt(key % typed.length));
    await page.waitForTimeout(Math.max(0, pause - (Date.now() - began)));
  }
  await page.waitForTimeout(2_500);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const reported = await page.evaluate(() => (window as typeof window & { durations: number[] }).durations);
  const all = [...reported, ...Array<number>(Math.max(0, keys - reported.length)).fill(shortest / 2)];
  all.sort((a, b) => a - b);
  const at = (share: number) => all[Math.min(keys - 1, Math.floor(share * keys))] ?? 0;
  return { median: at(0.5), 'p90, ms': at(0.9), 'p98, ms': at(0.98), 'longest, ms': at(1) };
}
