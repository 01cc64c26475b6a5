import type { Hono } from 'hono';
import { sitePictureAt } from '../../contract/site-pictures.ts';
import type { SiteSettings } from '../../contract/site-settings.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';
import { lookOf } from './pages/web.ts';

/** The web app manifest, with which a phone can install the site under its own name, and share with it. */
export function manifestSurface(
  app: Hono<RequestVariables>,
  { changes, settings }: Pick<Deps, 'changes' | 'settings'>,
): void {
  const iconOf = ({ icon }: SiteSettings, size: number) => ({
    src: icon === '' ? `/icon-${size}.png` : sitePictureAt('icon', icon, size),
    sizes: `${size}x${size}`,
    type: 'image/png',
    // Our mark is within the middle, which every icon shape shows; a picture may not be.
    purpose: icon === '' ? 'any maskable' : 'any',
  });
  const manifestOf = (site: SiteSettings) => ({
    name: site.title,
    id: '/',
    start_url: '/',
    display: 'minimal-ui',
    background_color: lookOf(site).paper[0],
    theme_color: lookOf(site).paper[0],
    icons: [iconOf(site, 192), iconOf(site, 512)],
    // Shared content goes to the editor, through web/brand/share-worker.js.
    share_target: {
      action: '/share',
      method: 'POST',
      enctype: 'multipart/form-data',
      params: {
        title: 'title',
        text: 'text',
        url: 'url',
        files: [{ name: 'files', accept: ['image/*', 'video/*', 'audio/*'] }],
      },
    },
    shortcuts: [{ name: 'Write', url: '/admin/posts/new' }],
  });
  app.get('/manifest.webmanifest', async c => {
    await changes.caughtUp();
    const manifest = JSON.stringify(manifestOf(await settings()));
    c.header('cache-control', 'public, max-age=3600');
    return c.body(manifest, 200, { 'content-type': 'application/manifest+json' });
  });
  // Without the worker: the sender may not write, and the editor redirects them to the timeline.
  app.post('/share', c => c.redirect('/admin/posts/new', 303));
}
