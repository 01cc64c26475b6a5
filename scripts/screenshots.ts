import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumArgs, findChromium } from './chromium.ts';
import { password } from './demo/people.ts';
import { callAs } from './screenshots/author.ts';
import { type Shot, writeSheet } from './screenshots/sheet.ts';
import { demoSite, emptySite, hardSite, type LookSite, mailedSite } from './screenshots/sites.ts';
import { emails, type View, type Viewer } from './screenshots/view.ts';
import { demoViews, emptyViews, hardViews, mailedViews } from './screenshots/views.ts';

/**
 * `npm run screenshots`: every page and its main states at three widths, light and dark, into screenshots/ with an
 * index.html to look through. `npm run screenshots -- post timeline 360` takes only those whose names hold one of the words, and
 * only at that width.
 */
const folder = 'screenshots';
const given = process.argv.slice(2);
const words = given.filter(word => !/^\d+$/.test(word));
const widths = [360, 768, 1280].filter(
  width => given.length === words.length || given.includes(String(width)),
);
const themes = ['light', 'dark'] as const;
/** Taller than that a page repeats itself, in pixels. */
const tallest = 4_000;

if (given.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findChromium(),
  // Letters as wide as on a screen of many dots, whatever machine takes the pictures.
  args: [...chromiumArgs, '--font-render-hinting=none'],
});
const shots: Shot[] = [];
if (isWanted('')) await look(demoSite, site => demoViews(site.posts));
if (isWanted('empty')) await look(emptySite, () => emptyViews);
if (isWanted('mailed')) await look(mailedSite, site => mailedViews(site.posts));
if (isWanted('hard')) await look(hardSite, site => hardViews(site.posts));
await browser.close();
await writeSheet(folder, shots);
console.log(`${shots.length} screenshots: ${join(process.cwd(), folder, 'index.html')}`);

/** Whether views whose names start so are asked for. Those of the demonstration start with no common word. */
function isWanted(start: string): boolean {
  return words.length === 0 || words.some(word => (/^(empty|hard|mailed)/.exec(word)?.[0] ?? '') === start);
}

async function look(open: () => Promise<LookSite>, viewsOf: (site: LookSite) => readonly View[]) {
  const site = await open();
  try {
    const views = viewsOf(site).filter(
      ({ name }) => words.length === 0 || words.some(word => name.includes(word)),
    );
    await Promise.all(themes.map(theme => takeAll(site, views, theme)));
  } finally {
    await site.stop();
  }
}

async function takeAll(site: LookSite, views: readonly View[], theme: (typeof themes)[number]) {
  for (const width of widths) {
    const pages = new Map<string, Page>();
    for (const view of views) {
      const kind = `${view.as} ${view.withoutScripts}`;
      const page = pages.get(kind) ?? (await openAs(browser, site, view.as, view.withoutScripts !== true));
      pages.set(kind, page);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({
        colorScheme: theme,
        media: view.print ? 'print' : 'screen',
        reducedMotion: 'reduce',
      });
      const file = `${view.name}-${width}-${theme}.png`;
      try {
        await take(page, view, join(folder, file));
        shots.push({ view: view.name, width, theme, file });
      } catch (error) {
        process.exitCode = 1;
        console.error(`${file}: ${error instanceof Error ? error.message : error}`);
      }
    }
    for (const page of pages.values()) await page.context().close();
  }
}

async function openAs(
  browser: Browser,
  { url }: LookSite,
  viewer: Viewer,
  javaScriptEnabled: boolean,
): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, javaScriptEnabled });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  if (viewer !== 'visitor') await callAs(page.request, 'signIn', { email: emails[viewer], password });
  return page;
}

async function take(page: Page, view: View, path: string) {
  // A document of its own: what an earlier view left in the tab's session is not this one's.
  await page.goto('/favicon.svg');
  if (view.withoutScripts !== true) await page.evaluate(() => sessionStorage.clear());
  await page.goto(view.path, { waitUntil: 'load' });
  if (view.withoutScripts !== true) await page.locator('html[data-hydrated]').waitFor();
  await view.act?.(page);
  await page.evaluate(() => document.fonts.ready);
  if (view.isScreen) {
    await page.screenshot({ path });
  } else {
    const { width, height } = await page.evaluate(() => ({
      width: window.innerWidth,
      height: document.documentElement.scrollHeight,
    }));
    await page.screenshot({
      path,
      fullPage: true,
      clip: { x: 0, y: 0, width, height: Math.min(height, tallest) },
    });
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
