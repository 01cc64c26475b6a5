type Policy = { createScriptURL(address: string): string };
type Trusting = { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };

/** As web/ui/prose.tsx has it for HTML: the one program that becomes a script, with the id of an account. */
const policy: Policy = (globalThis as Trusting).trustedTypes?.createPolicy('coterie-worker', {
  createScriptURL: id => addressFor(id),
}) ?? { createScriptURL: id => addressFor(id) };

const addressFor = (id: string) => `/share-worker.js?${encodeURIComponent(id)}`;

/** What was shared longer ago is deleted, in milliseconds. */
const keptMs = 60 * 60 * 1_000;

/**
 * Lets the installed app take what other programs share, for this account alone; what was shared for another
 * one, or too long ago, is deleted. Some browsers have no workers, or refuse them.
 */
export async function takeShares(userId: string): Promise<void> {
  await sharedWith(userId);
  const registration = await navigator.serviceWorker?.getRegistration('/share');
  const running = registration?.active ?? registration?.installing ?? registration?.waiting;
  if (running?.scriptURL.endsWith(addressFor(userId))) return;
  const address = policy.createScriptURL(userId);
  await navigator.serviceWorker?.register(address, { scope: '/share' }).catch(() => {});
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
