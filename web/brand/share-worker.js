/**
 * The service worker of the site, for `/share` alone: no other request passes it. It keeps what another program
 * shares with the installed app (`share_target` in server/surfaces/manifest.ts) until the editor takes it
 * (web/editor/shared.ts).
 */
self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('fetch', event => {
  if (event.request.method === 'POST') event.respondWith(keep(event.request));
});

async function keep(request) {
  const cache = await caches.open('shared');
  const headers = { 'content-type': request.headers.get('content-type'), date: new Date().toUTCString() };
  await cache.put('/share', new Response(await request.blob(), { headers }));
  return Response.redirect('/admin/posts/new', 303);
}
