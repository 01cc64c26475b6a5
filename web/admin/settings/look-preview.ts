import { type Palette, paletteOf, seedOf, type Typeface } from '../../../contract/look.ts';
import { typefaceStyles } from '../../styles/typefaces.ts';

/** The colours in the styles themselves, for the first accent. */
export const firstColours: Palette = {
  surface: ['#f8f7f2', '#161918'],
  raised: ['#fdfdfa', '#1e2221'],
  tint: ['#efeee7', '#1e2221'],
  line: ['#dddcd3', '#303634'],
  accent: ['#1c5741', '#93cbae'],
  'accent-ink': ['#f8f7f2', '#12201a'],
  focus: ['#0f7a52', '#6fd6a3'],
  mark: ['#d5e6dc', '#22382f'],
};

/** Shows the site in an accent, until the page Settings is left. */
export function previewAccent(accent: string): void {
  const palette = paletteOf(accent) ?? firstColours;
  const { style } = document.documentElement;
  for (const [name, [light, dark]] of Object.entries(palette)) {
    style.setProperty(`--${name}`, `light-dark(${light}, ${dark})`);
  }
}

/** The colour of a swatch on light paper. */
export function swatchOf(accent: string): string {
  return paletteOf(accent)?.accent[0] ?? seedOf(accent);
}

/** Shows the site in a typeface, until the page Settings is left. */
export function previewTypeface(typeface: Typeface): void {
  loadTypefaces();
  const stack = /--serif:\s*([^;}]+)/.exec(typefaceStyles[typeface])?.[1];
  if (stack !== undefined) document.documentElement.style.setProperty('--serif', stack);
}

/** Ends a preview: shows the saved look, which may be newer than that of the document. */
export function showSavedLook(accent: string, typeface: Typeface): void {
  const { style } = document.documentElement;
  if (style.getPropertyValue('--accent') !== '') previewAccent(accent);
  if (style.getPropertyValue('--serif') !== '') previewTypeface(typeface);
}

let isLoaded = false;

/** Adds all typefaces to this page; a file is fetched when its typeface is shown. */
export function loadTypefaces(): void {
  if (isLoaded) return;
  isLoaded = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    Object.values(typefaceStyles)
      .join('\n')
      .replaceAll(/:root\s*\{[^}]*\}/g, ''),
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
