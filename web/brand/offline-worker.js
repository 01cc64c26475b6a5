/**
 * The service worker of a reader who reads offline. It keeps the posts that they open, for the account in its
 * address, and shows them while there is no network. At each contact with the server it asks which of them
 * this account may still read, and deletes the others; all of them if the account is no longer signed in and
 * approved (docs/decisions/0042-offline-reading.md).
 */
const account = self.location.search.slice(1);
const name = `offline-${account}`;
const mostPosts = 100;
const mostPictures = 50;
const pictureWidth = 960;
/** After this long without a contact nothing is shown any more, in milliseconds. */
const mostMs = 30 * 24 * 60 * 60 * 1_000;
/** Its answer is a contact; the time of the last one is stored under this name, too. */
const contactPath = '/api/getKeptPosts';
const postPath = id => `/post/${id}`;
const postIn = pathname => /^\/post\/([\w-]{1,64})$/.exec(pathname)?.[1];
/** The post of the page that was loaded last: its scripts report it again. */
let loaded;

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));

/** A page reports which post it shows, or that its reader's rights have changed. */
self.addEventListener('message', event => {
  const opened = event.data;
  if (opened === undefined || opened !== loaded) event.waitUntil(inTurn(() => check(opened)));
  else loaded = undefined;
});

self.addEventListener('fetch', event => {
  const { mode, method, destination, url } = event.request;
  const { origin, pathname } = new URL(url);
  // The policy of a worker allows requests to this site only.
  if (origin !== self.location.origin) return;
  if (mode === 'navigate' && method === 'GET') event.respondWith(answerPage(event, pathname));
  else if (destination === 'image' && pathname.startsWith('/files/'))
    event.respondWith(fetch(event.request).catch(async () => (await kept(pathname)) ?? Response.error()));
});

async function answerPage(event, pathname) {
  try {
    const answer = await fetch(event.request);
    loaded = postIn(pathname);
    const opened = loaded;
    event.waitUntil(inTurn(() => check(opened)));
    return answer;
  } catch {
    if (await isForgotten()) return Response.error();
    return (await kept(pathname)) ?? (await listOfKept());
  }
}

/** Whether nothing may be shown: it was deleted, or the last contact was too long ago. */
async function isForgotten() {
  if (!(await caches.has(name))) return true;
  const contact = await kept(contactPath);
  // Nothing is kept before the first one.
  if (contact === undefined) return false;
  // The clock may have been set back.
  const age = Math.abs(Date.now() - Date.parse(contact.headers.get('date')));
  if (age < mostMs) return false;
  await forget();
  return true;
}

/** Does not recreate a deleted cache. */
const kept = path => caches.match(path, { cacheName: name, ignoreSearch: true, ignoreVary: true });

async function forget() {
  await caches.delete(name);
  await self.registration.unregister();
}

let last = Promise.resolve();
/** One job at a time, so that none restores what another has deleted. */
function inTurn(job) {
  last = last.then(job).catch(() => {});
  return last;
}

/** Deletes the posts that the account may no longer read, and keeps `opened`, the post on the screen. */
async function check(opened) {
  // The page makes the cache (web/storage/offline.ts): if it is gone, nothing is to be kept any more.
  if (!(await caches.has(name))) return await forget();
  const cache = await caches.open(name);
  const pages = await pagesOf(cache);
  const postIds = [...new Set([...pages.map(page => page.id), ...(opened === undefined ? [] : [opened])])];
  const answer = await fetch(contactPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ data: { postIds } }),
  });
  if (answer.status === 401 || answer.status === 403) return await forget();
  if (!answer.ok) return;
  const { userId, posts } = (await answer.json()).result;
  if (userId !== account) return await forget();
  await cache.put(contactPath, new Response('', { headers: { date: new Date().toUTCString() } }));
  const versions = new Map(posts.map(post => [post.postId, String(post.version)]));
  for (const { id } of pages) if (!versions.has(id)) await cache.delete(postPath(id));
  await dropPictures(cache);
  // From here on the network may fail: kept posts stay until their new version has arrived.
  const known = new Map(pages.map(({ id, version }) => [id, version]));
  const wanted = [...known.keys(), opened].filter(id => versions.has(id));
  for (const id of new Set(wanted))
    if (known.get(id) !== versions.get(id)) await keep(cache, id, versions.get(id));
  for (const { id } of (await pagesOf(cache)).slice(0, -mostPosts)) await cache.delete(postPath(id));
  await dropPictures(cache);
}

