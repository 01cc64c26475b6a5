import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from './chromium.ts';
import { morePeople } from './looks/more.ts';
import { people } from './looks/people.ts';
import { contactSheet, type Line } from './looks/sheet.ts';
import { siteOf } from './looks/site.ts';

/**
 * `npm run looks`: ten sites that ten people have made their own in Settings alone, their timelines at two
 * widths, light and dark, in screenshots/looks, and all of them on one sheet, docs/pictures/looks.webp.
 * `npm run looks -- grete` takes the pictures of one, and leaves the sheet as it is.
 */
const folder = 'screenshots/looks';
const sheet = 'docs/pictures/looks.webp';
const wanted = process.argv.slice(2);
const screens = [
  { width: 1280, height: 900 },
  { width: 360, height: 740 },
];

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: findChromium(),
  args: [...chromiumArgs, '--font-render-hinting=none'],
});
const lines: Line[] = [];
for (const person of [...people, ...morePeople]) {
  if (wanted.length > 0 && !wanted.includes(person.username)) continue;
  const site = await siteOf(person);
  lines.push(await photograph(browser, site.url, person.username).finally(site.stop));
}
await browser.close();
if (wanted.length === 0) await writeFile(sheet, await contactSheet(lines));
console.log(`${lines.length} sites: ${join(process.cwd(), wanted.length === 0 ? sheet : folder)}`);

async function photograph(browser: Browser, url: string, name: string): Promise<Line> {
  const shots: Buffer[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of screens) {
      const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' });
      await page.goto(url, { waitUntil: 'networkidle' });
      await page.evaluate(() => document.fonts.ready);
      const path = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
      shots.push(await page.screenshot({ path }));
      await page.close();
    }
  }
  return shots;
}
