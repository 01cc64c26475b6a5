import { serveStatic } from '@hono/node-server/serve-static';
import type { Hono } from 'hono';
import type { RequestVariables } from '../http/request.ts';

/** They keep their names when they change. */
const namedFiles = [
  'favicon.ico',
  'apple-touch-icon.png',
  'icon-192.png',
  'icon-512.png',
  'share-worker.js',
  'offline-worker.js',
  'push-worker.js',
];

/**
 * Scripts, styles and fonts. They are public and never change under their name, which contains a hash of
 * their content.
 */
export function assetsSurface(app: Hono<RequestVariables>, root: string): void {
  app.use('/assets/*', async (c, next) => {
    await next();
    if (!c.res.ok) return;
    c.header('cache-control', 'public, max-age=31536000, immutable');
    // Browsers never need to revalidate it.
    c.header('last-modified', undefined);
  });
  app.use('/assets/*', serveStatic({ root, precompressed: true }));
  app.all('/assets/*', c => c.text('Not found\n', 404));
  const files = serveStatic({ root });
  for (const name of namedFiles) {
    app.get(
      `/${name}`,
      async (c, next) => {
        await next();
        if (c.res.ok) c.header('cache-control', 'public, max-age=3600');
        // A service worker sends requests only to this site; images are icons of notifications.
        if (name.endsWith('.js'))
          c.header('content-security-policy', "default-src 'none'; connect-src 'self'; img-src 'self'");
      },
      files,
    );
  }
}
