import { endWorker, registerWorker, worksFor } from './workers.ts';

/** Shared content older than this is deleted, in milliseconds. */
const keptMs = 60 * 60 * 1_000;

/**
 * Lets the installed app receive shared content for this account only; content for another account, or too
 * old, is deleted. Some browsers have no workers, or refuse them.
 */
export async function takeShares(userId: string): Promise<void> {
  await sharedWith(userId);
  if (await worksFor('share', userId)) return;
  await registerWorker('share', userId).catch(() => {});
}

/** What other programs have shared for an account; undefined if there is nothing. */
export async function sharedWith(userId: string): Promise<Response | undefined> {
  // Browsers have such a cache only over HTTPS.
  if (!('caches' in window)) return undefined;
  const kept = await caches.match('/share', { cacheName: 'shared' });
  const age = Date.now() - Date.parse(kept?.headers.get('date') ?? '');
  if (kept?.headers.get('x-account') === encodeURIComponent(userId) && age < keptMs) return kept;
  await caches.delete('shared');
  return undefined;
}

/** Content shared with the installed app is for nobody else who uses this device. */
export async function forgetShares(): Promise<void> {
  if (!('caches' in window)) return;
  await caches.delete('shared');
  await endWorker('share');
}