/** The kept posts, in the order in which they were kept. */
async function pagesOf(cache) {
  const pages = [];
  for (const request of await cache.keys()) {
    const id = postIn(new URL(request.url).pathname);
    if (id === undefined) continue;
    const { headers } = await cache.match(request);
    const listed = headers.get('x-pictures');
    const pictures = (listed ?? '').split(' ');
    // A page kept by an earlier worker names no pictures: it is fetched again.
    const version = listed === null ? null : headers.get('x-version');
    pages.push({ id, version, title: headers.get('x-title'), pictures });
  }
  return pages;
}

async function keep(cache, id, version) {
  const answer = await fetch(postPath(id));
  const html = await answer.text();
  // Somebody else may have signed in since the check.
  if (!answer.ok || answer.redirected || !html.includes(account)) return;
  const start = html.indexOf('<article');
  const end = html.lastIndexOf('</article>');
  if (start < 0 || end < start) return;
  // People's pictures are not kept.
  const article = `${html.slice(start, end)}</article>`.replaceAll(tags, tag =>
    sourceOf(tag)?.startsWith('/face/') ? '' : tag,
  );
  const pictures = picturesOf(article);
  for (const path of pictures) {
    const picture = await fetch(`${path}?width=${pictureWidth}`);
    if (picture.ok) await cache.put(path, picture);
  }
  const title = /<h1[^>]*>(.*?)<\/h1>/s.exec(article)?.[1] ?? '';
  const note = '<p class="notice">You are offline. This is the post as you last read it.</p>';
  const headers = {
    'x-version': version,
    'x-title': encodeURIComponent(title),
    'x-pictures': pictures.join(' '),
  };
  // The keys of a cache are in the order of insertion.
  await cache.delete(postPath(id));
  await cache.put(postPath(id), offlinePage(html, note + article, headers));
}

/** Deletes pictures that no kept post shows any more. */
async function dropPictures(cache) {
  const shown = new Set((await pagesOf(cache)).flatMap(page => page.pictures));
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/files/') && !shown.has(pathname)) await cache.delete(request);
  }
}

/** Whole tags: an attribute, such as the text for a picture, may contain what looks like one. */
const tags = /<(?:[^">]|"[^"]*")*>/g;

/** The address of an image by its tag; undefined for other tags. */
function sourceOf(tag) {
  return tag.startsWith('<img ') ? / src="([^"]*)"/.exec(tag)?.[1] : undefined;
}

function picturesOf(html) {
  const sources = [...html.matchAll(tags)].flatMap(([tag]) => sourceOf(tag) ?? []);
  const paths = sources
    .filter(source => source.startsWith('/files/'))
    .map(source => new URL(source, self.location.origin).pathname);
  return [...new Set(paths)].slice(0, mostPictures);
}

/** The look of a page around other content: without scripts, and without parts about other posts. */
function offlinePage(html, content, headers) {
  const head = html.slice(0, html.indexOf('</head>')).replaceAll(/<script\b.*?<\/script>/gs, '');
  const site = /<span class="name">.*?<\/span>/s.exec(html)?.[0] ?? '';
  return new Response(
    `${head}<style>.meta :is(button, .count, .acts) { display: none }</style></head>` +
      `<body><div id="root"><div class="site"><header class="bar"><a href="/" class="brand">${site}</a></header>` +
      `<main id="main" class="page">${content}</main></div></div></body></html>`,
    {
      headers: {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      },
    },
  );
}

/** A page without a look, where no post is kept to take it from. */
const bare =
  '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width"><title></title></head>';

/** Without a network, any other page is replaced by the list of kept posts, newest first. */
async function listOfKept() {
  const cache = await caches.open(name);
  const pages = (await pagesOf(cache)).reverse();
  const [newest] = pages;
  const html = newest === undefined ? bare : await (await kept(postPath(newest.id))).text();
  const items = pages.map(
    ({ id, title }) => `<li><a href="${postPath(id)}">${decodeURIComponent(title)}</a></li>`,
  );
  const content =
    newest === undefined
      ? '<p>Posts that you open are kept here.</p>'
      : `<p>You can read these posts:</p><ul>${items.join('')}</ul>`;
  return offlinePage(
    html.replace(/<title>.*?<\/title>/s, '<title>You are offline</title>'),
    `<header><h1>You are offline</h1></header><div class="prose">${content}</div>`,
    {},
  );
}
