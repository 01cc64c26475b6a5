/** The accent of a site and the paper around it, made from one colour. Nothing here needs a library. */

/** A colour on light and on dark paper. */
type Pair = readonly [light: string, dark: string];
export type Palette = Record<
  'surface' | 'raised' | 'tint' | 'line' | 'accent' | 'accent-ink' | 'focus' | 'mark',
  Pair
>;

/** The accents that a site can choose by name. The first is that of web/styles/tokens.css. */
export const accents = {
  green: { name: 'Green', seed: '#1c5741' },
  blue: { name: 'Blue', seed: '#1d4f91' },
  plum: { name: 'Plum', seed: '#7a2a66' },
  brick: { name: 'Brick', seed: '#9a3412' },
  ochre: { name: 'Ochre', seed: '#7a5a00' },
  ink: { name: 'Ink', seed: '#303133' },
} as const;
export type AccentName = keyof typeof accents;

/** The paper of web/styles/tokens.css, and its accent. */
export const firstPaper: Pair = ['#f8f7f2', '#161918'];
export const firstAccent: Pick<Palette, 'accent' | 'accent-ink'> = {
  accent: ['#1c5741', '#93cbae'],
  'accent-ink': ['#f8f7f2', '#12201a'],
};
/** The least contrast of links in a text to the paper, and of chosen chips to their mark. */
const leastContrast = 7;
const leastOnMark = 4.5;

/** The colour that an accent is made from. */
export function seedOf(accent: string): string {
  return Object.hasOwn(accents, accent) ? accents[accent as AccentName].seed : accent;
}

/** The colours that an accent changes; undefined for the first accent, which the styles already have. */
export function paletteOf(accent: string): Palette | undefined {
  if (accent === 'green') return undefined;
  const { chroma, hue } = lchOf(seedOf(accent));
  const tone = (lightness: number, most: number) => hexOf(lightness, Math.min(chroma, most), hue);
  const surface: Pair = [tone(0.976, 0.006), tone(0.208, 0.009)];
  const mark: Pair = [tone(0.91, 0.045), tone(0.32, 0.05)];
  const accentOn = (side: 0 | 1, from: number, step: number) => {
    for (let lightness = from; lightness > 0 && lightness < 1; lightness += step) {
      const colour = tone(lightness, side === 0 ? 0.17 : 0.13);
      const isClear = contrast(colour, surface[side]) >= leastContrast;
      if (isClear && contrast(colour, mark[side]) >= leastOnMark) return colour;
    }
    return side === 0 ? '#000000' : '#ffffff';
  };
  return {
    surface,
    raised: [tone(0.993, 0.004), tone(0.248, 0.01)],
    tint: [tone(0.948, 0.012), tone(0.248, 0.012)],
    line: [tone(0.892, 0.014), tone(0.328, 0.014)],
    // A grey is used as the accent only if it is much darker, or lighter, than muted text.
    accent: [accentOn(0, chroma < 0.03 ? 0.34 : 0.52, -0.01), accentOn(1, chroma < 0.03 ? 0.9 : 0.76, 0.01)],
    'accent-ink': [surface[0], tone(0.21, 0.03)],
    focus: [tone(0.52, 0.16), tone(0.8, 0.14)],
    mark,
  };
}

export function cssOf(palette: Palette): string {
  const lines = Object.entries(palette).map(
    ([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`,
  );
  return `:root{${lines.join(';')}}`;
}

/** The contrast of two colours, from 1 to 21 (WCAG 2). */
export function contrast(one: string, other: string): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(hex: string): number {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

type Triple = [number, number, number];

function linearOf(hex: string): Triple {
  const channel = (index: number) => {
    const value = Number.parseInt(hex.slice(1 + 2 * index, 3 + 2 * index), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(0), channel(1), channel(2)];
}

/** Chroma and hue in OKLCH (https://bottosson.github.io/posts/oklab/). */
function lchOf(hex: string): { chroma: number; hue: number } {
  const [r, g, b] = linearOf(hex);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const bb = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return { chroma: Math.hypot(a, bb), hue: Math.atan2(bb, a) };
}

/** A colour of OKLCH within sRGB; its chroma is reduced until a screen can show it. */
function hexOf(lightness: number, chroma: number, hue: number): string {
  for (let strength = chroma; ; strength -= 0.004) {
    const rgb = rgbOf(lightness, Math.max(0, strength), hue);
    if (strength > 0 && rgb.some(value => value < -0.0005 || value > 1.0005)) continue;
    return `#${rgb.map(channelOf).join('')}`;
  }
}

function rgbOf(lightness: number, chroma: number, hue: number): Triple {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function channelOf(value: number): string {
  const clipped = Math.min(1, Math.max(0, value));
  const encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, '0');
}

/** The typefaces that a site can choose, each with a description. */
export const typefaces = {
  literata: { name: 'Literata', words: 'Warm, like a book' },
  garamond: { name: 'EB Garamond', words: 'Classic, like an old book' },
  bitter: { name: 'Bitter', words: 'Sturdy, like a typewriter' },
  atkinson: { name: 'Atkinson Hyperlegible', words: 'Plain and clear, without serifs' },
} as const;
export type Typeface = keyof typeof typefaces;
