import { basename } from 'node:path';
import { chromium } from '@playwright/test';
import { fillSetup } from '../../test/support/fill-setup.ts';
import { chromiumArgs, findChromium } from '../chromium.ts';
import type { Booted } from './booted.ts';
import { blockWith, type Words } from './hosting.ts';
import { media } from './try.ts';

/** Caddy certifies it by an authority of its own. */
export const host = 'blog.localhost';
export const site = `https://${host}`;

/** A block of docs/hosting.md, for a name that needs no certificate of an authority. */
export function blockFor(words: Words<'packages'>): string {
  return blockWith(words).replaceAll('blog.example', host);
}

/** Follows the link that a start has printed, as an owner would, and publishes a post with media. */
export async function writeInBrowser(debian: Booted, setupLink: string, content: string): Promise<void> {
  await inBrowser(debian, async page => {
    await page.goto(setupLink);
    await fillSetup(page);
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('link', { name: 'Write', exact: true }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill(content);
    const paths = media.map(({ path }) => path);
    await page.locator('input[type=file][aria-label="Images and videos to attach"]').setInputFiles(paths);
    for (const path of paths) await page.getByRole('button', { name: `Remove ${basename(path)}` }).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published.').waitFor();
  });
  await requireInBrowser(debian, content);
}

/** Throws unless a visitor with a real browser sees a post. */
export async function requireInBrowser(debian: Booted, content: string): Promise<void> {
  await inBrowser(debian, async page => {
    await page.goto(site);
    await page.getByText(content).waitFor();
  });
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newPage']>>;

async function inBrowser(debian: Booted, use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    executablePath: debian.inNetwork(findChromium()),
    args: chromiumArgs,
  });
  try {
    await use(await browser.newPage({ ignoreHTTPSErrors: true }));
  } finally {
    await browser.close();
  }
}
