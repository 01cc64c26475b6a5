import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { chromiumArgs, findChromium } from './chromium.ts';
import { password } from './demo/people.ts';
import { callAs } from './screenshots/author.ts';
import { demoSite, emptySite, hardSite, type LookSite, mailedSite } from './screenshots/sites.ts';
import { emails, type View, type Viewer } from './screenshots/view.ts';
import { demoViews, emptyViews, hardViews, mailedViews } from './screenshots/views.ts';

/**
 * `npm run screenshots`: every page and its main states at four widths, light and dark, into screenshots/
 * with an index.html to look through. `npm run screenshots -- post timeline 360` takes only views whose names
 * contain one of the words, and only at that width.
 */
const folder = 'screenshots';
const given = process.argv.slice(2);
const words = given.filter(word => !/^\d+$/.test(word));
const widths = [360, 768, 1280, 1920].filter(
  width => given.length === words.length || given.includes(String(width)),
);
const themes = ['light', 'dark'] as const;
/** The largest height of a picture, in pixels: longer pages repeat themselves. */
const tallest = 4_000;

if (given.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findChromium(),
  // Letters have the widths of a high-resolution screen on every machine.
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

/** Whether views with this prefix are asked for. Views of the demonstration have no prefix. */
function isWanted(start: string): boolean {
  return words.length === 0 || words.some(word => (/^(empty|hard|mailed)/.exec(word)?.[0] ?? '') === start);
}

async function look(open: () => Promise<LookSite>, viewsOf: (site: LookSite) => readonly View[]) {
  const site = await open();
  try {
    const views = viewsOf(site).filter(
      ({ name }) => words.length === 0 || words.some(word => name.includes(word)),
    );
    // Somebody who has set up a second factor is not signed in again.
    const pages = new Map<string, Page>();
    for (const width of widths) await takeAll(site, pages, views, width);
    for (const page of pages.values()) await page.context().close();
  } finally {
    await site.stop();
  }
}

async function takeAll(site: LookSite, pages: Map<string, Page>, views: readonly View[], width: number) {
  for (const view of views) {
    const kind = `${view.as} ${view.withoutScripts}`;
    const page = pages.get(kind) ?? (await openAs(browser, site, view.as, view.withoutScripts !== true));
    pages.set(kind, page);
    await page.setViewportSize({ width, height: 900 });
    try {
      await prepare(page, view);
      for (const theme of themes) await take(page, view, width, theme);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${view.name} at ${width} px: ${error instanceof Error ? error.message : error}`);
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
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

async function prepare(page: Page, view: View) {
  await page.emulateMedia({
    colorScheme: 'light',
    media: view.print ? 'print' : 'screen',
    reducedMotion: 'reduce',
    forcedColors: view.isForcedColors ? 'active' : 'none',
  });
  // In a new tab, without what an earlier view left in the session storage.
  await page.goto('/favicon.svg');
  if (view.withoutScripts !== true) await page.evaluate(() => sessionStorage.clear());
  await page.goto(view.path, { waitUntil: 'load' });
  if (view.withoutScripts !== true) await page.locator('html[data-hydrated]').waitFor();
  await view.act?.(page);
  await page.evaluate(() => document.fonts.ready);
}

/** Takes the same state in both themes, after preparing it once. */
async function take(page: Page, view: View, width: number, theme: (typeof themes)[number]) {
  const file = `${view.name}-${width}-${theme}.png`;
  const path = join(folder, file);
  await page.emulateMedia({ colorScheme: theme });
  if (view.isScreen) {
    await page.screenshot({ path });
  } else {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.screenshot({
      path,
      fullPage: true,
      clip: { x: 0, y: 0, width, height: Math.min(height, tallest) },
    });
  }
  shots.push({ view: view.name, width, theme, file });
}

type Shot = { view: string; width: number; theme: string; file: string };

/** A page with all pictures, those of one state next to each other. */
async function writeSheet(folder: string, shots: readonly Shot[]): Promise<void> {
  const views = [...new Set(shots.map(({ view }) => view))];
  const sections = views.map(view => {
    const pictures = shots
      .filter(shot => shot.view === view)
      .map(
        ({ file, width, theme }) =>
          `<a href="${file}"><img src="${file}" width="${width / 4}" loading="lazy" alt="${view}, ${width} px, ${theme}"></a>`,
      );
    return `<h2 id="${view}">${view}</h2><div>${pictures.join('')}</div>`;
  });
  const style =
    'body{font:14px system-ui;margin:2rem;background:#888}div{display:flex;gap:1rem;align-items:start;overflow-x:auto}';
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title><style>${style}</style><h1>${shots.length} screenshots</h1><p>${views.map(view => `<a href="#${view}">${view}</a>`).join(' ')}</p>${sections.join('')}</html>`,
  );
}
