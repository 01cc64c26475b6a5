import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accents, contrast, paletteOf } from './look.ts';

/** The inks of web/styles/tokens.css, which stay whatever the paper is. */
const inks = {
  ink: ['#1d2220', '#dcddd6'],
  soft: ['#434946', '#b9bdb6'],
  muted: ['#5f6662', '#979e98'],
} as const;

function requireReadable(accent: string): void {
  const palette = paletteOf(accent);
  if (palette === undefined) return;
  for (const side of [0, 1] as const) {
    const on = (colour: string, ground: keyof typeof palette) => contrast(colour, palette[ground][side]);
    expect(on(palette.accent[side], 'surface'), `${accent} on paper`).toBeGreaterThanOrEqual(7);
    expect(on(palette.accent[side], 'mark'), `${accent} on its mark`).toBeGreaterThanOrEqual(4.5);
    expect(on(palette['accent-ink'][side], 'accent'), `words on ${accent}`).toBeGreaterThanOrEqual(4.5);
    expect(on(palette.focus[side], 'surface'), `focus of ${accent}`).toBeGreaterThanOrEqual(3);
    expect(on(inks.ink[side], 'surface')).toBeGreaterThanOrEqual(7);
    expect(on(inks.soft[side], 'surface')).toBeGreaterThanOrEqual(7);
    expect(on(inks.muted[side], 'tint')).toBeGreaterThanOrEqual(4.5);
  }
}

// The first one is in the styles themselves.
it.each(Object.keys(accents).filter(name => name !== 'green'))(
  'the accent %s is readable on its paper, light and dark',
  name => {
    requireReadable(name);
  },
);

it('any colour that a site chooses becomes a readable accent in both themes', () => {
  const byte = fc.integer({ min: 0, max: 255 }).map(value => value.toString(16).padStart(2, '0'));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte), parts => requireReadable(`#${parts.join('')}`)),
    { numRuns: 1_000 },
  );
});
