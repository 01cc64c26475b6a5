import { endWorker, registerWorker, registrationOf, worksFor } from './workers.ts';

/** web/brand/offline-worker.js decides what is kept, and how long. It keeps nothing without a cache. */
const prefix = 'offline-';

/** Keeps the posts that this account opens in this browser. Rejects if the browser refuses. */
export async function keepPosts(userId: string): Promise<void> {
  await caches.open(prefix + encodeURIComponent(userId));
  await registerWorker('offline', userId);
  (await navigator.serviceWorker?.ready)?.active?.postMessage(undefined);
}

/** Deletes the kept posts of every account, and keeps no more. */
export async function forgetPosts(): Promise<void> {
  if (!('caches' in window)) return;
  await endWorker('offline');
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
}

/** Deletes the kept posts of all other accounts. */
export async function forgetPostsOfOthers(userId: string | undefined): Promise<void> {
  if (userId === undefined || !(await worksFor('offline', userId))) await forgetPosts();
}

/** Lets the worker delete posts that its account may no longer read, as for each loaded page. */
export async function checkPosts(): Promise<void> {
  (await registrationOf('offline'))?.active?.postMessage(undefined);
}

/** Keeps a post that is on the screen, if its reader has turned that on. */
export async function keepPost(postId: string): Promise<void> {
  (await registrationOf('offline'))?.active?.postMessage(postId);
}
