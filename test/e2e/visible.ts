import type { Locator, Page } from '@playwright/test';
import sharp from 'sharp';
import { contrast } from '../../contract/look.ts';
import { expect } from './fixtures.ts';

/** What can be seen of a page, by its pixels: no style sheet tells the colours that a reader forces. */

type Box = { left: number; top: number; width: number; height: number };

/** The least contrast of icons and controls to what is around them (WCAG 1.4.11). */
const leastContrast = 3;
/** The room around an element in which its outline is. */
const outlinePx = 6;

/** All in `root` that can be pressed or typed into, and each icon, stands out from what is around it. */
export async function expectVisible(page: Page, root: Locator): Promise<void> {
  const shot = await page.screenshot({ animations: 'disabled' });
  const things = await root.evaluate(element =>
    [...element.querySelectorAll('a[href], button, input, textarea, select, svg, [role=tab]')]
      .filter(one => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .map(one => {
        // Some fields have their border around them.
        const isBare = one.matches('input') && getComputedStyle(one).borderTopWidth === '0px';
        const seen = (isBare && one.parentElement) || one;
        return { html: one.outerHTML.slice(0, 150), box: seen.getBoundingClientRect() };
      })
      .filter(({ box }) => box.width > 2 && box.height > 2)
      .filter(
        ({ box }) => box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
      )
      .map(({ html, box }) => ({
        html,
        box: { left: box.left, top: box.top, width: box.width, height: box.height },
      })),
  );
  expect(things.length).toBeGreaterThan(0);
  for (const { html, box } of things) {
    expect.soft(await contrastWithin(shot, whole(box, 0)), html).toBeGreaterThanOrEqual(leastContrast);
  }
}

/** Goes through a page by Tab: what has the focus looks otherwise than before. Returns how many had it. */
export async function expectVisibleFocus(page: Page): Promise<number> {
  const before = await page.screenshot({ animations: 'disabled' });
  for (let count = 0; ; count += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      // Some fields are drawn by their labels.
      const { left, top, width, height } = (element.closest('label') ?? element).getBoundingClientRect();
      const isIn = top >= 0 && top + height <= innerHeight;
      return isIn ? { html: element.outerHTML.slice(0, 150), box: { left, top, width, height } } : null;
    });
    if (focused === null) return count;
    const clip = whole(focused.box, outlinePx);
    const { left: x, top: y, width, height } = clip;
    const after = await page.screenshot({ animations: 'disabled', clip: { x, y, width, height } });
    const [old, now] = await Promise.all([pixels(before, clip), pixels(after, { ...clip, left: 0, top: 0 })]);
    expect.soft(now.equals(old), `focus of ${focused.html}`).toBe(false);
  }
}

/** Two states of one kind of control differ by more than their words. */
export async function expectDifferent(chosen: Locator, other: Locator): Promise<void> {
  const look = (locator: Locator) =>
    locator.evaluate(element => {
      const { backgroundColor, borderBlockEndWidth, borderBlockEndStyle, textDecorationLine, ...rest } =
        getComputedStyle(element);
      const { textDecorationThickness, fontWeight } = rest;
      return [
        backgroundColor,
        borderBlockEndStyle === 'none' ? '' : borderBlockEndWidth,
        textDecorationLine,
        textDecorationThickness,
        fontWeight,
      ];
    });
  expect(await look(chosen)).not.toEqual(await look(other));
}

function whole({ left, top, width, height }: Box, room: number): Box {
  const [x, y] = [Math.max(0, Math.floor(left - room)), Math.max(0, Math.floor(top - room))];
  return {
    left: x,
    top: y,
    width: Math.ceil(left + width + room) - x,
    height: Math.ceil(top + height + room) - y,
  };
}

async function pixels(shot: Buffer, box: Box): Promise<Buffer> {
  const { width = 0, height = 0 } = await sharp(shot).metadata();
  const inside = {
    ...box,
    width: Math.min(box.width, width - box.left),
    height: Math.min(box.height, height - box.top),
  };
  return await sharp(shot).extract(inside).removeAlpha().raw().toBuffer();
}

async function contrastWithin(shot: Buffer, box: Box): Promise<number> {
  const bytes = await pixels(shot, box);
  const sums = Array.from({ length: bytes.length / 3 }, (_, n) => ({
    sum: (bytes[3 * n] ?? 0) + (bytes[3 * n + 1] ?? 0) + (bytes[3 * n + 2] ?? 0),
    hex: `#${bytes.subarray(3 * n, 3 * n + 3).toString('hex')}`,
  }));
  const darkest = sums.reduce((one, other) => (other.sum < one.sum ? other : one));
  const lightest = sums.reduce((one, other) => (other.sum > one.sum ? other : one));
  return contrast(darkest.hex, lightest.hex);
}
