/**
 * The service worker of the site, for `/share` only: no other request passes it. It keeps what another
 * program shares with the installed app (`share_target` in server/surfaces/manifest.ts) for the account in
 * its address, until the editor fetches it (web/editor/shared-offer.tsx).
 */
self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('fetch', event => {
  if (event.request.method === 'POST') event.respondWith(keep(event.request));
});

async function keep(request) {
  const cache = await caches.open('shared');
  const headers = {
    'content-type': request.headers.get('content-type'),
    date: new Date().toUTCString(),
    'x-account': self.location.search.slice(1),
  };
  await cache.put('/share', new Response(await request.blob(), { headers }));
  return Response.redirect('/admin/posts/new', 303);
}
