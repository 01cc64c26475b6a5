import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** The rules whose answer depends on colours; every other one says the same in both themes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

const states = [
  { width: 360, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 360, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
] as const;

/**
 * Fails on anything that axe finds on the page as it stands, light and dark, on a phone and a desk, and on a page that
 * scrolls sideways. `act` brings the page back to what is looked at, where another width or theme ends it.
 */
export async function expectAccessible(page: Page, act: () => Promise<void> = async () => {}): Promise<void> {
  const before = page.viewportSize();
  for (const { width, colorScheme } of states) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    await act();
    // Without frames of other origins, which the legacy mode leaves out, a second page need not be opened each time.
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
    if (colorScheme === 'dark') axe.withRules(colorRules);
    const { violations } = await axe.analyze();
    const found = violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]);
    expect([colorScheme, width, found]).toEqual([colorScheme, width, []]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect([width, Math.max(0, overflow)]).toEqual([width, 0]);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before !== null) await page.setViewportSize(before);
}
