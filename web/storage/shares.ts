import { endWorker, registerWorker, worksFor } from './workers.ts';

/** What was shared longer ago is deleted, in milliseconds. */
const keptMs = 60 * 60 * 1_000;

/**
 * Lets the installed app take what other programs share, for this account alone; what was shared for another
 * one, or too long ago, is deleted. Some browsers have no workers, or refuse them.
 */
export async function takeShares(userId: string): Promise<void> {
  await sharedWith(userId);
  if (await worksFor('share', userId)) return;
  await registerWorker('share', userId).catch(() => {});
}

/** What other programs have shared for an account; undefined if there is nothing. */
export async function sharedWith(userId: string): Promise<Response | undefined> {
  // Only over HTTPS has a browser such a place.
  if (!('caches' in window)) return undefined;
  const kept = await caches.match('/share', { cacheName: 'shared' });
  const age = Date.now() - Date.parse(kept?.headers.get('date') ?? '');
  if (kept?.headers.get('x-account') === encodeURIComponent(userId) && age < keptMs) return kept;
  await caches.delete('shared');
  return undefined;
}

/** What was shared with the installed app is for nobody else who uses this device. */
export async function forgetShares(): Promise<void> {
  if (!('caches' in window)) return;
  await caches.delete('shared');
  await endWorker('share');
}
