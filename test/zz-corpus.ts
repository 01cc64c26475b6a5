import { mkdtemp } from 'node:fs/promises';
import { chromium, request } from '@playwright/test';
import { chromiumArgs, findChromium } from '../scripts/chromium.ts';
import { freePort, RunningSite, adminPassword } from './e2e/site.ts';
const dir = await mkdtemp('/tmp/look-corpus-');
const site = new RunningSite(dir, await freePort());
await site.start(); await site.createAdmin(); await site.cli('import', '/work/shared/corpus');
const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumArgs });
const ctx = await browser.newContext({ baseURL: site.url });
const page = await ctx.newPage();
await page.request.post('/api/signIn', { data: { data: { email: 'mina@example.com', password: adminPassword } } });
await page.route(/^https:/, r => r.abort());
let n = 1, count = 0; const ids: string[] = [];
for (;;) { const r = await (await page.request.post('/api/listPosts', { data: { data: { page: n++ } } })).json(); ids.push(...r.result.posts.map((p: any) => p.id)); if (!r.result.hasNextPage) break; }
let errors = 0;
page.on('pageerror', e => { errors++; console.log('pageerror', page.url(), e.message.slice(0, 120)); });
for (const id of ids) {
  await page.goto('/post/' + id, { waitUntil: 'load' });
  await page.locator('html[data-taken-over]').waitFor();
  for (const w of [360, 768, 1280]) {
    await page.setViewportSize({ width: w, height: 800 });
    const o = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (o > 0) console.log('OVERFLOW', w, o, id, await page.title());
  }
  count++;
}
console.log(count, 'posts', errors, 'errors', site.url, dir);
await browser.close(); await site.stop();
