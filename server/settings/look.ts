import { cssOf, firstPaper, paletteOf } from '../../contract/look.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';

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
