/**
 * The service worker of a browser with notifications: no requests pass it. The account in its address tells
 * the pages whose it is (web/storage/workers.ts). The content of a notification, which only says that there
 * is a post or an answer, is made by server/mail/push/send.ts.
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
