import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cssOf, firstPaper, paletteOf, type Typeface } from '../../../contract/look.ts';
import type { Call } from '../../../contract/operations.ts';
import type { RenderedPage } from '../../../contract/pages.ts';
import type { SiteSettings } from '../../../contract/site-settings.ts';

/** The web app on the server: a function that renders, and the assets of its documents. */
export type Web = {
  render(address: string, call: Call): Promise<RenderedPage>;
  /**
   * The query parameters that the page at a path reads; undefined if the app has no page, for which `render`
   * redirects to the timeline.
   */
  queryOf(pathname: string): readonly string[] | undefined;
  assetsOf(screen: string, look: Look): Promise<Assets>;
  /** The folder of files that never change under their name; undefined if Vite serves them. */
  clientDir: string | undefined;
};

export type Assets = {
  /** Elements for the head of the document: everything needed to show its text. */
  head: string;
  /** The element after a text with pictures, for their placeholders. */
  placeholders: string;
  /** Elements for the end of the document: the scripts. */
  end: string;
  /** The content policy that allows these and nothing else. */
  policy: string;
};

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

/**
 * The assets of all screens' documents; undefined if they cannot be loaded: a page without styles can still
 * be read.
 */
export async function commonAssets(web: Web | undefined, look: Look): Promise<Assets | undefined> {
  try {
    return await web?.assetsOf('', look);
  } catch {
    return undefined;
  }
}

type ManifestEntry = { file: string; css?: string[]; imports?: string[]; assets?: string[] };

/** The built web app (`npm run build`). */
export async function builtWeb(dir: string): Promise<Web> {
  const clientDir = join(dir, 'client');
  const manifest = JSON.parse(await readFile(join(clientDir, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    ManifestEntry
  >;
  const { render, queryOf, typefaceStyles, themeScript, placeholderScript, startScript } = (await import(
    pathToFileURL(join(dir, 'server/entry-server.js')).href
  )) as Pick<Web, 'render' | 'queryOf'> &
    Record<'themeScript' | 'placeholderScript' | 'startScript', string> & {
      typefaceStyles: Record<Typeface, string>;
    };
  const entryName = 'web/entry-client.tsx';
  const entry = manifest[entryName];
  if (entry === undefined) throw new Error(`The build of the web app in ${dir} has no ${entryName}.`);

  // Loaded at the start: a file that cannot be opened for a moment must not break a page later.
  const styles = new Map<string, string>();
  for (const file of Object.values(manifest).flatMap(chunk => chunk.css ?? [])) {
    styles.set(file, (await readFile(join(clientDir, file), 'utf8')).trim());
  }
  const made = new Map<string, Assets>();
  let madeFor: Look | undefined;
  const make = (screen: string, look: Look): Assets => {
    const needed = withImports(manifest, [entryName, screen]);
    const sheets = needed.flatMap(chunk => chunk.css ?? []);
    const ofScreen = sheets.map(file => styles.get(file));
    const typeface = typefaceStyles[look.typeface];
    const css = [typeface, ...ofScreen, look.css].join('\n').trim();
    const sans = Object.values(manifest).flatMap(({ file }) =>
      /\/sans-(?!ext)[^/]*\.woff2$/.test(file) ? `/${file}` : [],
    );
    // The first file of a typeface has its upright letters.
    const fonts = [...(/url\(['"]?([^'")]+)/.exec(typeface)?.slice(1) ?? []), ...sans];
    const scripts = needed.map(chunk => `/${chunk.file}`).filter(file => file !== `/${entry.file}`);
    const head = [
      `<script>${themeScript}</script>`,
      // In the document itself, so that the text does not wait for another round trip.
      `<style>${css}</style>`,
      // Vite would load a sheet without an element, after all others. A disabled one is not loaded.
      ...sheets.map(file => `<link rel="stylesheet" disabled href="/${file}">`),
      ...fonts.map(file => `<link rel="preload" as="font" type="font/woff2" crossorigin href="${file}">`),
    ];
    return {
      head: head.join(''),
      placeholders: `<script>${placeholderScript}</script>`,
      end: `<script data-entry="/${entry.file}" data-chunks="${scripts.join(' ')}">${startScript}</script>`,
      policy: contentPolicy([themeScript, placeholderScript, startScript], css),
    };
  };
  return {
    render,
    queryOf,
    clientDir,
    assetsOf: async (screen, look) => {
      if (look !== madeFor) made.clear();
      madeFor = look;
      const assets = made.get(screen) ?? make(screen, look);
      made.set(screen, assets);
      return assets;
    },
  };
}

function withImports(manifest: Record<string, ManifestEntry>, names: readonly string[]): ManifestEntry[] {
  const found = new Map<string, ManifestEntry>();
  const add = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined || found.has(name)) return;
    found.set(name, chunk);
    chunk.imports?.forEach(add);
  };
  names.forEach(add);
  return [...found.values()];
}

/**
 * The content policy: only our scripts run; pictures and media of a post may come from other sites over
 * https.
 */
function contentPolicy(scripts: readonly string[], css: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.map(script => `'sha256-${hash('sha256', script, 'base64')}'`).join(' ')}`,
    `style-src 'self' 'sha256-${hash('sha256', css, 'base64')}'`,
    "img-src 'self' https: data: blob:",
    "media-src 'self' https: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Only web/ui/prose.tsx may turn text into elements, and web/storage/workers.ts three addresses into
    // scripts.
    "require-trusted-types-for 'script'",
    'trusted-types coterie coterie-worker',
  ].join('; ');
}
