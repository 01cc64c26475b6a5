import { isOf, registerWorker, registrationOf } from './workers.ts';

/**
 * Whether this browser keeps posts for an account, to be read offline. What it keeps, and how long,
 * web/brand/offline-worker.js knows.
 */
export async function keepsPosts(userId: string): Promise<boolean> {
  const registration = await registrationOf('offline');
  return registration !== undefined && isOf(registration, 'offline', userId);
}

/** Rejects where the browser refuses. */
export async function keepPosts(userId: string): Promise<void> {
  await registerWorker('offline', userId);
  (await navigator.serviceWorker?.ready)?.active?.postMessage(undefined);
}

/** Deletes the posts of every account that this browser keeps, and keeps no more. */
export async function forgetPosts(): Promise<void> {
  if (!('caches' in window)) return;
  for (const name of await caches.keys()) if (name.startsWith('offline-')) await caches.delete(name);
  await (await registrationOf('offline'))?.unregister();
}

/** Deletes what is kept for others than this account. What it may not read any more, its worker deletes. */
export async function checkPosts(userId: string | undefined): Promise<void> {
  if (userId === undefined || !(await keepsPosts(userId))) await forgetPosts();
  else (await registrationOf('offline'))?.active?.postMessage(undefined);
}

/** Keeps a post that is on the screen, if its reader has turned that on. */
export async function keepPost(postId: string): Promise<void> {
  (await registrationOf('offline'))?.active?.postMessage(postId);
}
