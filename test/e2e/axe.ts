import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

/** The rules whose result depends on colours; all others have the same result in both themes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** 200 % and 400 % zoom of a screen of 1280 pixels, and a phone whose reader has larger letters. */
const zoomed = [
  { width: 640, letters: '100%' },
  { width: 320, letters: '100%' },
  { width: 360, letters: '135%' },
];

/**
 * Fails on anything that axe finds on the page, on a phone and a desktop, light and dark, and when it is
 * wider than the screen, also zoomed. `act` brings the page into its state at each width.
 */
export async function expectAccessible(page: Page, act: () => Promise<void> = async () => {}): Promise<void> {
  const before = page.viewportSize();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await act();
    await expectAccessibleNow(page, width);
  }
  for (const { width, letters } of zoomed) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(size => {
      document.documentElement.style.fontSize = size;
      return document.documentElement.scrollWidth - window.innerWidth;
    }, letters);
    expect([width, letters, Math.max(0, overflow)]).toEqual([width, letters, 0]);
  }
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before !== null) await page.setViewportSize(before);
}

/** As {@link expectAccessible}, at the width of a tablet. */
export async function expectAccessibleOnTablet(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectAccessibleNow(page, 768);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before !== null) await page.setViewportSize(before);
}

async function expectAccessibleNow(page: Page, width: number): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect([width, Math.max(0, overflow)]).toEqual([width, 0]);
  expect([width, 'light', ...(await violations(page))]).toEqual([width, 'light']);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect([width, 'dark', ...(await violations(page, colorRules))]).toEqual([width, 'dark']);
}

/**
 * Injects axe into a page once: injecting it for each check, as its package for Playwright does, takes longer
 * than the check.
 */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return await page.evaluate(async only => {
    const { axe: inPage } = window as typeof window & { axe: typeof axe };
    const { violations } = await inPage.run(document, {
      resultTypes: ['violations'],
      ...(only && { runOnly: { type: 'rule' as const, values: only } }),
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
  }, rules);
}
