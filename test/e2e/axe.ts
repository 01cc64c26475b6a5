import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './site.ts';

/** Expects that axe finds nothing on the page, in both themes, at a phone's width and at a desk's. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
      expect(found, `${page.url()} at ${width} px, ${colorScheme}`).toEqual([]);
    }
  }
  if (before !== null) await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}
