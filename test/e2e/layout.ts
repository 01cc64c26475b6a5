import { expect, type Page } from '@playwright/test';

/**
 * Keeps a page from loading fonts while its layout is measured: the moment when they replace others depends
 * on the machine, and `bench/` measures it.
 */
export async function withoutFonts(page: Page): Promise<void> {
  await page.route('**/*.woff2', route => route.fulfill({ status: 204 }));
}

/**
 * The layout shift score of a page so far, rounded to a ten-thousandth, so that a word that gets slightly
 * wider with its italic font does not count. Shifts after an action of the reader are not counted.
 */
export async function layoutShift(page: Page): Promise<number> {
  return await page.evaluate(
    () =>
      new Promise<number>(resolve => {
        let sum = 0;
        const observer = new PerformanceObserver(list => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[]) {
            if (!entry.hadRecentInput) sum += entry.value;
          }
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        // Earlier entries are delivered before the frame after next.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(Number(sum.toFixed(4)))));
      }),
  );
}

/**
 * Fails if a page is wider than the screen of a phone, a tablet or a desktop. Restores the size of the
 * viewport.
 */
export async function expectToFit(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of [360, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `pixels wider than a screen of ${width}`).toBeLessThanOrEqual(0);
  }
  if (before !== null) await page.setViewportSize(before);
}
