import type { Hono } from 'hono';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/** The web app manifest, with which a phone can install the site under its own name. */
export function manifestSurface(
  app: Hono<RequestVariables>,
  { changes, settings }: Pick<Deps, 'changes' | 'settings'>,
): void {
  const icon = (size: number) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    // The mark lies within the middle, which every icon shape shows.
    purpose: 'any maskable',
  });
  const manifestOf = ({ title }: SiteSettings) => ({
    name: title,
    id: '/',
    start_url: '/',
    display: 'minimal-ui',
    // The background of a light page in web/styles/tokens.css.
    background_color: '#f8f7f2',
    theme_color: '#f8f7f2',
    icons: [icon(192), icon(512)],
  });
  app.get('/manifest.webmanifest', async c => {
    await changes.caughtUp();
    const manifest = JSON.stringify(manifestOf(await settings()));
    c.header('cache-control', 'public, max-age=3600');
    return c.body(manifest, 200, { 'content-type': 'application/manifest+json' });
  });
}
