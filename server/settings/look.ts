import { cssOf, firstAccent, firstPaper, paletteOf } from '../../contract/look.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import { initialOf } from '../../contract/text.ts';
import { escapeHtml } from '../markdown/escape-html.ts';

/** The look of a site's pages, from its settings. */
export type Look = {
  /** The reading typeface: the name of its styles and files. */
  typeface: SiteSettings['typeface'];
  /** The styles that its accent adds. */
  css: string;
  /** The colour of the paper, light and dark, for the browser's own toolbars. */
  paper: readonly [light: string, dark: string];
};

const looks = new WeakMap<SiteSettings, Look>();

/** The look of these settings, cached as long as the settings object. */
export function lookOf(settings: SiteSettings): Look {
  const known = looks.get(settings);
  if (known !== undefined) return known;
  const palette = paletteOf(settings.accent);
  const look = {
    typeface: settings.typeface,
    css: palette === undefined ? '' : cssOf(palette),
    paper: palette?.surface ?? firstPaper,
  };
  looks.set(settings, look);
  return look;
}

type Named = Pick<SiteSettings, 'title' | 'accent' | 'typeface'>;

/** The address of {@link initialPicture}, which changes with name and colour. */
export function initialPath({ title, accent, typeface }: Named): string {
  return `/favicon.svg?${new URLSearchParams({ of: `${initialOf(title)} ${accent} ${typeface}` })}`;
}

/** The icon of a site without one, as on its pages: its initial in a circle of its colour (SVG). */
export function initialPicture({ title, accent, typeface }: Named): string {
  const { accent: circle, 'accent-ink': letter } = paletteOf(accent) ?? firstAccent;
  const font = typeface === 'atkinson' ? 'system-ui,sans-serif' : 'Georgia,serif';
  const colours = (side: 0 | 1) => `circle{fill:${circle[side]}}text{fill:${letter[side]}}`;
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">' +
    `<style>${colours(0)}@media(prefers-color-scheme:dark){${colours(1)}}</style>` +
    `<circle cx="16" cy="16" r="16" fill="${circle[0]}"/><text fill="${letter[0]}" x="16" y="17" text-anchor="middle" dominant-baseline="central" ` +
    `font-family="${font}" font-size="21" font-weight="600">${escapeHtml(initialOf(title))}</text></svg>`
  );
}
