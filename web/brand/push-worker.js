/**
 * The service worker of a browser that is notified: no request passes it. By the account in its address the
 * pages know whose it is (web/storage/workers.ts). What it shows, which says nothing of a post or an answer but
 * that there is one, is made by server/mail/push/send.ts.
 */
self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', event => {
  const { title, body, url, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, data: url, icon: '/icon-192.png' }));
});

self.addEventListener('notificationclick', event => {
  event.notification.close();
  event.waitUntil(open(new URL(event.notification.data, self.location.origin).href));
});

async function open(url) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = pages.find(page => page.url === url);
  await (shown === undefined ? self.clients.openWindow(url) : shown.focus());
}
