import { endWorker, registerWorker, registrationOf, worksFor } from './workers.ts';

/** web/brand/offline-worker.js knows what is kept, and how long. It keeps nothing where there is no cache. */
const prefix = 'offline-';

/** Keeps the posts that this account opens in this browser. Rejects where the browser refuses. */
export async function keepPosts(userId: string): Promise<void> {
  await caches.open(prefix + encodeURIComponent(userId));
  await registerWorker('offline', userId);
  (await navigator.serviceWorker?.ready)?.active?.postMessage(undefined);
}

/** Deletes the posts of every account that this browser keeps, and keeps no more. */
export async function forgetPosts(): Promise<void> {
  if (!('caches' in window)) return;
  await endWorker('offline');
  for (const name of await caches.keys()) if (name.startsWith(prefix)) await caches.delete(name);
}

/** Deletes what is kept for others than this account. */
export async function forgetPostsOfOthers(userId: string | undefined): Promise<void> {
  if (userId === undefined || !(await worksFor('offline', userId))) await forgetPosts();
}

/** Lets the worker delete what its account may not read any more, as it does for each page that is loaded. */
export async function checkPosts(): Promise<void> {
  (await registrationOf('offline'))?.active?.postMessage(undefined);
}

/** Keeps a post that is on the screen, if its reader has turned that on. */
export async function keepPost(postId: string): Promise<void> {
  (await registrationOf('offline'))?.active?.postMessage(postId);
}
