import type { Typeface } from '../../contract/look.ts';

/** Local families that are set like a typeface until it arrives, by the names that systems have for them. */
const localNames = {
  Georgia: ['Georgia', 'Gelasio'],
  Times: ['Times New Roman', 'Liberation Serif', 'Tinos'],
  Noto: ['Noto Serif'],
  Arial: ['Arial', 'Liberation Sans'],
};
/** The upright letters, the italic and the bold ones of a local family. */
const looks = [
  { name: '', css: '' },
  { name: ' Italic', css: 'font-style:italic;' },
  { name: ' Bold', css: 'font-weight:600 700;' },
];

type Letters = {
  family: string;
  /** How its local families are called, before their own name. */
  short: string;
  /** It makes the small letters about as high as those of Literata. Percent. */
  size: number;
  /** Above and below the line, in percent of the size of the text. */
  ascent: number;
  descent: number;
  /**
   * The sizes at which the local families have the widths of these letters, for each of {@link looks}: the
   * ratio of a long English text set in both. Percent; scripts/typefaces.py measures them.
   */
  locals: Partial<Record<keyof typeof localNames, readonly number[]>>;
  generic: string;
};

const letters: Record<Typeface, Letters> = {
  literata: {
    family: 'Literata',
    short: 'Literata',
    size: 100,
    ascent: 117.7,
    descent: 30.8,
    locals: { Georgia: [105.8, 98.1, 95.6], Times: [116.7, 110, 115.2], Noto: [99.2] },
    generic: 'georgia, serif',
  },
  garamond: {
    family: 'EB Garamond',
    short: 'Garamond',
    size: 118,
    ascent: 118.83,
    descent: 35.16,
    locals: { Georgia: [101.5, 96.6, 93.8], Times: [111, 107.5, 112], Noto: [94.1, 93.7, 95] },
    generic: 'georgia, serif',
  },
  bitter: {
    family: 'Bitter',
    short: 'Bitter',
    size: 95,
    ascent: 88.82,
    descent: 25.18,
    locals: { Georgia: [99.1, 94, 86.4], Times: [108.4, 104.7, 103.2], Noto: [91.9, 91.2, 87.5] },
    generic: 'georgia, serif',
  },
  atkinson: {
    family: 'Atkinson Hyperlegible',
    short: 'Atkinson',
    size: 102,
    ascent: 100.35,
    descent: 32.23,
    locals: { Arial: [101.5, 101.5, 99.8] },
    generic: 'system-ui, sans-serif',
  },
};

/** The ranges of scripts/fonts.sh. The `ext` files are fetched only by a page that holds such a letter. */
const ranges = {
  '': 'U+20-7E,U+A0-FF,U+131,U+152-153,U+2C6,U+2DA,U+2DC,U+2010-2015,U+2018-201E,U+2022,U+2026,U+2032-2033,U+2039-203A,U+2044,U+20AC,U+2122,U+2191,U+2193,U+2212',
  '-ext': 'U+100-130,U+132-151,U+154-17F,U+218-21B,U+1E9E,U+2020',
};
const styles = {
  '': 'font-weight:400 700',
  '-italic': 'font-style:italic;font-weight:400',
  '-bold-italic': 'font-style:italic;font-weight:600 700',
};
const files = import.meta.glob<string>('../fonts/{literata,garamond,bitter,atkinson}*.woff2', {
  query: '?url',
  import: 'default',
  eager: true,
});

function stylesOf(typeface: Typeface): string {
  const { family, short, size, ascent, descent, locals, generic } = letters[typeface];
  const sized = size === 100 ? '' : `size-adjust:${size}%;`;
  const own = Object.entries(ranges).flatMap(([part, range]) =>
    Object.entries(styles).map(([style, css]) => {
      const file = files[`../fonts/${typeface}${style}${part}.woff2`];
      return `@font-face{font-family:${family};${css};src:url(${file})format("woff2");font-display:swap;${sized}unicode-range:${range}}`;
    }),
  );
  const stretched = Object.entries(localNames).flatMap(([local, names]) =>
    looks.flatMap(({ name, css }, index) => {
      const width = locals[local as keyof typeof localNames]?.[index];
      if (width === undefined) return [];
      const sources = names.map(each => `local(${each}${name})`).join();
      const height = (part: number) => `${Number(((part / width) * 100).toFixed(2))}%`;
      return `@font-face{font-family:${short} ${local};${css}src:${sources};size-adjust:${width}%;ascent-override:${height(ascent)};descent-override:${height(descent)};line-gap-override:0%}`;
    }),
  );
  const stack = [family, ...Object.keys(locals).map(local => `${short} ${local}`)];
  const root = `:root{--serif:${stack.map(name => `"${name}"`).join(', ')}, ${generic}}`;
  return [...own, ...stretched, root].join('');
}

/** The styles of each reading typeface. A document has those of one. */
export const typefaceStyles = Object.fromEntries(
  (Object.keys(letters) as Typeface[]).map(typeface => [typeface, stylesOf(typeface)]),
) as Record<Typeface, string>;
